/**
 * The end of a soak run: waits until every task has ended and every result has expired, and
 * compares every task, webhook and balance with the plan.
 */
import { monotonicMs, sleep } from '../../../server/clock.ts';
import type { Findings } from '../fault-test.ts';
import { inspectTasks } from '../findings.ts';
import type { SoakCustomers } from './customers.ts';
import type { SoakEnvironment } from './environment.ts';
import { Measurements } from './measurements.ts';
import { sample } from './sampler.ts';
import { planOf } from './schedule.ts';

const pollMs = 1000;
/** Generous: a busy machine is no lost task. */
const endMsMax = 600_000;

export async function reconcile(env: SoakEnvironment, customers: SoakCustomers): Promise<Findings> {
  const left = await waitUntilOver(env);
  const { seed } = env.options;
  const { upstream } = env.installation;
  const findings = await inspectTasks(env.installation, {
    results: 'expired',
    accountOf: (taskNumber) => planOf(seed, taskNumber).account,
    endsOf: (taskNumber) =>
      endsOf(planOf(seed, taskNumber).end, {
        isCancelled: customers.cancelled.has(taskNumber),
        upstreamEnd: upstream.endOf(taskNumber),
      }),
  });
  return { ...findings, broken: [...findings.broken, ...left] };
}

/** Waits until no job, no pending webhook and no result is left; returns what is left at last. */
async function waitUntilOver(env: SoakEnvironment): Promise<string[]> {
  const fromMs = monotonicMs();
  for (;;) {
    const now = new Measurements();
    await sample(env, now);
    const names = ['jobs ready', 'jobs running', 'jobs scheduled', 'deliveries pending'];
    const left = names.filter((name) => now.last(name) !== 0);
    if (now.last('results bytes') > 0) left.push('results bytes');
    if (left.length === 0) return [];
    if (monotonicMs() - fromMs > endMsMax) {
      return left.map((name) => `at the end there are still ${name}: ${now.last(name)}`);
    }
    await sleep(pollMs);
  }
}

/**
 * The ends that a task may have. An accepted cancel is binding. Otherwise the provider decides:
 * what it generated is charged, what was stopped there is refunded.
 */
function endsOf(
  end: 'completed' | 'failed' | 'cancelled',
  { isCancelled, upstreamEnd }: { isCancelled: boolean; upstreamEnd: string | undefined },
): readonly string[] {
  const completed = 'completed charged null';
  const failed = 'failed refunded provider_failed';
  const stopped = 'failed refunded cancelled';
  if (end === 'failed') return [failed];
  if (end === 'completed' || upstreamEnd === 'succeeded') return [completed];
  // Deleted at the provider before or after the service collected it.
  if (upstreamEnd === 'erased') return [stopped, failed, completed];
  return isCancelled ? [stopped] : [stopped, failed];
}
