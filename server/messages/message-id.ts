/** IDs of messages and notices: they sort by creation, to the millisecond. */
import { randomBytes } from 'node:crypto';
import { nowMs } from '../process/clock.ts';

/** Ten base-32 digits of milliseconds, then random digits. */
export function newMessageId(prefix: 'mail' | 'msg' | 'notice'): string {
  const time = nowMs().toString(32).padStart(10, '0');
  const random = Array.from(randomBytes(16), (byte) => (byte % 32).toString(32)).join('');
  return `${prefix}_${time}${random}`;
}
