/** A relative time, with the exact time in UTC and in the local zone on hover. */
import type { ReactNode } from 'react';
import { formatRelative, useNowMs } from './clock.ts';

/** Unix seconds or ISO 8601. */
export type TimestampValue = number | string;

export function Timestamp(props: {
  readonly at: TimestampValue | null | undefined;
  /** Shown when there is no time. */
  readonly fallback?: string;
}): ReactNode {
  const { at, fallback = '–' } = props;
  const nowMs = useNowMs();
  if (at === null || at === undefined) return fallback;
  const date = toDate(at);
  return (
    <time dateTime={date.toISOString()} title={formatExact(date)} style={{ whiteSpace: 'nowrap' }}>
      {formatRelative(date, nowMs)}
    </time>
  );
}

/** Returns the time in UTC and in the local zone, on two lines. */
const formatExact = (date: Date): string =>
  `${formatInZone(date, 'UTC')} UTC\n${formatInZone(date)} local time`;

export const toDate = (at: TimestampValue): Date =>
  new Date(typeof at === 'number' ? at * 1000 : at);

/** Returns `2026-01-31 12:00:05`, in the local zone by default. */
function formatInZone(date: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(date);
}
