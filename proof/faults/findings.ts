/**
 * Inspects an installation after a fault: reads every acknowledged task from the outside and
 * compares it with what the clients, the provider and the receiver recorded.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { monotonicMs, sleep } from '../../server/process/clock.ts';
import { type Client, clientOf, type HttpResponse } from '../kit/service.ts';
import type { Findings } from './fault-test.ts';
import { grantedCredits, type Installation } from './installation.ts';
import type { ServiceProcess } from './service-process.ts';

export type TaskExpectation = {
  /** The tasks to inspect; by default all that were acknowledged. */
  readonly taskNumbers?: readonly number[];
  /** Whether results must be available (the default), must have expired, or are not checked. */
  readonly results?: 'kept' | 'expired' | 'either';
  /** The ends that a task may have, as `status billing_status failed_reason`. */
  readonly endsOf?: (taskNumber: number) => readonly string[];
  readonly accountOf?: (taskNumber: number) => number;
  /** Processes that must still be running. */
  readonly staying?: readonly ServiceProcess[];
};

const pollMs = 50;
/** Generous: a busy machine is no lost task. What is not final by then never will be. */
const finalMsMax = 120_000;
const readersMax = 8;
export const taskCredits = 5;

/** Waits until every task is final and its webhook has arrived, or two minutes have passed. */
export async function waitForEnd(
  installation: Installation,
  { taskNumbers, results }: TaskExpectation = {},
): Promise<void> {
  const { clients, home } = installation;
  const fromMs = monotonicMs();
  const account = await installation.account();
  const isDone = async (): Promise<boolean> => {
    const expected = taskNumbers ?? clients.taskNumbers();
    if (!expected.every((one) => clients.hasWebhook(one))) return false;
    const path = `/admin/accounts/${account.id}/deliveries?status=pending&limit=1`;
    const { status, body } = await installation.admin.get(path);
    if (status !== 200 || (body.items as unknown[]).length > 0) return false;
    if (results !== 'expired') return true;
    const stored = new Set(await readdir(join(home, 'results')));
    return !expected.some((one) => stored.has(clients.acknowledged.get(one)!));
  };
  while (monotonicMs() - fromMs < finalMsMax && !(await isDone())) await sleep(pollMs);
}

/** Inspects the tasks when they are final and their webhooks have arrived. */
export async function inspectEnd(
  installation: Installation,
  expectation: TaskExpectation = {},
): Promise<Findings> {
  await waitForEnd(installation, expectation);
  return await inspectTasks(installation, expectation);
}

/** Inspects the tasks, the balances and the webhooks as they are now. */
export async function inspectTasks(
  installation: Installation,
  expectation: TaskExpectation = {},
): Promise<Findings> {
  const { clients, upstream, completed } = installation;
  const { taskNumbers = clients.taskNumbers(), staying = [], accountOf = () => 0 } = expectation;
  const found = { lost: [] as string[], unfinished: [] as string[], broken: [] as string[] };
  const generations = upstream.generations();
  const inspect = async (taskNumber: number) => {
    const taskId = clients.acknowledged.get(taskNumber)!;
    const { key } = await installation.account(accountOf(taskNumber));
    const { status, body } = await clientOf(installation.url, key).get(`/v1/tasks/${taskId}`);
    const task = body as unknown as TaskStatusResponse;
    if (status !== 200) return found.lost.push(`${taskId}: ${status} ${JSON.stringify(body)}`);
    if (task.status !== 'completed' && task.status !== 'failed') {
      return found.unfinished.push(`${taskId} is ${task.status}`);
    }
    if (task.status === 'completed') completed.add(taskNumber);
    const ends = expectation.endsOf?.(taskNumber) ?? [plannedEnd(installation, taskNumber)];
    const generated = generations.get(taskNumber) ?? 0;
    const wrong = taskViolations(task, { ends, generated });
    if (wrong.length > 0) wrong.push(await taskStory(installation, taskNumber));
    return found.broken.push(
      ...wrong,
      ...(await resultViolations(task, expectation.results ?? 'kept')),
      ...(await strayFileViolations(installation, task)),
    );
  };
  const readers = Array.from({ length: readersMax }, async (_, first) => {
    for (let at = first; at < taskNumbers.length; at += readersMax) await inspect(taskNumbers[at]!);
  });
  await Promise.all(readers);
  found.broken.push(
    ...webhookViolations(installation, taskNumbers),
    ...(await ledgerViolations(installation, accountOf)),
    ...clients.rejections,
    ...staying
      .filter(({ hasExited }) => hasExited)
      .map((one) => `process ${one.pid} exited:\n${one.output()}`),
  );
  const doubled = [
    ...taskNumbers.filter((one) => (generations.get(one) ?? 0) > 1).map((one) => `task ${one}`),
    ...upstream.doubledReferences(),
  ];
  return { acknowledged: taskNumbers.length, doubled, ...found };
}

const plannedEnd = ({ upstream }: Installation, taskNumber: number): string =>
  upstream.planOf(taskNumber).fails ? 'failed refunded provider_failed' : 'completed charged null';

/** What the clients, the provider, the service and its log know of a task. */
async function taskStory(
  { clients, upstream, admin, logFile }: Installation,
  taskNumber: number,
): Promise<string> {
  const taskId = clients.acknowledged.get(taskNumber)!;
  const { body } = await admin.get(`/admin/tasks/${taskId}`);
  const log = await readFile(logFile, 'utf8').catch(() => '');
  return [
    `${taskId} is task ${taskNumber}, ${upstream.endOf(taskNumber)} at the provider`,
    JSON.stringify(body),
    ...log.split('\n').filter((line) => line.includes(taskId)),
  ].join('\n    ');
}

/** The task ended as planned, with its credits charged or refunded. */
function taskViolations(
  task: TaskStatusResponse,
  { ends, generated }: { ends: readonly string[]; generated: number },
): string[] {
  const { id, status, billing_status: billing, failed_reason: reason } = task;
  const actual = `${status} ${billing} ${reason}`;
  const isNeverGenerated = generated === 0 && reason !== 'cancelled';
  return [
    ...(ends.includes(actual) ? [] : [`${id} ended as ${actual}, not ${ends.join(' or ')}`]),
    ...(isNeverGenerated ? [`${id} is ${status}, but the provider never received it`] : []),
  ];
}

async function resultViolations(
  task: TaskStatusResponse,
  expected: NonNullable<TaskExpectation['results']>,
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

/** The results folder has the files of one attempt at most, and none of a failed task. */
async function strayFileViolations(
  { home }: Installation,
  task: TaskStatusResponse,
): Promise<string[]> {
  const attempts = await readdir(join(home, 'results', task.id)).catch(() => []);
  const attemptsMax = task.status === 'completed' ? 1 : 0;
  if (attempts.length <= attemptsMax) return [];
  return [`${task.id}, ${task.status}, has files of ${attempts.length} attempts`];
}

/**
 * Each task with a callback URL has one webhook message, sent at least once (docs/spec.md 6.1.3).
 */
function webhookViolations(
  { clients, receiver, upstream }: Installation,
  taskNumbers: readonly number[],
): string[] {
  const byTask = Map.groupBy(receiver.webhooks, ({ body }) => body.id);
  return taskNumbers.flatMap((taskNumber) => {
    const taskId = clients.acknowledged.get(taskNumber)!;
    const webhooks = byTask.get(taskId) ?? [];
    const messages = new Set(webhooks.map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`));
    const expected = upstream.planOf(taskNumber).isNotified ? 1 : 0;
    if (messages.size === expected) return [];
    return [`${taskId} has ${messages.size} different webhook messages, not ${expected}`];
  });
}

/** The invariants hold, the balances match, and no account has a task that no client created. */
async function ledgerViolations(
  installation: Installation,
  accountOf: (taskNumber: number) => number,
): Promise<string[]> {
  const { admin, clients, completed, accounts } = installation;
  const broken = await auditViolations(admin);
  const known = new Set(clients.acknowledged.values());
  for (const [at, { id }] of accounts.entries()) {
    const charged = [...completed].filter((one) => accountOf(one) === at).length;
    const { available, reserved, suspended } = await liveBalance(admin, id);
    const expected = `${grantedCredits - charged * taskCredits} 0 0`;
    const actual = `${available} ${reserved} ${suspended}`;
    if (actual !== expected) {
      broken.push(`available, reserved, suspended of ${id}: ${actual}, not ${expected}`);
    }
    const page = await getOk(admin, `/admin/accounts/${id}/tasks?limit=100`);
    const unknownTasks = (page.items as { id: string }[]).filter((task) => !known.has(task.id));
    broken.push(...unknownTasks.map((task) => `${task.id} exists, but no client created it`));
  }
  return broken;
}

type LiveBalance = { available: number; reserved: number; suspended: number };

export async function liveBalance(admin: Client, accountId: string): Promise<LiveBalance> {
  const { balance } = await getOk(admin, `/admin/accounts/${accountId}`);
  return (balance as { live: LiveBalance }).live;
}

/** Runs the invariant checks; one message per failing check. */
async function auditViolations(admin: Client): Promise<string[]> {
  return brokenChecks(await getOk(admin, '/admin/audit'));
}

/** The failing checks in the body of `GET /admin/audit`. */
export function brokenChecks(body: HttpResponse['body']): string[] {
  return (body as unknown as AuditResponse).checks
    .filter(({ ok }) => !ok)
    .map(({ name, offenders }) => `${name}: ${offenders.join(', ')}`);
}

/** Throws on an error response, which must not be taken for an empty list. */
async function getOk(admin: Client, path: string): Promise<HttpResponse['body']> {
  const { status, body } = await admin.get(path);
  if (status === 200) return body;
  throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
}

/** The log lines about expired leases: without a kill, no worker may lose one. */
export async function leaseViolations({ logFile }: Installation): Promise<string[]> {
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  return lines
    .filter((line) => /"jobs":\d+,"msg":"[^"]*(freed|rescued|dead|crashed)/.test(line))
    .map((line) => `a running worker lost its lease: ${line}`);
}
