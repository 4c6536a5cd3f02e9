/**
 * Workers by hand: what `worker.ts` does by its timers, done when a schedule says so. A stage goes
 * on beside others; who is not picked for longer than a lease is a worker that hung.
 */
import { type Stage, stages } from '../../../server/lifecycle/stages.ts';
import { deathsMax, type Job, LeaseLost } from '../../../server/queue/job.ts';
import { claim, goOn, promoteDue } from '../../../server/queue/queue.ts';
import { rescue } from '../../../server/queue/rescuer.ts';
import type { World } from './world.ts';

const jobsMax = 100;

/** Takes what is due and begins it; one that `dies` takes it, and that is the last of it. */
export async function work(
  world: World,
  { owner, dies = false }: { readonly owner: string; readonly dies?: boolean },
): Promise<void> {
  await promoteDue(world.db);
  for (const lane of ['work', 'looks', 'calls'] as const) {
    const share = {
      owner,
      lane,
      jobsMax,
      perAccountMax: jobsMax,
      perReceiverMax: jobsMax,
      suspectToo: true,
    };
    const jobs = await claim(world.db, share);
    const order = (job: Job) => world.tasks.findIndex(({ id }) => id === job.taskId);
    // Accounts have random ids, which decide the order of a claim: a schedule is to be repeatable.
    for (const job of dies ? [] : jobs.toSorted((one, other) => order(one) - order(other))) {
      world.begin(() => run(world, job));
    }
  }
}

/** As `Worker` does it. */
async function run({ lifecycle }: World, job: Job): Promise<void> {
  const stage: Stage = stages[job.kind];
  try {
    if (job.deaths >= deathsMax) await stage.giveUp(lifecycle, job);
    else await stage.run(lifecycle, job, new AbortController().signal);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const gaps = stage.retrySeconds;
    const delaySeconds = gaps[Math.min(job.attempts, gaps.length - 1)]!;
    const { message } = error as Error;
    await goOn(lifecycle.db, job, {
      kind: job.kind,
      delaySeconds,
      retry: true,
      error: message,
    }).catch((lost) => {
      if (!(lost instanceof LeaseLost)) throw lost;
    });
  }
}

export async function rescueAll(world: World): Promise<void> {
  world.deaths += await rescue(world.db);
  if (world.deaths < deathsMax) return;
  for (const { may } of world.money.tasks.values()) may.add('internal_error');
}
