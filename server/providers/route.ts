/** The steps of a route, and the order in which their providers are tried for one task. */
import { createHash } from 'node:crypto';
import type { Costs } from '@vidgen/contract/costs.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { microsPerUnit } from '@vidgen/contract/price.ts';
import { ruleCost } from './costs.ts';

/** A provider, several that share the tasks by weight, or several from the cheapest on. */
export type RouteStep = string | readonly WeightedProvider[] | CheapestOf;
type WeightedProvider = { readonly provider: string; readonly weight: number };
type CheapestOf = { readonly cheapest: readonly string[] };

const isCheapest = (step: RouteStep): step is CheapestOf =>
  typeof step === 'object' && 'cheapest' in step;

export const namesIn = (step: RouteStep): readonly string[] => {
  if (typeof step === 'string') return [step];
  return isCheapest(step) ? step.cheapest : step.map(({ provider }) => provider);
};
/** What decides which provider of a step is first for a task; null if there is only one. */
export const orderedBy = (step: RouteStep): 'weight' | 'cost' | null =>
  namesIn(step).length === 1 ? null : isCheapest(step) ? 'cost' : 'weight';
export const namesOf = (steps: readonly RouteStep[]): string[] => steps.flatMap(namesIn);

/** Removes the providers that are not configured for the model. */
export function servingOnly(
  step: RouteStep,
  servesModel: (name: string) => boolean,
): readonly RouteStep[] {
  if (typeof step === 'string') return servesModel(step) ? [step] : [];
  if (isCheapest(step)) {
    const cheapest = step.cheapest.filter(servesModel);
    return cheapest.length > 0 ? [{ cheapest }] : [];
  }
  const serving = step.filter(({ provider }) => servesModel(provider));
  return serving.length > 0 ? [serving] : [];
}

export type RoutedTask = {
  /** Absent for a task that is not there yet. */
  readonly taskId?: string;
  readonly generation?: Generation;
  readonly pricedSeconds?: number | null;
};

export type CostsOf = {
  readonly costsOf: (provider: string) => Costs | undefined;
  readonly currency: string;
};

/** The provider names of a step, in the order of preference. */
export function orderOf(step: RouteStep, task: RoutedTask, costs: CostsOf): string[] {
  if (typeof step === 'string') return [step];
  if (!isCheapest(step)) return byWeight(step, task.taskId ?? '');
  return costed(step, task, costs).map(({ provider }) => provider);
}

/** From the cheapest on; those with an unknown cost come last, in the order of the route. */
function costed({ cheapest }: CheapestOf, task: RoutedTask, { costsOf, currency }: CostsOf) {
  const { generation, pricedSeconds = null } = task;
  return cheapest
    .map((provider) => {
      const costs = costsOf(provider);
      const cost = costs && generation && ruleCost(costs, { generation, pricedSeconds, currency });
      return { provider, micros: cost ? cost.micros : Number.POSITIVE_INFINITY };
    })
    .toSorted((one, other) => (one.micros < other.micros ? -1 : Number(one.micros > other.micros)));
}

/** Why a provider is where it is in its step; null if costs do not decide that. */
export function costReason(
  steps: readonly RouteStep[],
  { provider, ...task }: RoutedTask & { readonly provider: string },
  costs: CostsOf,
): string | null {
  const step = steps.find((one) => namesIn(one).includes(provider));
  if (!step || !isCheapest(step)) return null;
  const known = costed(step, task, costs).map(({ provider: name, micros }) => {
    const amount = Number.isFinite(micros)
      ? `${micros / microsPerUnit} ${costs.currency}`
      : 'unknown';
    return `${name} ${amount}`;
  });
  return `by cost: ${known.join(', ')}`;
}

/**
 * Each gets a score from the task id and its weight: over many tasks each comes first in proportion
 * to its weight, and removing one does not change the order of the others.
 */
function byWeight(step: readonly WeightedProvider[], taskId: string): string[] {
  const scored = step.map(({ provider, weight }) => {
    const digest = createHash('sha256').update(`${provider} ${taskId}`).digest();
    const chance = (digest.readUInt32LE(0) + 1) / (2 ** 32 + 1);
    return { provider, score: -Math.log(chance) / weight };
  });
  return scored.toSorted((one, other) => one.score - other.score).map(({ provider }) => provider);
}
