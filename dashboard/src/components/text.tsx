/** Texts in the sizes that pages share, and formats of numbers, money, durations and times. */
import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatRelative, useNowMs } from './clock.ts';

type Props = TextProps & {
  readonly id?: string;
  readonly role?: string;
  readonly children: ReactNode;
};

export const Label = (props: Props) => <Text fz="sm" fw={500} {...props} />;
export const Note = (props: Props) => <Text fz="sm" c="dimmed" {...props} />;
export const SmallNote = (props: Props) => <Text fz="xs" c="dimmed" {...props} />;

/** Rates have four decimals. */
const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

export const formatNumber = (amount: number): string => numberFormat.format(amount);

/** Shows `12,840`, or `12,840 credits` with `unit`. */
export function Credits(
  props: TextProps & {
    readonly amount: number;
    readonly unit?: true;
    /** Shows a plus sign before positive amounts. */
    readonly signed?: true;
  },
) {
  const { amount, unit, signed, ...text } = props;
  const sign = amount < 0 ? '−' : signed && amount > 0 ? '+' : '';
  const name = Math.abs(amount) === 1 ? 'credit' : 'credits';
  return (
    <Text
      span
      inherit
      style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}
      {...text}
    >
      {sign}
      {formatNumber(Math.abs(amount))}
      {unit ? ` ${name}` : ''}
    </Text>
  );
}

const dayFormat = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** Returns `Oct 18` of `2026-10-18`. */
export const formatDay = (day: string): string => dayFormat.format(new Date(day));

/** Returns `4 s`, `1 min 20 s` or `2 h 5 min`; a dash where it is unknown. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 10 && !Number.isInteger(seconds)) return `${seconds.toFixed(1)} s`;
  const total = Math.round(seconds);
  if (total < 60) return `${total} s`;
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return joinUnits(minutes, 'min', total % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joinUnits(hours, 'h', minutes % 60, 'min');
  return joinUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

const joinUnits = (first: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${first} ${unit}` : `${first} ${unit} ${rest} ${restUnit}`;

const sizes = ['B', 'kB', 'MB', 'GB', 'TB'];

export function formatBytes(count: number): string {
  const step = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), sizes.length - 1);
  const value = count / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${sizes[step]}`;
}

export const formatPercent = (fraction: number): string =>
  new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }).format(fraction);

/** The percentage of those that completed or failed; a dash before any did. */
export const formatSuccessRate = (of: { readonly completed: number; readonly failed: number }) =>
  of.completed + of.failed === 0 ? '–' : formatPercent(of.completed / (of.completed + of.failed));

/** A model by its name, whose digits are no figures to compare. */
export const ModelName = ({ name }: { readonly name: string }) => (
  <span style={{ fontVariantNumeric: 'normal' }}>{name}</span>
);

/** Unix seconds or ISO 8601. */
export type TimestampValue = number | string;

export function Timestamp(props: {
  readonly at: TimestampValue | null | undefined;
  /** Shown when there is no time. */
  readonly fallback?: string;
}) {
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

const formats = new Map<string, Intl.NumberFormat>();

export function formatMoney(amount: number | null, currency: string): string {
  if (amount === null) return 'Unknown';
  const size = Math.abs(amount);
  const decimals = size === 0 || size >= 1 ? 2 : size >= 0.01 ? 4 : 6;
  const key = `${currency} ${decimals}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: decimals,
    });
  formats.set(key, format);
  return format.format(amount);
}
