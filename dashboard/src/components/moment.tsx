/** A moment as a person says it, with the exact time, in UTC and local, on hover. */
import type { ReactNode } from 'react';
import { useNowMs } from './clock.ts';
import { relative } from './relative-time.ts';

/** Unix seconds, as the contract has them, or ISO 8601. */
export type MomentValue = number | string;

export function Moment({
  at,
  absent = '–',
}: {
  readonly at: MomentValue | null | undefined;
  /** What to show where there is none. */
  readonly absent?: string;
}): ReactNode {
  const nowMs = useNowMs();
  if (at === null || at === undefined) return absent;
  const date = dateOf(at);
  return (
    <time dateTime={date.toISOString()} title={exactly(date)} style={{ whiteSpace: 'nowrap' }}>
      {relative(date, nowMs)}
    </time>
  );
}

/** On hover, in UTC and local. */
export const exactly = (date: Date): string => `${inZone(date, 'UTC')} UTC\n${inZone(date)} here`;

export const dateOf = (at: MomentValue): Date => new Date(typeof at === 'number' ? at * 1000 : at);

/** `2026-01-31 12:00:05`, in UTC or in the zone of this browser. */
export function inZone(date: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(date);
}
