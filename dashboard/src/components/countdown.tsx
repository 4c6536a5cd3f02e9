/** The time left until a timestamp, updated every second. */
import type { ReactNode } from 'react';
import { useTickingNowMs } from './clock.ts';
import { formatDuration } from './format.tsx';
import { formatExact, type TimestampValue, toDate } from './timestamp.tsx';

export function Countdown({
  until,
  expiredText,
}: {
  readonly until: TimestampValue;
  /** Shown after the timestamp has passed. */
  readonly expiredText: string;
}): ReactNode {
  const date = toDate(until);
  const remainingSeconds = Math.floor((date.getTime() - useTickingNowMs()) / 1000);
  return (
    <time
      dateTime={date.toISOString()}
      title={formatExact(date)}
      style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}
    >
      {remainingSeconds > 0 ? formatDuration(remainingSeconds) : expiredText}
    </time>
  );
}
