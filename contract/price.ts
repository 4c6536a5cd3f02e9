/**
 * What a generation costs by the prices of its resolution, in whole credits: what is charged, and
 * what forms show before. Free of rounding errors, and of schemas, so that a browser loads little.
 */
import type { Rate as DeclaredRate } from './model-declaration.ts';

/** In credits, with every default filled in. */
export type Rate = {
  readonly perSecond: number;
  readonly perSecondSilent: number;
  /** With or without sound. */
  readonly perSecondWithVideo: number;
  readonly perInputSecond: number;
  readonly perTask: number;
};

/** Prices of one customer; a rate replaces the percentage for its model and resolution. */
export type CustomerPrices = {
  /** Of the list prices; null: 100. */
  readonly percent: number | null;
  readonly rates: Readonly<Record<string, Readonly<Record<string, DeclaredRate>>>> | null;
};

export function rateOf({
  perSecond = 0,
  perSecondSilent = perSecond,
  perSecondWithVideo = perSecond,
  perInputSecond = 0,
  perTask = 0,
}: DeclaredRate): Rate {
  return { perSecond, perSecondSilent, perSecondWithVideo, perInputSecond, perTask };
}

/** Rates have at most 4 decimals and lengths are in milliseconds, so the product is an integer. */
const unitsPerCredit = 10_000;
/** Money is counted in millionths, and rates of money have at most 6 decimals. */
export const microsPerUnit = 1_000_000;
const millisecondsPerSecond = 1000n;

const millisecondsOf = (seconds: number): bigint =>
  BigInt(Math.round(seconds * Number(millisecondsPerSecond)));

type Priced = {
  readonly seconds: number;
  readonly hasSound: boolean;
  /** Of reference videos; null without any. */
  readonly inputSeconds: number | null;
};

export function creditsAt(rate: Rate, priced: Priced): number {
  const whole = BigInt(unitsPerCredit) * millisecondsPerSecond;
  return Math.max(1, Number((amountAt(rate, priced, unitsPerCredit) + whole - 1n) / whole));
}

/** What a rate of money makes of a generation, in millionths, rounded half up. */
export const microsAt = (rate: Rate, priced: Priced): number =>
  Number(roundedHalfUp(amountAt(rate, priced, microsPerUnit), millisecondsPerSecond));

/** `value` of `percent`, which has at most 2 decimals; as exact as the rates of prices are. */
export function percentOf(value: number, percent: number): number {
  const product = BigInt(Math.round(value * unitsPerCredit)) * BigInt(Math.round(percent * 100));
  return Number(roundedHalfUp(product, 10_000n)) / unitsPerCredit;
}

export const roundedHalfUp = (value: bigint, divisor: bigint): bigint =>
  (2n * value + divisor) / (2n * divisor);

/** In thousandths of `1 / scale`. */
function amountAt(rate: Rate, { seconds, hasSound, inputSeconds }: Priced, scale: number): bigint {
  const unitsOf = (figure: number): bigint => BigInt(Math.round(figure * scale));
  const withoutVideo = hasSound ? rate.perSecond : rate.perSecondSilent;
  const perSecond = inputSeconds === null ? withoutVideo : rate.perSecondWithVideo;
  return (
    unitsOf(perSecond) * millisecondsOf(seconds) +
    unitsOf(rate.perInputSecond) * millisecondsOf(inputSeconds ?? 0) +
    unitsOf(rate.perTask) * millisecondsPerSecond
  );
}
