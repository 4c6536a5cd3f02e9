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
const millisecondsPerSecond = 1000n;

const unitsOf = (credits: number): bigint => BigInt(Math.round(credits * unitsPerCredit));
const millisecondsOf = (seconds: number): bigint =>
  BigInt(Math.round(seconds * Number(millisecondsPerSecond)));

type Priced = {
  readonly seconds: number;
  readonly hasSound: boolean;
  /** Of reference videos; null without any. */
  readonly inputSeconds: number | null;
};

export function creditsAt(rate: Rate, { seconds, hasSound, inputSeconds }: Priced): number {
  const withoutVideo = hasSound ? rate.perSecond : rate.perSecondSilent;
  const perSecond = inputSeconds === null ? withoutVideo : rate.perSecondWithVideo;
  const units =
    unitsOf(perSecond) * millisecondsOf(seconds) +
    unitsOf(rate.perInputSecond) * millisecondsOf(inputSeconds ?? 0) +
    unitsOf(rate.perTask) * millisecondsPerSecond;
  const whole = BigInt(unitsPerCredit) * millisecondsPerSecond;
  return Math.max(1, Number((units + whole - 1n) / whole));
}
