/**
 * The end of a soak run: waits until every task has ended and every result has expired, and
 * compares every task, webhook and balance with the plan.
 */
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import type { Findings } from '../fault-test.ts';
import { inspectTasks, taskStory } from '../findings.ts';
import type { CancelOutcome, SoakCustomers } from './customers.ts';
import type { SoakEnvironment } from './environment.ts';
import { Measurements } from './growth.ts';
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
    notesOf: (taskNumber) => [JSON.stringify(planOf(seed, taskNumber))],
    endsOf: (taskNumber) =>
      endsOf(planOf(seed, taskNumber).end, {
        cancel: customers.cancels.get(taskNumber),
        upstreamEnd: upstream.endOf(taskNumber),
      }),
  });
  const broken = [...findings.broken, ...(await lossViolations(env, customers)), ...left];
  return { ...findings, broken };
}

/** What the provider generated for a task that ended as cancelled is shown as a loss. */
async function lossViolations(
  { installation, options }: SoakEnvironment,
  customers: SoakCustomers,
): Promise<string[]> {
  const { admin, clients, upstream, completed } = installation;
  const violations: string[] = [];
  for (const taskNumber of customers.cancels.keys()) {
    if (completed.has(taskNumber) || upstream.endOf(taskNumber) !== 'succeeded') continue;
    const taskId = clients.acknowledged.get(taskNumber)!;
    const { body } = await admin.get(`/admin/tasks/${taskId}`);
    if ((body as AdminTaskDetail).attempts.some(({ loss }) => loss !== null)) continue;
    const notes = [JSON.stringify(planOf(options.seed, taskNumber))];
    violations.push(
      `${taskId} was generated for nothing, and shows no loss`,
      await taskStory(installation, { taskNumber, notes }),
    );
  }
  return violations;
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
 * The ends that a task may have. A cancel that was answered with 200 is binding, also while the
 * submit is under way: the provider may then generate what nobody pays for. After one without a
 * response, the task may have been cancelled or not. Otherwise the provider decides: what it
 * generated is charged, what was stopped there is refunded.
 */
function endsOf(
  end: 'completed' | 'failed' | 'cancelled',
  { cancel, upstreamEnd }: { cancel: CancelOutcome | undefined; upstreamEnd: string | undefined },
): readonly string[] {
  const completed = 'completed charged null';
  const failed = 'failed refunded provider_failed';
  const stopped = 'failed refunded cancelled';
  if (end === 'failed') return [failed];
  if (end === 'completed') return [completed];
  if (cancel === 'accepted') return [stopped];
  // Deleted at the provider before or after the service collected it.
  if (upstreamEnd === 'erased') return [stopped, failed, completed];
  if (upstreamEnd !== 'succeeded') return [stopped, failed];
  return cancel === 'unknown' ? [stopped, completed] : [completed];
}
