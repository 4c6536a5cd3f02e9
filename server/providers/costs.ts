/**
 * What an attempt costs the operator: what the provider reports, or else what the rule of its
 * `costs` makes of the generation. Null is unknown, and never counts as nothing.
 */
import type { CostSource, Costs } from '@vidgen/contract/costs.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { microsAt, microsPerUnit, rateOf, roundedHalfUp } from '@vidgen/contract/price.ts';
import type { ReportedCost } from './provider.ts';

/** In millionths of the installation's currency. */
export type Cost = { readonly micros: number; readonly source: CostSource };

type Generated = {
  readonly generation: Generation;
  /** Of an edit, as it was priced. */
  readonly pricedSeconds: number | null;
  /** The currency of the installation. */
  readonly currency: string;
};

/** A larger amount is a misread field. */
const microsMax = 1_000_000 * microsPerUnit;

export function reportedCost(
  costs: Costs,
  reported: ReportedCost,
  { generation, currency }: Generated,
): Cost | null {
  const { currency: own = currency } = costs;
  if ('amount' in reported) {
    const { amount, currency: given = own } = reported;
    if (given !== own && given !== currency) return null;
    const micros = Math.round(amount * microsPerUnit);
    return costOf('reported', inCurrency(micros, { ...costs, currency: given }, currency));
  }
  const micros =
    'units' in reported ? unitsCost(costs, reported) : rateCost(costs, generation, reported);
  return costOf('reported', inCurrency(micros, costs, currency));
}

function unitsCost(
  { perMillionTokens, perComputeSecond, perUnit }: Costs,
  { units, unit }: Extract<ReportedCost, { units: number }>,
): number | null {
  const price = { token: perMillionTokens, computeSecond: perComputeSecond, unit: perUnit }[unit];
  if (units === 0) return 0;
  if (price === undefined) return null;
  return Math.round(units * price * (unit === 'token' ? 1 : microsPerUnit));
}

/** What the rate of the model makes of a generation that was delivered; null without a rate. */
export function ruleCost(costs: Costs, generated: Generated): Cost | null {
  const { generation, pricedSeconds, currency } = generated;
  const seconds = pricedSeconds ?? generation.duration;
  if (seconds <= 0) return null;
  const [inputSeconds] = generation.videoUrls.length === 1 ? [generation.inputSecondsMax] : [];
  return costOf(
    'rule',
    inCurrency(rateCost(costs, generation, { seconds, inputSeconds }), costs, currency),
  );
}

type Lengths = { readonly seconds: number; readonly inputSeconds?: number | undefined };

/** Null where input is billed and its length is not known. */
function rateCost(
  { models }: Costs,
  { model, resolution, generateAudio: hasSound, videoUrls }: Generation,
  { seconds, inputSeconds }: Lengths,
): number | null {
  const given = models?.[model]?.[resolution];
  if (!given) return null;
  const rate = rateOf(given);
  const hasVideo = videoUrls.length > 0;
  if (hasVideo && rate.perInputSecond > 0 && inputSeconds === undefined) return null;
  return microsAt(rate, { seconds, hasSound, inputSeconds: hasVideo ? (inputSeconds ?? 0) : null });
}

/**
 * What a provider bills, in the currency of the installation. Null if it bills in another one and
 * there is no rate, and for amounts that no operation costs.
 */
export function inCurrency(
  micros: number | null,
  { currency: own, rate }: Pick<Costs, 'currency' | 'rate'>,
  currency: string,
): number | null {
  const perUnit = (own ?? currency) === currency ? 1 : rate;
  if (micros === null || perUnit === undefined || !Number.isSafeInteger(micros)) return null;
  const product = BigInt(micros) * BigInt(Math.round(perUnit * microsPerUnit));
  const converted = Number(roundedHalfUp(product, BigInt(microsPerUnit)));
  return converted >= 0 && converted <= microsMax ? converted : null;
}

const costOf = (source: CostSource, micros: number | null): Cost | null =>
  micros === null ? null : { micros, source };
