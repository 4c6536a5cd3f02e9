/**
 * The price of a generation in whole credits. Exact, not an estimate: the create response shows it
 * and it is charged (docs/spec.md 2.3). Pure and free of rounding errors.
 */
import assert from 'node:assert/strict';
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';
import { creditsAt, type Rate } from '@vidgen/contract/price.ts';
import type { Model } from './models.ts';

type PriceInputs = {
  /**
   * Of the videos, in their order; null where a length is unknown. Without it, all of them are.
   */
  readonly videoSeconds?: readonly (number | null)[];
};

/**
 * Editing is priced as if the output were as long as the longest source, and input as long as it is
 * measured. An unknown length counts as the longest that the model takes.
 */
export function priceOf(generation: Generation, model: Model, inputs: PriceInputs = {}): number {
  const seconds = pricedSeconds(generation, model, inputs) ?? generation.duration;
  const inputSeconds = inputSecondsOf(generation, model, inputs);
  return priceFor(generation, { model, seconds, inputSeconds });
}

/** The output that the price of an edit covers; null where the request names the duration. */
export function pricedSeconds(
  generation: Generation,
  model: Model,
  { videoSeconds = [null] }: PriceInputs = {},
): number | null {
  const source = editingSource(generation, model);
  if (!source) return null;
  // A length that rounds to 4 or 30 s is priced as 4 or 30 s.
  return Math.min(Math.max(longestSeconds(videoSeconds) ?? source.max, source.min), source.max);
}

/** The longest video that can be edited at all: no source costs more than was paid for it. */
const sourceSecondsMax = 30;

/** Whether a longer source would cost more than what was paid. */
export const isPricedBelowMaximum = (seconds: number): boolean => seconds < sourceSecondsMax;

/**
 * The longest video that a price by input covers; null where the input is not priced, or priced as
 * the longest.
 */
export function pricedInputSeconds(
  generation: Generation,
  model: Model,
  { videoSeconds = [null] }: PriceInputs,
): number | null {
  const rate = rateFor(generation, model);
  if (generation.videoUrls.length === 0 || rate.perInputSecond === 0) return null;
  return longestSeconds(videoSeconds);
}

/** The least that this create can cost, known before any material is probed. */
export function minimumPrice(generation: Generation, model: Model): number {
  const seconds = editingSource(generation, model)?.min ?? generation.duration;
  return priceFor(generation, { model, seconds, inputSeconds: 0 });
}

/** The longest source, or null if any length is unknown, since that one may be the longest. */
function longestSeconds(lengths: readonly (number | null)[]): number | null {
  let longest: number | null = null;
  for (const length of lengths) {
    if (length === null) return null;
    longest = Math.max(longest ?? 0, length);
  }
  return longest;
}

function inputSecondsOf(
  { videoUrls }: Generation,
  { limits }: Model,
  { videoSeconds }: PriceInputs,
): number {
  if (videoUrls.length === 0) return 0;
  const max = limits.reference.video.combinedSecondsMax;
  const known = videoSeconds ?? videoUrls.map(() => null);
  if (known.includes(null)) return max;
  return Math.min(
    max,
    known.reduce<number>((sum, seconds) => sum + seconds!, 0),
  );
}

function editingSource(generation: Generation, { name, limits: { editing } }: Model) {
  if (generation.duration !== editingDuration) return null;
  assert(editing, `${name} edits no videos`);
  return editing.sourceSeconds;
}

function rateFor({ resolution }: Generation, { name, rates }: Model): Rate {
  const rate = rates[resolution];
  assert(rate, `${name} has no price for ${resolution}`);
  return rate;
}

type PricedLengths = {
  readonly model: Model;
  readonly seconds: number;
  readonly inputSeconds: number;
};

function priceFor(generation: Generation, { model, seconds, inputSeconds }: PricedLengths): number {
  return creditsAt(rateFor(generation, model), {
    seconds,
    hasSound: generation.generateAudio,
    inputSeconds: generation.videoUrls.length > 0 ? inputSeconds : null,
  });
}
