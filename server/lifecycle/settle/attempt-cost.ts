/**
 * The cost of an attempt when it ends, for the commit that ends it. Never throws: a cost that
 * cannot be found out is unknown, and settles like any other.
 */
import { type Cost, reportedCost, ruleCost } from '../../providers/costs.ts';
import { isPreview } from '../../providers/preview/preview.ts';
import type { ReportedCost } from '../../providers/provider.ts';
import type { Attempt, AttemptOutcome } from '../../tasks/attempts.ts';
import type { Task } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';

type EndedAttempt = {
  readonly task: Pick<Task, 'id' | 'generation' | 'pricedSeconds'>;
  readonly attempt: Attempt | null;
  readonly outcome: AttemptOutcome;
  readonly reported?: ReportedCost | undefined;
  /** The provider confirmed that it neither continues nor bills. */
  readonly isStopped?: boolean;
};

const nothing: Cost = { micros: 0, source: 'rule' };

/** Returns null where it is unknown. */
export function attemptCost(lifecycle: LifecycleContext, ended: EndedAttempt): Cost | null {
  try {
    return findCost(lifecycle, ended);
  } catch (error) {
    lifecycle.log.error({ taskId: ended.task.id, error }, 'cost not found out');
    return null;
  }
}

function findCost(
  { providers, settings: { currency } }: LifecycleContext,
  { task, attempt, outcome, reported, isStopped = false }: EndedAttempt,
): Cost | null {
  if (!attempt) return null;
  const { costs = {} } = providers.limitsOf(attempt.provider);
  // The preview runs on this machine: no vendor bills it.
  const isOurs = isPreview(attempt.provider);
  const isUnsent = attempt.operation === null && !attempt.startUncertain;
  if (isStopped || isOurs || isUnsent) return nothing;
  const { generation, pricedSeconds } = task;
  const generated = { generation, pricedSeconds, currency };
  const cost = reported && reportedCost(costs, reported, generated);
  if (cost) return cost;
  // What the provider says and nothing here can price is unknown, not free.
  if (outcome === 'failed' && costs.failed === 'free' && !reported) return nothing;
  const isBilled = outcome === 'completed' || costs.failed === 'billed';
  return isBilled ? ruleCost(costs, generated) : null;
}
