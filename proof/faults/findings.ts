/**
 * What must be true after a kill, asked of the service from the outside and compared with what the
 * clients, the provider and the receiver remember. Every breach is a sentence.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { monotonicMs, sleep } from '../../server/clock.ts';
import type { Client, HttpResponse } from '../kit/service.ts';
import { grantedCredits, type Installation } from './installation.ts';
import type { ServiceProcess } from './service-process.ts';
import { shouldFail } from './upstream.ts';

export type Findings = {
  readonly acknowledged: number;
  /** Acknowledged, and the service does not know them. */
  readonly lost: readonly string[];
  /** Paid for twice at the provider. */
  readonly doubled: readonly string[];
  readonly unfinished: readonly string[];
  /** Invariants of the audit, balances, calls, results: anything else that is not as it must be. */
  readonly broken: readonly string[];
};

export type TaskExpectation = {
  /** The numbers of the tasks to look at. */
  readonly taskNumbers: readonly number[];
  /** Whether their results are to be had, were meant to expire, or are not to be looked at. */
  readonly results: 'kept' | 'expired' | 'either';
};

const pollMs = 50;
/** Generous: a busy machine is no lost task. What is not final by then never will be. */
const finalMsMax = 120_000;
const taskCredits = 5;

/** Waits until everything is final and told, or too much time has passed. */
export async function waitForEnd(
  installation: Installation,
  { taskNumbers, results }: TaskExpectation,
): Promise<void> {
  const { clients, home } = installation;
  const fromMs = monotonicMs();
  const account = await installation.account();
  const isDone = async (): Promise<boolean> => {
    if (!taskNumbers.every((one) => clients.hasWebhook(one))) return false;
    const path = `/admin/accounts/${account.id}/deliveries?status=pending&limit=1`;
    const { status, body } = await installation.admin.get(path);
    if (status !== 200 || (body.items as unknown[]).length > 0) return false;
    const taskIds = taskNumbers.map((one) => clients.acknowledged.get(one)!);
    return results !== 'expired' || (await storedTasks(home, taskIds)).length === 0;
  };
  while (monotonicMs() - fromMs < finalMsMax && !(await isDone())) await sleep(pollMs);
}

/**
 * Everything that was acknowledged after the first so many, at its end; and these processes, which
 * were to stay.
 */
export async function inspectSince(
  installation: Installation,
  { since, staying }: { since: number; staying: readonly ServiceProcess[] },
): Promise<Findings> {
  const taskNumbers = [...installation.clients.acknowledged.keys()].slice(since);
  const expected = { taskNumbers, results: 'kept' } as const;
  await waitForEnd(installation, expected);
  const found = await inspectTasks(installation, expected);
  const ended = staying
    .filter(({ hasExited: isOver }) => isOver)
    .map((one) => `process ${one.pid} ended: ${one.output()}`);
  return { ...found, broken: [...found.broken, ...ended] };
}

export async function inspectTasks(
  installation: Installation,
  { taskNumbers, results }: TaskExpectation,
): Promise<Findings> {
  const { clients, upstream } = installation;
  const found = { lost: [] as string[], unfinished: [] as string[], broken: [] as string[] };
  const generations = upstream.generations();
  for (const taskNumber of taskNumbers) {
    const taskId = clients.acknowledged.get(taskNumber)!;
    const { status, body } = await installation.read(`/v1/tasks/${taskId}`);
    const task = body as unknown as TaskStatusResponse;
    if (status !== 200) found.lost.push(`${taskId}: ${status} ${JSON.stringify(body)}`);
    else if (task.status !== 'completed' && task.status !== 'failed') {
      found.unfinished.push(`${taskId} is ${task.status}`);
    } else {
      const generated = generations.get(taskNumber) ?? 0;
      found.broken.push(...taskViolations(task, { taskNumber, generated }));
      found.broken.push(...(await resultViolations(task, results)));
      found.broken.push(...(await strayFileViolations(installation, task)));
    }
  }
  found.broken.push(...webhookViolations(installation, taskNumbers));
  found.broken.push(...(await ledgerViolations(installation)), ...clients.rejections);
  const doubled = [
    ...taskNumbers.filter((one) => (generations.get(one) ?? 0) > 1).map((one) => `task ${one}`),
    ...upstream.doubledReferences(),
  ];
  return { acknowledged: taskNumbers.length, doubled, ...found };
}

/** It ended as its prompt meant it to, with the credits where they belong. */
function taskViolations(
  task: TaskStatusResponse,
  { taskNumber, generated }: { taskNumber: number; generated: number },
): string[] {
  const { id, status, billing_status: billing, failed_reason: reason } = task;
  const expected = shouldFail(taskNumber)
    ? 'failed refunded provider_failed'
    : 'completed charged null';
  const actual = `${status} ${billing} ${reason}`;
  return [
    ...(actual === expected ? [] : [`${id} ended as ${actual}, not ${expected}`]),
    ...(generated === 0 ? [`${id} is final, and the provider never had it`] : []),
  ];
}

async function resultViolations(
  task: TaskStatusResponse,
  expected: TaskExpectation['results'],
): Promise<string[]> {
  if (task.status !== 'completed' || expected === 'either') return [];
  const [url] = task.data?.results ?? [];
  if (expected === 'expired') return url ? [`${task.id} shows an expired result`] : [];
  const response = await fetch(url ?? '').catch((error: Error) => error);
  if (response instanceof Error) return [`the result of ${task.id}: ${response.message}`];
  const { byteLength } = await response.arrayBuffer();
  if (response.status === 200 && byteLength > 0) return [];
  return [`the result of ${task.id}: ${response.status}, ${byteLength} bytes`];
}

/** The folder holds what the table says: files of one attempt, and none of a failed task. */
async function strayFileViolations(
  { home }: Installation,
  task: TaskStatusResponse,
): Promise<string[]> {
  const folder = join(home, 'results', task.id);
  const attempts = await readdir(folder).catch(() => []);
  const attemptsMax = task.status === 'completed' ? 1 : 0;
  if (attempts.length <= attemptsMax) return [];
  return [`${task.id}, ${task.status}, has files of ${attempts.length} attempts`];
}

/** One call or more for each task; all of one task are the same message (Spec 6.1.3). */
function webhookViolations({ clients, receiver }: Installation, taskNumbers: readonly number[]) {
  const byTask = Map.groupBy(receiver.webhooks, ({ body }) => body.id);
  return taskNumbers.flatMap((taskNumber) => {
    const taskId = clients.acknowledged.get(taskNumber)!;
    const webhooks = byTask.get(taskId) ?? [];
    const messages = new Set(webhooks.map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`));
    if (messages.size === 1) return [];
    return [`${taskId} was called about with ${messages.size} different messages`];
  });
}

/** The audit, the balance, and no task that nobody asked for. */
async function ledgerViolations(installation: Installation): Promise<string[]> {
  const { admin, clients } = installation;
  const account = await installation.account();
  const audit = await getOk(admin, '/admin/audit');
  const { checks } = audit as unknown as AuditResponse;
  const broken = checks
    .filter(({ ok }) => !ok)
    .map(({ name, offenders }) => `${name}: ${offenders.join(', ')}`);
  const charged = [...clients.acknowledged.keys()].filter((one) => !shouldFail(one)).length;
  const body = await getOk(admin, `/admin/accounts/${account.id}`);
  const { available, reserved, suspended } = (
    body.balance as { live: { available: number; reserved: number; suspended: number } }
  ).live;
  const expected = `${grantedCredits - charged * taskCredits} 0 0`;
  const actual = `${available} ${reserved} ${suspended}`;
  if (actual !== expected)
    broken.push(`available, reserved, suspended: ${actual}, not ${expected}`);
  const page = await getOk(admin, `/admin/accounts/${account.id}/tasks?limit=100`);
  const known = new Set(clients.acknowledged.values());
  const unknownTasks = (page.items as { id: string }[]).filter(({ id }) => !known.has(id));
  return [...broken, ...unknownTasks.map(({ id }) => `${id} exists, and no client knows it`)];
}

/** What an operator reads; a refusal is trouble that must not be taken for an empty list. */
async function getOk(admin: Client, path: string): Promise<HttpResponse['body']> {
  const { status, body } = await admin.get(path);
  if (status === 200) return body;
  throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
}

/** The tasks whose files are still there. */
async function storedTasks(home: string, taskIds: readonly string[]): Promise<string[]> {
  const stored = new Set(await readdir(join(home, 'results')));
  return taskIds.filter((id) => stored.has(id));
}
