/**
 * How many more tasks a provider may get now: its health and its concurrency limit decide. A
 * provider can be busy with one model and not with another. Tasks wait for capacity where there is
 * none, and are woken when there is.
 */

import { randomUUID } from 'node:crypto';
import type { ModelName } from '@vidgen/contract/models.ts';
import { monotonicMs } from '../../process/clock.ts';
import type { Provider } from '../../providers/provider.ts';
import { takesImages } from '../../providers/registry.ts';
import type { Job } from '../../queue/job.ts';
import { listCapacityWaits, type Wait, wake, wakeAll } from '../../queue/waiting.ts';
import type { Attempt } from '../../tasks/attempts.ts';
import type { Task } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';
import type { ProviderChoice } from '../submit-decision.ts';

/** A task that waits is woken when there is capacity; it looks by itself after this. */
const waitSecondsMax = 300;

type ProviderModel = { readonly provider: string; readonly model: ModelName };

/** As text for the queue. Neither name has a space or a comma. */
const capacityKey = ({ provider, model }: ProviderModel): string => `${provider} ${model}`;

function parseCapacityKey(name: string): ProviderModel {
  const [provider, model] = name.split(' ');
  return { provider: provider!, model: model as ModelName };
}

/** Returns how many tasks each may get. The intent's transaction checks the limit again. */
async function findCapacity(
  { submits, providers }: Pick<LifecycleContext, 'submits' | 'providers'>,
  models: readonly ProviderModel[],
): Promise<number[]> {
  const admitted = models.map(({ provider, model }) => providers.availableStarts(provider, model));
  const limits = models.map(({ provider }) => providers.limitsOf(provider).concurrency);
  const limited = models.filter((_, at) => admitted[at]! > 0 && limits[at] !== undefined);
  const taken =
    limited.length > 0
      ? await submits.countTasksAt(limited.map(({ provider }) => provider))
      : new Map<string, number>();
  return models.map(({ provider }, at) => {
    const free = (limits[at] ?? Number.POSITIVE_INFINITY) - (taken.get(provider) ?? 0);
    return Math.max(0, Math.min(admitted[at]!, free));
  });
}

/**
 * As `findCapacity`, for a job: what others wait for is theirs, unless it is the job's turn. What
 * was counted to wake it is not counted again: the intent's transaction does that.
 */
async function findCapacityFor(
  lifecycle: Pick<LifecycleContext, 'submits' | 'providers' | 'capacityWaits'>,
  { id, wasWaiting }: Pick<Job, 'id' | 'wasWaiting'>,
  models: readonly ProviderModel[],
): Promise<number[]> {
  const [only] = models;
  if (only && models.length === 1 && lifecycle.capacityWaits.isCountedFor(id, capacityKey(only))) {
    return [lifecycle.providers.availableStarts(only.provider, only.model)];
  }
  const capacity = await findCapacity(lifecycle, models);
  if (wasWaiting) return capacity;
  return capacity.map((free, at) =>
    lifecycle.capacityWaits.has(capacityKey(models[at]!)) ? 0 : free,
  );
}

/** For `waitForCapacity`: the waker wakes the task when one of the providers has capacity. */
export function waitOf(
  { task, job }: { readonly task: Pick<Task, 'secondsLeft' | 'model'>; readonly job: Job },
  providers: readonly string[],
  { seconds = waitSecondsMax }: { readonly seconds?: number } = {},
): Wait {
  const secondsMax = Math.max(0.1, Math.min(seconds, task.secondsLeft));
  const capacityKeys = providers.map((provider) => capacityKey({ provider, model: task.model }));
  return { job, capacityKeys, secondsMax };
}

/** Woken at once for the same keys, where they have no limit. */
const wokenMax = 250;

/** The returned function is to be called several times per second. */
export function createWaker(lifecycle: LifecycleContext): () => Promise<void> {
  const { db, providers, capacityWaits } = lifecycle;
  /** The account that was woken last, for each set of keys. */
  let lastAccountIds = new Map<string, string>();
  let routes = '';
  let rounds = 0;
  return async () => {
    const currentRoutes = JSON.stringify(
      providers.modelNames().map((model) => providers.routeNames(model)),
    );
    // Tasks that wait may now go elsewhere.
    if (currentRoutes !== routes) await wakeAll(db);
    routes = currentRoutes;
    const sets = await listCapacityWaits(db);
    const allKeys = [...new Set(sets.flat())];
    capacityWaits.replace(allKeys);
    if (sets.length === 0) return;
    const found = await findCapacity(lifecycle, allKeys.map(parseCapacityKey));
    // Jobs that were just woken have taken nothing yet.
    const capacity = new Map(
      allKeys.map((key, at) => [key, Math.max(0, found[at]! - capacityWaits.countTurns(key))]),
    );
    const reached = new Map<string, string>();
    // Sets that share a key take turns to be the first.
    const first = rounds++ % sets.length;
    for (const capacityKeys of [...sets.slice(first), ...sets.slice(0, first)]) {
      const setName = capacityKeys.join();
      const afterAccountId = lastAccountIds.get(setName) ?? randomUUID();
      reached.set(setName, afterAccountId);
      const free = capacityKeys.reduce((sum, key) => sum + capacity.get(key)!, 0);
      if (free <= 0) continue;
      const jobsMax = Math.min(free, wokenMax);
      const { woken, lastAccountId } = await wake(db, { capacityKeys, jobsMax, afterAccountId });
      capacityWaits.beginTurns(woken, capacityKeys);
      reserveCapacity(capacity, capacityKeys, woken.length);
      reached.set(setName, lastAccountId);
    }
    lastAccountIds = reached;
  };
}

/** The same capacity is not given to those who also wait for other keys. */
function reserveCapacity(
  capacity: Map<string, number>,
  capacityKeys: readonly string[],
  taken: number,
): void {
  let left = taken;
  for (const key of capacityKeys) {
    const used = Math.min(left, capacity.get(key)!);
    capacity.set(key, capacity.get(key)! - used);
    left -= used;
  }
}

type ChoiceOptions = {
  readonly task: Task;
  readonly job: Job;
  readonly attempts: readonly Attempt[];
  /** Whether a provider that was busy may be chosen. */
  readonly allowRetry: boolean;
  /**
   * How long to wait for starts of this process that keep the first provider from another: most end
   * sooner than a job can wait in the database and be woken.
   */
  readonly startWaitMs?: number;
};

export async function chooseProvider(
  lifecycle: LifecycleContext,
  { task, job, attempts, allowRetry, startWaitMs = 0 }: ChoiceOptions,
): Promise<ProviderChoice> {
  const { providers, submits, capacityWaits } = lifecycle;
  const { mode, id: taskId, createdAt, model, generation, pricedSeconds } = task;
  const demo = await submits.isDemoAccount(task.accountId);
  const route = providers.routeFor(model, {
    mode,
    taskId,
    demo,
    createdAt,
    generation,
    pricedSeconds,
  });
  const capable = route.filter(
    (provider) =>
      (provider.unsupportedReason?.(task.generation) ?? null) === null &&
      takesImages(provider, task.imageFormats),
  );
  const attemptsAt = ({ name }: Provider) => attempts.filter(({ provider }) => provider === name);
  const untried = capable.filter((provider) => attemptsAt(provider).length === 0);
  const wereBusy = capable.filter(
    (provider) =>
      attemptsAt(provider).length > 0 &&
      attemptsAt(provider).every(({ outcome }) => outcome === 'throttled'),
  );
  const candidates = [...untried, ...wereBusy];
  const models = candidates.map(({ name: provider }) => ({ provider, model }));
  const choosable = allowRetry ? candidates : untried;
  const untilMs = monotonicMs() + startWaitMs;
  for (;;) {
    const capacity = await findCapacityFor(lifecycle, job, models);
    const available = choosable.find((_, at) => capacity[at]! > 0);
    if (available) return { choice: 'provider', provider: available };
    const [first] = choosable;
    if (!first || (!job.wasWaiting && capacityWaits.has(capacityKey(models[0]!)))) break;
    if (!(await providers.waitForStart(first.name, model, untilMs - monotonicMs()))) break;
  }
  const names = candidates.map(({ name }) => name);
  return names.length === 0 ? { choice: 'none' } : { choice: 'wait', providers: names };
}
