/** A moment as a person says it, with the exact time, in UTC and local, on hover. */
import type { ReactNode } from 'react';
import { useNowMs } from './clock.ts';
import { formatRelative } from './relative-time.ts';

/** Unix seconds, as the contract has them, or ISO 8601. */
export type TimestampValue = number | string;

export function Timestamp({
  at,
  fallback = '–',
}: {
  readonly at: TimestampValue | null | undefined;
  /** What to show where there is none. */
  readonly fallback?: string;
}): ReactNode {
  const nowMs = useNowMs();
  if (at === null || at === undefined) return fallback;
  const date = toDate(at);
  return (
    <time dateTime={date.toISOString()} title={formatExact(date)} style={{ whiteSpace: 'nowrap' }}>
      {formatRelative(date, nowMs)}
    </time>
  );
}

/** On hover, in UTC and local. */
export const formatExact = (date: Date): string =>
  `${formatInZone(date, 'UTC')} UTC\n${formatInZone(date)} here`;

export const toDate = (at: TimestampValue): Date =>
  new Date(typeof at === 'number' ? at * 1000 : at);

/** `2026-01-31 12:00:05`, in UTC or in the zone of this browser. */
function formatInZone(date: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(date);
}
