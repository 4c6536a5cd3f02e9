/**
 * Task IDs: `task_` and 26 characters that sort by creation time, the bits of a UUIDv7 in
 * lower-case Crockford base32. Only IDs of this form are looked up.
 */
import { randomFillSync } from 'node:crypto';
import { nowMs } from '../process/clock.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pattern = /^task_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** `atMs` is the task's `created_at`. */
export function newTaskId(atMs = nowMs()): string {
  if (randomAt === random.length) {
    randomFillSync(random);
    randomAt = 0;
  }
  const bytes = random.subarray(randomAt, randomAt + idBytes);
  randomAt += idBytes;
  bytes.writeUIntBE(Math.floor(atMs), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f); // Version 7.
  bytes[8] = 0x80 | (bytes[8]! & 0x3f); // Variant 10.
  return `task_${base32(bytes)}`;
}

const idBytes = 16;
/** Random bytes for many IDs: one call of the system for each would cost more than the ID. */
const random = Buffer.alloc(idBytes * 256);
let randomAt = random.length;

/**
 * IDs contain the time of `created_at`, from the database's clock. Older releases used the clock of
 * the process, which may differ by at most this much.
 */
const skewMs = 3_600_000;

/**
 * Bounds of the IDs of tasks created in a period; they limit the rows read. The tasks themselves
 * are selected by `created_at`.
 */
export const idsSince = (at: Date): string => firstIdOf(at.getTime() - skewMs);
export const idsUntil = (at: Date): string => firstIdOf(at.getTime() + skewMs);

/** A bound between the IDs created before this time and those created at it or later. */
export const idAt = (at: Date): string => firstIdOf(at.getTime());

/** Not after any ID created at this time or later. */
function firstIdOf(atMs: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.min(Math.max(0, Math.floor(atMs)), 2 ** 48 - 1), 0, 6);
  return `task_${base32(bytes)}`;
}

/** The `created_at` of a task by its ID, to the millisecond; see `skewMs` for older ones. */
export function createdAtOf(id: string): Date {
  let value = 0n;
  for (const character of id.slice('task_'.length)) {
    value = (value << 5n) | BigInt(alphabet.indexOf(character));
  }
  return new Date(Number(value >> 80n));
}

export const isTaskId = (text: string): boolean => pattern.test(text);

/** 128 bits make 26 characters of 5 bits, of which the first carries 3. */
function base32(bytes: Buffer): string {
  let text = '';
  // The bits that are not written yet, and how many they are; two zeros come first.
  let [rest, bits] = [0, 2];
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(rest >> (bits - 5)) & 31];
    rest &= 31;
  }
  return text;
}
