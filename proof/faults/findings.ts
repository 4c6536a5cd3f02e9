/**
 * What must be true after a kill, asked of the service from the outside and compared with what the
 * clients, the provider and the receiver remember. Every breach is a sentence.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditAnswer } from '@vidgen/contract/admin-audit.ts';
import type { TaskStatusAnswer } from '@vidgen/contract/task-status.ts';
import { elapsedMs, sleep } from '../../server/clock.ts';
import type { Client, HttpAnswer } from '../kit/service.ts';
import { grantedCredits, type Installation } from './installation.ts';
import type { ServiceProcess } from './service-process.ts';
import { isMeantToFail } from './upstream.ts';

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

export type Expectation = {
  /** The numbers of the tasks to look at. */
  readonly taskNumbers: readonly number[];
  /** Whether their results are to be had, were meant to expire, or are not to be looked at. */
  readonly results: 'kept' | 'expired' | 'either';
};

const lookMs = 50;
/** Generous: a busy machine is no lost task. What is not final by then never will be. */
const finalMsMax = 120_000;
const taskCredits = 5;

/** Waits until everything is final and told, or too much time has passed. */
export async function waitForEnd(
  installation: Installation,
  { taskNumbers, results }: Expectation,
): Promise<void> {
  const { clients, home } = installation;
  const fromMs = elapsedMs();
  const account = await installation.account();
  const isDone = async (): Promise<boolean> => {
    if (!taskNumbers.every((one) => clients.isCalledAbout(one))) return false;
    const path = `/admin/accounts/${account.id}/deliveries?status=pending&limit=1`;
    const { status, body } = await installation.admin.get(path);
    if (status !== 200 || (body.items as unknown[]).length > 0) return false;
    const taskIds = taskNumbers.map((one) => clients.acknowledged.get(one)!);
    return results !== 'expired' || (await storedAmong(home, taskIds)).length === 0;
  };
  while (elapsedMs() - fromMs < finalMsMax && !(await isDone())) await sleep(lookMs);
}

/**
 * Everything that was acknowledged after the first so many, at its end; and these processes, which
 * were to stay.
 */
export async function lookSince(
  installation: Installation,
  { since, staying }: { since: number; staying: readonly ServiceProcess[] },
): Promise<Findings> {
  const taskNumbers = [...installation.clients.acknowledged.keys()].slice(since);
  const expected = { taskNumbers, results: 'kept' } as const;
  await waitForEnd(installation, expected);
  const found = await lookAt(installation, expected);
  const ended = staying
    .filter(({ isOver }) => isOver)
    .map((one) => `process ${one.pid} ended: ${one.said()}`);
  return { ...found, broken: [...found.broken, ...ended] };
}

export async function lookAt(
  installation: Installation,
  { taskNumbers, results }: Expectation,
): Promise<Findings> {
  const { clients, upstream } = installation;
  const found = { lost: [] as string[], unfinished: [] as string[], broken: [] as string[] };
  const generations = upstream.generations();
  for (const taskNumber of taskNumbers) {
    const taskId = clients.acknowledged.get(taskNumber)!;
    const { status, body } = await installation.read(`/v1/tasks/${taskId}`);
    const task = body as unknown as TaskStatusAnswer;
    if (status !== 200) found.lost.push(`${taskId}: ${status} ${JSON.stringify(body)}`);
    else if (task.status !== 'completed' && task.status !== 'failed') {
      found.unfinished.push(`${taskId} is ${task.status}`);
    } else {
      const generated = generations.get(taskNumber) ?? 0;
      found.broken.push(...endTroubles(task, { taskNumber, generated }));
      found.broken.push(...(await resultTroubles(task, results)));
      found.broken.push(...(await strayTroubles(installation, task)));
    }
  }
  found.broken.push(...callTroubles(installation, taskNumbers));
  found.broken.push(...(await bookTroubles(installation)), ...clients.refused);
  const doubled = [
    ...taskNumbers.filter((one) => (generations.get(one) ?? 0) > 1).map((one) => `task ${one}`),
    ...upstream.doubledReferences(),
  ];
  return { acknowledged: taskNumbers.length, doubled, ...found };
}

/** It ended as its prompt meant it to, with the credits where they belong. */
function endTroubles(
  task: TaskStatusAnswer,
  { taskNumber, generated }: { taskNumber: number; generated: number },
): string[] {
  const { id, status, billing_status: billing, failed_reason: reason } = task;
  const wanted = isMeantToFail(taskNumber)
    ? 'failed refunded provider_failed'
    : 'completed charged null';
  const got = `${status} ${billing} ${reason}`;
  return [
    ...(got === wanted ? [] : [`${id} ended as ${got}, not ${wanted}`]),
    ...(generated === 0 ? [`${id} is final, and the provider never had it`] : []),
  ];
}

async function resultTroubles(
  task: TaskStatusAnswer,
  wanted: Expectation['results'],
): Promise<string[]> {
  if (task.status !== 'completed' || wanted === 'either') return [];
  const [url] = task.data?.results ?? [];
  if (wanted === 'expired') return url ? [`${task.id} shows an expired result`] : [];
  const answer = await fetch(url ?? '').catch((error: Error) => error);
  if (answer instanceof Error) return [`the result of ${task.id}: ${answer.message}`];
  const { byteLength } = await answer.arrayBuffer();
  if (answer.status === 200 && byteLength > 0) return [];
  return [`the result of ${task.id}: ${answer.status}, ${byteLength} bytes`];
}

/** The folder holds what the table says: files of one attempt, and none of a failed task. */
async function strayTroubles({ home }: Installation, task: TaskStatusAnswer): Promise<string[]> {
  const folder = join(home, 'results', task.id);
  const attempts = await readdir(folder).catch(() => []);
  const attemptsMax = task.status === 'completed' ? 1 : 0;
  if (attempts.length <= attemptsMax) return [];
  return [`${task.id}, ${task.status}, has files of ${attempts.length} attempts`];
}

/** One call or more for each task; all of one task are the same message (Spec 6.1.3). */
function callTroubles({ clients, receiver }: Installation, taskNumbers: readonly number[]) {
  const byTask = Map.groupBy(receiver.calls, ({ body }) => body.id);
  return taskNumbers.flatMap((taskNumber) => {
    const taskId = clients.acknowledged.get(taskNumber)!;
    const calls = byTask.get(taskId) ?? [];
    const messages = new Set(calls.map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`));
    if (messages.size === 1) return [];
    return [`${taskId} was called about with ${messages.size} different messages`];
  });
}

/** The audit, the balance, and no task that nobody asked for. */
async function bookTroubles(installation: Installation): Promise<string[]> {
  const { admin, clients } = installation;
  const account = await installation.account();
  const audit = await told(admin, '/admin/audit');
  const { checks } = audit as unknown as AuditAnswer;
  const broken = checks
    .filter(({ ok }) => !ok)
    .map(({ name, offenders }) => `${name}: ${offenders.join(', ')}`);
  const charged = [...clients.acknowledged.keys()].filter((one) => !isMeantToFail(one)).length;
  const body = await told(admin, `/admin/accounts/${account.id}`);
  const { available, reserved, suspended } = (
    body.balance as { live: { available: number; reserved: number; suspended: number } }
  ).live;
  const wanted = `${grantedCredits - charged * taskCredits} 0 0`;
  const got = `${available} ${reserved} ${suspended}`;
  if (got !== wanted) broken.push(`available, reserved, suspended: ${got}, not ${wanted}`);
  const page = await told(admin, `/admin/accounts/${account.id}/tasks?limit=100`);
  const known = new Set(clients.acknowledged.values());
  const strangers = (page.items as { id: string }[]).filter(({ id }) => !known.has(id));
  return [...broken, ...strangers.map(({ id }) => `${id} exists, and no client knows it`)];
}

/** What an operator reads; a refusal is trouble that must not be taken for an empty list. */
async function told(admin: Client, path: string): Promise<HttpAnswer['body']> {
  const { status, body } = await admin.get(path);
  if (status === 200) return body;
  throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
}

/** The tasks whose files are still there. */
async function storedAmong(home: string, taskIds: readonly string[]): Promise<string[]> {
  const stored = new Set(await readdir(join(home, 'results')));
  return taskIds.filter((id) => stored.has(id));
}
