/** Formats the values of a soak run. */
import type { ValueUnit } from './growth-checks.ts';

const mebibyte = 1024 ** 2;

export function formatValue(value: number, unit: ValueUnit): string {
  if (unit === 'count') return formatNumber(value);
  if (value >= mebibyte) return `${formatNumber(value / mebibyte)} MB`;
  return value >= 1024 ? `${formatNumber(value / 1024)} KB` : `${formatNumber(value)} bytes`;
}

/** Two decimals below 10, none above 100. */
function formatNumber(value: number): string {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
