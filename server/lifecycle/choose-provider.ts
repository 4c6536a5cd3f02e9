/**
 * Chooses the provider of a task: the first of its route that has not been asked yet, supports the
 * request, has room and is healthy. The task waits only when every remaining provider is busy
 * or unhealthy.
 */
import type { Provider } from '../providers/provider.ts';
import { takesImages } from '../providers/registry.ts';
import type { Attempt } from '../tasks/attempts.ts';
import type { Task } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';
import { findRoom } from './provider-room.ts';
import type { ProviderChoice } from './submit-decision.ts';

/** With `allowRetry`, once all were asked, those that were throttled may be asked again. */
export async function chooseProvider(
  lifecycle: LifecycleContext,
  task: Task,
  attempts: readonly Attempt[],
  { allowRetry }: { readonly allowRetry: boolean },
): Promise<ProviderChoice> {
  const { providers, submits } = lifecycle;
  const { mode, id: taskId, createdAt } = task;
  const demo = await submits.isDemoAccount(task.accountId);
  const route = providers.routeFor(task.model, { mode, taskId, demo, createdAt });
  const capable = route.filter(
    (provider) =>
      (provider.unsupportedReason?.(task.generation) ?? null) === null &&
      takesImages(provider, task.imageFormats),
  );
  const attemptsAt = ({ name }: Provider) => attempts.filter(({ provider }) => provider === name);
  const untried = capable.filter((provider) => attemptsAt(provider).length === 0);
  const previouslyThrottled = capable.filter((provider) =>
    attemptsAt(provider).every(({ outcome }) => outcome === 'throttled'),
  );
  const candidates = untried.length > 0 || !allowRetry ? untried : previouslyThrottled;
  const names = candidates.map(({ name }) => name);
  const { model } = task;
  const room = await findRoom(
    lifecycle,
    names.map((provider) => ({ provider, model })),
  );
  const available = candidates.find((_, at) => room[at]! > 0);
  if (available) return { choice: 'provider', provider: available };
  return names.length === 0 ? { choice: 'none' } : { choice: 'wait', providers: names };
}
