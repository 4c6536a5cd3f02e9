/** Hooks that return the current time of the service and re-render at an interval. */
import { useEffect, useState } from 'react';
import { serviceNowMs } from '../api/service-clock.ts';

function useClock(tickMs: number): number {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  return serviceNowMs();
}

/** Is exact enough for times such as "5 minutes ago". */
export const useNowMs = (): number => useClock(15_000);
/** Ticks every second. */
export const useTickingNowMs = (): number => useClock(1000);

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
/** Beyond it, the date is shown instead. */
const relativeDaysMax = 14;
/** The tolerated difference between the clocks: a past time is never shown as future. */
const clockErrorSeconds = 2;
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Formats a time relative to now. */
export function formatRelative(date: Date, nowMs: number): string {
  const seconds = (date.getTime() - nowMs) / 1000;
  const distance = Math.abs(seconds);
  if (distance > relativeDaysMax * 86_400) {
    return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(date);
  }
  const [unit, length] = units.find(([, length]) => distance >= length) ?? [null, 1];
  if (unit === null) {
    if (seconds > clockErrorSeconds) return 'in a moment';
    return distance < 10 ? 'just now' : secondsAgo(distance);
  }
  return relativeFormat.format(Math.trunc(seconds / length), unit);
}

const secondsAgo = (distance: number): string => `${Math.floor(distance / 10) * 10} seconds ago`;
