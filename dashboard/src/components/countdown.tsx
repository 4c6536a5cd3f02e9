/** How long something can still be had, counted down to the second. */
import type { ReactNode } from 'react';
import { useSecondsMs } from './clock.ts';
import { duration } from './figures.tsx';
import { dateOf, exactly, type MomentValue } from './moment.tsx';

export function Countdown({
  until,
  over,
}: {
  readonly until: MomentValue;
  /** What to say once it is over. */
  readonly over: string;
}): ReactNode {
  const date = dateOf(until);
  const leftSeconds = Math.floor((date.getTime() - useSecondsMs()) / 1000);
  return (
    <time
      dateTime={date.toISOString()}
      title={exactly(date)}
      style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}
    >
      {leftSeconds > 0 ? duration(leftSeconds) : over}
    </time>
  );
}
