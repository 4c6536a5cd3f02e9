/**
 * Workers without timers: a schedule decides when they claim and run jobs. A job that is not picked
 * for longer than its lease is a worker that hangs.
 */
import { type Stage, stages } from '../../../server/lifecycle/stages.ts';
import { claim, promoteDue } from '../../../server/queue/claim.ts';
import { crashCountMax, type Job, LeaseLost } from '../../../server/queue/job.ts';
import { reschedule } from '../../../server/queue/outcome.ts';
import { rescue } from '../../../server/queue/rescuer.ts';
import type { MoneySimulation } from './simulation.ts';

const jobsMax = 100;

/** Claims due jobs and starts them; a worker that `dies` only claims them. */
export async function work(
  simulation: MoneySimulation,
  { owner, dies = false }: { readonly owner: string; readonly dies?: boolean },
): Promise<void> {
  await promoteDue(simulation.db);
  for (const queue of ['default', 'polls', 'webhooks'] as const) {
    const claimOptions = {
      owner,
      queue,
      jobsMax,
      perAccountMax: jobsMax,
      perReceiverMax: jobsMax,
      includeIsolated: true,
    };
    const jobs = await claim(simulation.db, claimOptions);
    const order = (job: Job) => simulation.tasks.findIndex(({ id }) => id === job.taskId);
    // In the order of the tasks: claims sort by random account IDs, and a schedule must be
    // repeatable.
    for (const job of dies ? [] : jobs.toSorted((one, other) => order(one) - order(other))) {
      simulation.begin(() => run(simulation, job));
    }
  }
}

/** As `Worker` does. */
async function run({ lifecycle }: MoneySimulation, job: Job): Promise<void> {
  const stage: Stage = stages[job.kind];
  try {
    if (job.crashCount >= crashCountMax) await stage.onPoisoned(lifecycle, job);
    else await stage.run(lifecycle, job, new AbortController().signal);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const retryDelays = stage.retrySeconds;
    const delaySeconds = retryDelays[Math.min(job.attempts, retryDelays.length - 1)]!;
    const { message } = error as Error;
    await reschedule(lifecycle.db, job, {
      kind: job.kind,
      delaySeconds,
      retry: true,
      error: message,
    }).catch((lost) => {
      if (!(lost instanceof LeaseLost)) throw lost;
    });
  }
}

export async function rescueAll(simulation: MoneySimulation): Promise<void> {
  simulation.crashes += await rescue(simulation.db);
  if (simulation.crashes < crashCountMax) return;
  for (const { allowedEnds: may } of simulation.money.tasks.values()) may.add('internal_error');
}
