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
  const own = costs.currency ?? currency;
  if ('amount' in reported) {
    const given = reported.currency ?? own;
    const micros = Math.round(reported.amount * microsPerUnit);
    if (given === currency) return known(micros, 'reported');
    return given === own ? converted(micros, costs, { currency, source: 'reported' }) : null;
  }
  const micros = 'units' in reported ? unitsCost(costs, reported) : secondsCost();
  return micros === null ? null : converted(micros, costs, { currency, source: 'reported' });

  function secondsCost(): number | null {
    if (!('seconds' in reported)) return null;
    const { seconds, inputSeconds } = reported;
    return rateCost(costs, generation, { seconds, inputSeconds });
  }
}

function unitsCost(
  { perMillionTokens, perComputeSecond, perUnit }: Costs,
  { units, unit }: Extract<ReportedCost, { units: number }>,
): number | null {
  const price = { token: perMillionTokens, computeSecond: perComputeSecond, unit: perUnit }[unit];
  if (units === 0) return 0;
  if (price === undefined) return null;
  const product = units * price * microsPerUnit;
  return Math.round(unit === 'token' ? product / 1_000_000 : product);
}

/** What the rate of the model makes of a generation that was delivered; null without a rate. */
export function ruleCost(costs: Costs, generated: Generated): Cost | null {
  const { generation, pricedSeconds, currency } = generated;
  const seconds = pricedSeconds ?? generation.duration;
  const [inputSecondsMax] = generation.videoUrls.length === 1 ? [generation.inputSecondsMax] : [];
  const micros =
    seconds > 0 ? rateCost(costs, generation, { seconds, inputSeconds: inputSecondsMax }) : null;
  return micros === null ? null : converted(micros, costs, { currency, source: 'rule' });
}

type Lengths = { readonly seconds: number; readonly inputSeconds: number | undefined };

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

/** Null if the provider bills in another currency and there is no rate. */
function converted(
  micros: number,
  costs: Costs,
  { currency, source }: { readonly currency: string; readonly source: CostSource },
): Cost | null {
  if (costs.rate === undefined) {
    return (costs.currency ?? currency) === currency ? known(micros, source) : null;
  }
  const rate = BigInt(Math.round(costs.rate * microsPerUnit));
  if (!Number.isSafeInteger(micros)) return null;
  return known(Number(roundedHalfUp(BigInt(micros) * rate, BigInt(microsPerUnit))), source);
}

const known = (micros: number, source: CostSource): Cost | null =>
  Number.isSafeInteger(micros) && micros >= 0 && micros <= microsMax ? { micros, source } : null;
