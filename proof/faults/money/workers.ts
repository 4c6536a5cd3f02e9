/**
 * Workers by hand: what `worker.ts` does by its timers, done when a schedule says so. A stage goes
 * on beside others; who is not picked for longer than a lease is a worker that hung.
 */
import { type Stage, stages } from '../../../server/lifecycle/stages.ts';
import { claim, promoteDue } from '../../../server/queue/claim.ts';
import { crashCountMax, type Job, LeaseLost } from '../../../server/queue/job.ts';
import { reschedule } from '../../../server/queue/outcome.ts';
import { rescue } from '../../../server/queue/rescuer.ts';
import type { MoneySimulation } from './simulation.ts';

const jobsMax = 100;

/** Takes what is due and begins it; one that `dies` takes it, and that is the last of it. */
export async function work(
  simulation: MoneySimulation,
  { owner, dies = false }: { readonly owner: string; readonly dies?: boolean },
): Promise<void> {
  await promoteDue(simulation.db);
  for (const queue of ['work', 'looks', 'calls'] as const) {
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
    // Accounts have random ids, which decide the order of a claim: a schedule is to be repeatable.
    for (const job of dies ? [] : jobs.toSorted((one, other) => order(one) - order(other))) {
      simulation.begin(() => run(simulation, job));
    }
  }
}

/** As `Worker` does it. */
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
