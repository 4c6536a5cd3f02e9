/**
 * Task identifiers: `task_` and 26 characters that sort by creation time: a UUIDv7's bits in
 * Crockford's base32, lower case. Only ids of this form are ever looked up.
 */
import { randomBytes } from 'node:crypto';
import { nowMs } from '../clock.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pattern = /^task_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** `atMs`: what `created_at` will say. */
export function newTaskId(atMs = nowMs()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.floor(atMs), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f); // Version 7.
  bytes[8] = 0x80 | (bytes[8]! & 0x3f); // Variant 10.
  return `task_${base32(bytes)}`;
}

/**
 * Ids are made of the time that `created_at` has, by the database's clock. Those of older releases
 * were made by the clocks of processes: so much may lie between the two at most.
 */
const skewMs = 3_600_000;

/**
 * The ids between which the tasks created in this time lie: what bounds the reading. The tasks
 * themselves are judged by `created_at`.
 */
export const idsSince = (at: Date): string => firstIdOf(at.getTime() - skewMs);
export const idsUntil = (at: Date): string => firstIdOf(at.getTime() + skewMs);

/** Not after any id made at this moment or later. */
function firstIdOf(atMs: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.min(Math.max(0, Math.floor(atMs)), 2 ** 48 - 1), 0, 6);
  return `task_${base32(bytes)}`;
}

export const isTaskId = (text: string): boolean => pattern.test(text);

/** 128 bits are 26 characters of 5 bits, of which the first carries 3. */
function base32(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let at = 0; at < 26; at++) {
    text = alphabet[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}
