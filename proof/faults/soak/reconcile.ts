/**
 * The end of a soak run: everything that was acknowledged comes to its end, is told and expires;
 * then every task, every call, every balance and the queue are held against what was planned.
 */
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { clientOf } from '../../kit/service.ts';
import type { Findings } from '../findings.ts';
import type { Acknowledged, SoakCustomers } from './customers.ts';
import { grantedCredits, type SoakEnvironment } from './environment.ts';
import { Measurements } from './measurements.ts';
import { sample } from './sampler.ts';

const pollMs = 1000;
/** Generous: a busy machine is no lost task. */
const endMsMax = 600_000;
const readersMax = 8;
const taskCredits = 5;

type ReconcileFindings = {
  readonly lost: string[];
  readonly unfinished: string[];
  readonly broken: string[];
  /** Completed tasks of each account, as the service says. */
  readonly completed: number[];
};

export async function reconcile(env: SoakEnvironment, customers: SoakCustomers): Promise<Findings> {
  const left = await waitUntilOver(env);
  env.provider.noteErased();
  const found: ReconcileFindings = {
    lost: [],
    unfinished: [],
    broken: [],
    completed: env.accounts.map(() => 0),
  };
  const tasks = [...customers.acknowledged.values()];
  const readers = Array.from({ length: readersMax }, async (_, first) => {
    for (let at = first; at < tasks.length; at += readersMax) {
      await inspectTasks(env, tasks[at]!, found);
    }
  });
  await Promise.all(readers);
  found.broken.push(
    ...left,
    ...webhookViolations(env, tasks),
    ...(await ledgerViolations(env, found, tasks)),
  );
  const doubled = [
    ...tasks
      .filter(({ plan }) => env.provider.generationsOf(plan.number) > 1)
      .map(({ plan, taskId }) => `task ${plan.number}, ${taskId}`),
    ...env.provider.doubledReferences(),
  ];
  const { lost, unfinished, broken } = found;
  return { acknowledged: tasks.length, lost, doubled, unfinished, broken };
}

/** Nothing in progress, no call due, no result kept: the queue is empty, and no lease is left. */
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

async function inspectTasks(
  { accounts, steadyUrl, provider }: SoakEnvironment,
  { plan, taskId, cancelled }: Acknowledged,
  found: ReconcileFindings,
): Promise<void> {
  const client = clientOf(steadyUrl, accounts[plan.account]!.key);
  const { status, body } = await client.get(`/v1/tasks/${taskId}`);
  const task = body as unknown as TaskStatusResponse;
  if (status !== 200) return void found.lost.push(`${taskId}: ${status} ${JSON.stringify(body)}`);
  if (task.status !== 'completed' && task.status !== 'failed') {
    return void found.unfinished.push(`${taskId} is ${task.status}`);
  }
  if (task.status === 'completed') found.completed[plan.account]! += 1;
  const actual = `${task.status} ${task.billing_status} ${task.failed_reason}`;
  const expected = endsOf(plan.end, { cancelled, upstream: provider.endOf(plan.number) });
  if (!expected.includes(actual)) {
    const about = `${taskId}, meant to be ${plan.end}, cancel answered: ${cancelled}`;
    found.broken.push(`${about}: ended as ${actual}, not ${expected.join(' or ')}`);
  }
  if (task.data && task.data.results.length > 0) {
    found.broken.push(`${taskId} shows a result that has expired`);
  }
  if (task.status === 'completed' && provider.generationsOf(plan.number) === 0) {
    found.broken.push(`${taskId} is completed, and the provider never had it`);
  }
}

/**
 * A cancel that was answered with yes binds. Otherwise the provider's word decides who pays: what
 * it made is charged, what was stopped there is refunded, whoever of us was first to hear of it.
 */
function endsOf(
  end: Acknowledged['plan']['end'],
  { cancelled, upstream }: { upstream: string | undefined } & Pick<Acknowledged, 'cancelled'>,
): readonly string[] {
  const stopped = 'failed refunded cancelled';
  if (end === 'failed') return ['failed refunded provider_failed'];
  if (end === 'completed' || upstream === 'succeeded') return ['completed charged null'];
  const lost = 'failed refunded provider_failed';
  // Erased before or after it was collected: nobody can tell from outside.
  if (upstream === 'erased') return [stopped, lost, 'completed charged null'];
  return cancelled === 'yes' ? [stopped] : [stopped, lost];
}

/** Everybody who asked for it was called, and always with the same message (Spec 6.1.3). */
function webhookViolations(
  { receivers }: SoakEnvironment,
  tasks: readonly Acknowledged[],
): string[] {
  return tasks.flatMap(({ plan, taskId }) => {
    const { webhooks, messages } = receivers.webhooksOf(taskId);
    if (plan.callback === null) {
      return webhooks === 0 ? [] : [`${taskId} was called about, and nobody asked for it`];
    }
    if (messages === 1) return [];
    return [`${taskId} was called about ${webhooks} times with ${messages} different messages`];
  });
}

async function ledgerViolations(
  { admin, accounts }: SoakEnvironment,
  { completed }: ReconcileFindings,
  tasks: readonly Acknowledged[],
): Promise<string[]> {
  const { body } = await admin.get('/admin/audit');
  const broken = (body as unknown as AuditResponse).checks
    .filter(({ ok }) => !ok)
    .map(({ name, offenders }) => `${name}: ${offenders.join(', ')}`);
  const known = new Set(tasks.map(({ taskId }) => taskId));
  for (const [at, { id }] of accounts.entries()) {
    const { body: account } = await admin.get(`/admin/accounts/${id}`);
    const { live } = account.balance as { live: Record<string, number> };
    const actual = `${live.available} ${live.reserved} ${live.suspended}`;
    const expected = `${grantedCredits - completed[at]! * taskCredits} 0 0`;
    if (actual !== expected) broken.push(`account ${id} has ${actual}, not ${expected}`);
    const { body: page } = await admin.get(`/admin/accounts/${id}/tasks?limit=100`);
    for (const task of page.items as { id: string }[]) {
      if (!known.has(task.id)) broken.push(`${task.id} exists, and no customer knows it`);
    }
  }
  return broken;
}
