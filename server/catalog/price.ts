/**
 * The price of a generation in whole credits. Exact, not an estimate: the create response shows it
 * and it is charged (docs/spec.md 2.3). Pure and free of rounding errors.
 */
import assert from 'node:assert/strict';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Prices } from './catalog.ts';
import { editingDuration, models } from './models.ts';

type PriceInputs = {
  /** For video editing only: the longest source; null or absent if a length is unknown. */
  readonly longestVideoSeconds?: number | null;
};

/** Editing is priced as if the output were as long as the longest source, or 30 s if unknown. */
export function priceOf(generation: Generation, prices: Prices, inputs: PriceInputs = {}): number {
  const seconds = pricedSeconds(generation, inputs) ?? generation.duration;
  return priceFor(generation, { prices, seconds });
}

/** The output that the price of an edit covers; null where the request names the duration. */
export function pricedSeconds(
  generation: Generation,
  { longestVideoSeconds }: PriceInputs = {},
): number | null {
  const source = editingSource(generation);
  if (!source) return null;
  // A length that rounds to 4 or 30 s is priced as 4 or 30 s.
  return Math.min(Math.max(longestVideoSeconds ?? source.max, source.min), source.max);
}

/** Whether a longer source would cost more than what was paid. */
export const isPricedBelowMaximum = (generation: Generation, seconds: number): boolean =>
  seconds < (editingSource(generation)?.max ?? 0);

/** The least that this create can cost, known before any material is probed. */
export function minimumPrice(generation: Generation, prices: Prices): number {
  const seconds = editingSource(generation)?.min ?? generation.duration;
  return priceFor(generation, { prices, seconds });
}

/** The longest source, or null if any length is unknown, since that one may be the longest. */
export function longestSeconds(lengths: readonly (number | null)[]): number | null {
  let longest: number | null = null;
  for (const length of lengths) {
    if (length === null) return null;
    longest = Math.max(longest ?? 0, length);
  }
  return longest;
}

function editingSource(generation: Generation) {
  if (generation.duration !== editingDuration) return null;
  const { editing } = models[generation.model].limits;
  assert(editing, `${generation.model} edits no videos`);
  return editing.sourceSeconds;
}

/** Rates have at most 4 decimals and lengths are in milliseconds, so the product is an integer. */
const unitsPerCredit = 10_000n;
const millisecondsPerSecond = 1000n;

function priceFor(
  generation: Generation,
  { prices, seconds }: { readonly prices: Prices; readonly seconds: number },
): number {
  const rate = prices[generation.model][generation.resolution];
  assert(rate, `${generation.model} has no price for ${generation.resolution}`);
  const perSecond = generation.videoUrls.length > 0 ? rate.perSecondWithVideo : rate.perSecond;
  const units = BigInt(Math.round(perSecond * Number(unitsPerCredit)));
  const milliseconds = BigInt(Math.round(seconds * Number(millisecondsPerSecond)));
  const whole = unitsPerCredit * millisecondsPerSecond;
  const credits = Number((units * milliseconds + whole - 1n) / whole);
  return Math.max(1, credits);
}
