/**
 * Gives back jobs that this process cannot do because its configuration lacks the provider, as long
 * as a live process has it. Processes are configured one after the other, so a missing provider
 * alone is no reason to fail a task that is being generated and paid for.
 */
import { findLiveRoutes, isProviderLive, providerKey } from '../../processes/processes.ts';
import type { Job } from '../../queue/job.ts';
import { reschedule } from '../../queue/outcome.ts';
import type { Attempt } from '../../tasks/attempts.ts';
import type { Task } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';

/** Any worker may claim the job next, this one too, so it may be given back several times. */
const releaseSeconds = 1;
/** A worker with the provider has this long after the deadline to make the last poll. */
const graceSeconds = 60;
/** Two processes that can both not start a task pass it on ever more slowly, to its deadline. */
const releaseSecondsMax = 10;

type LeasedTask = { readonly task: Task; readonly job: Job };

/** Returns whether the job was given back; false if this process is to deal with the attempt. */
export async function releaseAttemptToOtherProcess(
  { db, providers, log }: LifecycleContext,
  { task, job }: LeasedTask,
  { provider, credential }: Pick<Attempt, 'provider' | 'credential'>,
): Promise<boolean> {
  if (providers.has(provider, credential) || task.secondsLeft < -graceSeconds) return false;
  if (!(await isProviderLive(db, providerKey(provider, credential)))) return false;
  log.debug({ taskId: task.id, provider }, 'job given back: provider not configured here');
  await reschedule(db, job, { kind: job.kind, delaySeconds: releaseSeconds, retry: false });
  return true;
}

/**
 * Returns whether a task that no provider of this process can start was given back, because another
 * process has a provider for it that was not tried yet, or that created nothing.
 */
export async function releaseStartToOtherProcess(
  { db, providers, log }: LifecycleContext,
  { task, job }: LeasedTask,
  attempts: readonly Attempt[],
): Promise<boolean> {
  if (task.mode === 'test') return false;
  const created = attempts.filter(({ outcome }) => outcome !== 'throttled');
  const tried = new Set(created.map(({ provider }) => provider));
  const own = new Set(providers.routeNames(task.model));
  const others = await findLiveRoutes(db, task.model);
  const isElsewhere = [...others].some((name) => !tried.has(name) && !own.has(name));
  if (!isElsewhere) return false;
  log.debug({ taskId: task.id }, 'job given back: no provider configured here');
  const delaySeconds = Math.min(releaseSecondsMax, releaseSeconds + job.attempts / 10);
  await reschedule(db, job, { kind: 'submit', delaySeconds, retry: true });
  return true;
}
