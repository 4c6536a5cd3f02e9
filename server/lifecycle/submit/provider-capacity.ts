/**
 * How many more tasks a provider may get now: its health and its concurrency limit decide. A place
 * is a provider for a model, as providers can be busy with one model and not with another.
 */
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Job } from '../../queue/job.ts';
import type { Wait } from '../../queue/waiting.ts';
import type { Task } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';

/** A task that waits is woken when there is room; it looks by itself after this. */
const waitSecondsMax = 300;

type Place = { readonly provider: string; readonly model: ModelName };

/** As text for the queue. Neither name has a space or a comma. */
const placeName = ({ provider, model }: Place): string => `${provider} ${model}`;

export function parsePlace(name: string): Place {
  const [provider, model] = name.split(' ');
  return { provider: provider!, model: model as ModelName };
}

/** In the order of the places. The intent's transaction checks the limit again. */
export async function findRoom(
  { submits, providers }: Pick<LifecycleContext, 'submits' | 'providers'>,
  places: readonly Place[],
): Promise<number[]> {
  const admitted = places.map(({ provider, model }) => providers.admits(provider, model));
  const limits = places.map(({ provider }) => providers.limitsOf(provider).concurrency);
  const limited = places.filter((_, at) => admitted[at]! > 0 && limits[at] !== undefined);
  const taken =
    limited.length > 0
      ? await submits.countTasksAt(limited.map(({ provider }) => provider))
      : new Map<string, number>();
  return places.map(({ provider }, at) => {
    const free = (limits[at] ?? Number.POSITIVE_INFINITY) - (taken.get(provider) ?? 0);
    return Math.max(0, Math.min(admitted[at]!, free));
  });
}

/** As `findRoom`, for a job. Room that others wait for is theirs, unless it is the job's turn. */
export async function findRoomFor(
  lifecycle: Pick<LifecycleContext, 'submits' | 'providers' | 'waitedFor'>,
  { wasWaiting }: Pick<Job, 'wasWaiting'>,
  places: readonly Place[],
): Promise<number[]> {
  const room = await findRoom(lifecycle, places);
  if (wasWaiting) return room;
  return room.map((free, at) => (lifecycle.waitedFor.has(placeName(places[at]!)) ? 0 : free));
}

/** For `waitForPlaces`: `wake-waiting.ts` wakes the task when one of the providers has room. */
export function waitOf(
  { task, job }: { readonly task: Pick<Task, 'secondsLeft' | 'model'>; readonly job: Job },
  providers: readonly string[],
  { seconds = waitSecondsMax }: { readonly seconds?: number } = {},
): Wait {
  const secondsMax = Math.max(0.1, Math.min(seconds, task.secondsLeft));
  const places = providers.map((provider) => placeName({ provider, model: task.model }));
  return { job, places, secondsMax };
}
