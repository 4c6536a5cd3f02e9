/** IDs of codes and checkouts: they sort by creation time and cannot be guessed. */
import { randomBytes } from 'node:crypto';
import { nowMs } from '../process/clock.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Ten characters of milliseconds, then 80 random bits. */
export function newId(prefix: 'code' | 'checkout'): string {
  const time = Array.from({ length: 10 }, (_, at) => Math.floor(nowMs() / 32 ** (9 - at)) % 32);
  const random = Array.from(randomBytes(16), (byte) => byte % 32);
  return `${prefix}_${[...time, ...random].map((digit) => alphabet[digit]).join('')}`;
}
