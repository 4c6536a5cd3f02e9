/** Figures of a soak run as people read them. */
import type { Unit } from './judgement.ts';

const mebibyte = 1024 ** 2;

export function shownValue(value: number, unit: Unit): string {
  if (unit === 'count') return figure(value);
  if (value >= mebibyte) return `${figure(value / mebibyte)} MB`;
  return value >= 1024 ? `${figure(value / 1024)} KB` : `${figure(value)} bytes`;
}

/** Two digits after the point below 10, none above 100. */
function figure(value: number): string {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
