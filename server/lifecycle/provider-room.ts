/**
 * How many more tasks a provider may get now: its health and its concurrency limit decide. A place
 * is a provider for a model, as providers can be busy with one model and not with another.
 */
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import type { Job } from '../queue/job.ts';
import { waitFor } from '../queue/waiting.ts';
import { countTasksAt } from '../tasks/find-attempts.ts';
import type { Task } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';

/** A task that waits is woken when there is room; it looks by itself after this. */
const waitSecondsMax = 300;

type Place = { readonly provider: string; readonly model: ModelName };

/** As text for the queue. Neither name has a space. */
const placeName = ({ provider, model }: Place): string => `${provider} ${model}`;

export function parsePlace(name: string): Place {
  const [provider, model] = name.split(' ');
  return { provider: provider!, model: model as ModelName };
}

/**
 * In the order of the places; infinite without a limit. The intent's transaction checks the limit
 * again.
 */
export async function findRoom(
  { db, providers }: Pick<LifecycleContext, 'db' | 'providers'>,
  places: readonly Place[],
): Promise<number[]> {
  const admitted = places.map(({ provider, model }) => providers.admits(provider, model));
  const limits = places.map(({ provider }) => providers.limitsOf(provider).concurrency);
  const limited = places.filter((_, at) => admitted[at]! > 0 && limits[at] !== undefined);
  const taken =
    limited.length > 0
      ? await countTasksAt(
          db,
          limited.map(({ provider }) => provider),
        )
      : new Map<string, number>();
  return places.map(({ provider }, at) => {
    const free = (limits[at] ?? Number.POSITIVE_INFINITY) - (taken.get(provider) ?? 0);
    return Math.max(0, Math.min(admitted[at]!, free));
  });
}

/** Leaves the task to `wake-waiting.ts`, until one of the providers has room. */
export async function waitForRoom(
  tx: Queryable,
  { task, job }: { readonly task: Pick<Task, 'secondsLeft' | 'model'>; readonly job: Job },
  providers: readonly string[],
): Promise<void> {
  const secondsMax = Math.max(0.1, Math.min(waitSecondsMax, task.secondsLeft));
  const places = providers.map((provider) => placeName({ provider, model: task.model }));
  await waitFor(tx, job, { places, secondsMax });
}
