/**
 * Chooses the provider of a task: the first of its route that supports the request, has not been
 * asked yet, has room and is healthy; then one that was busy before. The task waits for all of them
 * when none has room.
 */
import type { Provider } from '../../providers/provider.ts';
import { takesImages } from '../../providers/registry.ts';
import type { Job } from '../../queue/job.ts';
import type { Attempt } from '../../tasks/attempts.ts';
import type { Task } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';
import type { ProviderChoice } from '../submit-decision.ts';
import { findRoomFor } from './provider-capacity.ts';

type ChoiceOptions = {
  readonly task: Task;
  readonly job: Job;
  readonly attempts: readonly Attempt[];
  /** Whether a provider that was busy may be chosen. */
  readonly allowRetry: boolean;
};

export async function chooseProvider(
  lifecycle: LifecycleContext,
  { task, job, attempts, allowRetry }: ChoiceOptions,
): Promise<ProviderChoice> {
  const { providers, submits } = lifecycle;
  const { mode, id: taskId, createdAt, model } = task;
  const demo = await submits.isDemoAccount(task.accountId);
  const route = providers.routeFor(model, { mode, taskId, demo, createdAt });
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
  const places = candidates.map(({ name: provider }) => ({ provider, model }));
  const room = await findRoomFor(lifecycle, job, places);
  const choosable = allowRetry ? candidates : untried;
  const available = choosable.find((_, at) => room[at]! > 0);
  if (available) return { choice: 'provider', provider: available };
  const names = candidates.map(({ name }) => name);
  return names.length === 0 ? { choice: 'none' } : { choice: 'wait', providers: names };
}
