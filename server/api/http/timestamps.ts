/** Times in requests and responses. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { parseTimestamp } from '@vidgen/contract/list.ts';
import { nowMs } from '../../process/clock.ts';

export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

export const unixSecondsOrNull = (at: Date | null): number | null =>
  at === null ? null : unixSeconds(at);

/** Parses `expires_at` of a request; null if it is absent. */
export function parseExpiry(value: string | number | undefined): Date | null {
  if (value === undefined) return null;
  const timestamp = parseTimestamp(String(value));
  if (timestamp && timestamp.getTime() > nowMs()) return timestamp;
  throw invalidRequest(`expires_at must be in the future (got ${formatValue(value)})`);
}
