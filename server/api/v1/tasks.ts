/** Tasks of an API key: read and wait, list, cancel, delete. */
import assert from 'node:assert/strict';
import { ApiError, notFound, rateLimited } from '@vidgen/contract/api-error.ts';
import {
  GetTaskQuery,
  ListTasksQuery,
  ListTasksResponse,
  type WaitEnd,
  waitSecondsMax,
} from '@vidgen/contract/list-tasks.ts';
import { TaskResponse } from '@vidgen/contract/task-status.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Transaction } from '../../database/database.ts';
import { invalidCursor, type Page, pageOf } from '../../database/page.ts';
import { cancel } from '../../lifecycle/cancel.ts';
import { eraseTask } from '../../lifecycle/upkeep/erase.ts';
import { findTaskPage } from '../../lifecycle/upkeep/search-tasks.ts';
import { linkSignals, sleep, startDeadline } from '../../process/clock.ts';
import { isFinal, type Task, type TaskState } from '../../tasks/task.ts';
import { isTaskId } from '../../tasks/task-id.ts';
import * as taskList from '../../tasks/task-list.ts';
import { taskStatusView } from '../../tasks/view.ts';
import { connectionsMax } from '../http/connections.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { enforceRateLimit } from '../http/enforce-rate-limit.ts';
import { outageMsMax, retryInOutage } from '../http/error-response.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { readInSlot } from '../http/page-slots.ts';
import { parseQuery } from '../http/parse-request.ts';
import { WaitingRequests } from '../http/request-deadline.ts';
import { cancelledTask, completedTask, failedTask, queuedTask } from '../http/samples.ts';

/** docs/spec.md 4.2: a recommendation to clients, not enforced. */
const pollSeconds = 10;

/**
 * Returns a task (docs/spec.md 4.2). `?wait=` waits until its status changes, `?until=final` until
 * it is final. Also how other endpoints read the task of their caller.
 */
export const getTask = endpoint({
  parsesItself: true,
  operationId: 'getTask',
  method: 'GET',
  path: '/v1/tasks/:id',
  summary: 'Get task status',
  description:
    'Poll at most every 10 seconds, or let the service wait with `?until=final`. The response ' +
    'for a task in progress has the header `Retry-After: 10`. After `video_expires_at`, ' +
    '`results` is an empty list.',
  auth: 'key',
  permission: 'tasks:read',
  query: GetTaskQuery,
  secondsMax: waitSecondsMax + 30,
  responses: {
    200: {
      description: 'The task. `data` is present only when it has completed.',
      schema: TaskResponse,
      headers: ['Retry-After', 'vidgen-progress'],
      examples: {
        queued: ['In progress', queuedTask],
        completed: ['Completed', completedTask],
        failed: ['Failed, and refunded', failedTask],
      },
    },
  },
  errors: { invalid_request: 'wait must be at most 60 (got "300")' },
  async handler(services, request) {
    const query = hasNames(request.query) ? parseQuery(GetTaskQuery, request.query) : {};
    const { until = 'change', wait = until === 'final' ? waitSecondsMax : 0 } = query;
    const state = await services.tasks.findState(request.params.id!);
    const found = ownTask(request, { task: state });
    const task =
      wait === 0 ? found : await waitForChange(services, request, { found, wait, until });
    return {
      body: taskStatusView(task, services.lifecycle.resultUrl),
      headers: isFinal(task) ? {} : { 'retry-after': String(pollSeconds), ...progressOf(task) },
    };
  },
});

function hasNames(query: ApiRequest['query']): boolean {
  for (const _name in query) return true;
  return false;
}

const progressOf = ({ status, progress }: TaskState): Record<string, string> =>
  status === 'generating' && progress !== null ? { 'vidgen-progress': String(progress) } : {};

/** Of an account at once: each holds a connection. */
const waitingMax = Math.floor(connectionsMax / 4);
const waiting = new WaitingRequests();

const tooManyWait = () =>
  rateLimited(`Too many requests of this account wait (${waitingMax})`, pollSeconds);

/** A key that is revoked meanwhile is rejected at once, and within 5 s if no notification comes. */
export async function waitForChange(
  { tasks, keys, lifecycle: { db } }: ApiServices,
  request: ApiRequest,
  { found, wait, until }: { found: TaskState; wait: number; until: WaitEnd },
): Promise<TaskState> {
  using started = waiting.start(request.identity!.accountId, waitingMax);
  if (!started) throw tooManyWait();
  using watch = keys.watch(request.identity!);
  const recheck = () => request.reauthorize(db, { lock: false });
  using wake = linkSignals([request.abortSignal(), watch.signal]);
  const { signal } = wake;
  const task = await tasks.waitForChange(found, { waitMs: wait * 1000, until, signal, recheck });
  await recheck();
  return ownTask(request, { task });
}

/**
 * A task of another account is not found, like one that does not exist (docs/spec.md 5.5). Any key
 * of the account may read a task; `ofKeyMode` is for what only keys of its mode may do.
 */
export async function findOwnTask(
  services: ApiServices,
  request: ApiRequest,
  options: { readonly ofKeyMode?: boolean } = {},
): Promise<Task> {
  const task = await services.tasks.find(request.params.id!);
  return ownTask(request, { ...options, task });
}

function ownTask<Found extends TaskState>(
  { identity }: ApiRequest,
  { task, ofKeyMode = false }: { readonly task: Found | null; readonly ofKeyMode?: boolean },
): Found {
  assert(identity);
  const isOwn = task?.accountId === identity.accountId;
  if (task && isOwn && (!ofKeyMode || task.mode === identity.mode)) return task;
  throw notFound('No task found with this ID.');
}

/** The share of the time that a request may wait for the rate limit; the rest is for the read. */
const turnShare = 0.8;

/**
 * Returns the task named by `:id`, for clients that start a new task when a status request fails
 * (ModelArk, OpenRouter): a task that this process knows is not answered with 408, 409 or 5xx, nor
 * with 429 while few requests of the key wait. Waits for its turn within the rate limit and for the
 * database, 25 s in all; then returns the task as this process last read it. For endpoints with
 * `clientsRetryByCreating`, whose rate limit this function enforces.
 */
export async function readKnownTask(
  services: ApiServices,
  request: ApiRequest,
  { waitMs = outageMsMax }: { readonly waitMs?: number } = {},
): Promise<Task> {
  assert(request.identity);
  const id = request.params.id!;
  const { identity } = request;
  using watch = services.keys.watch(identity);
  using deadline = startDeadline(waitMs, [request.abortSignal(), watch.signal]);
  await waitForTurn(services, request, { waitMs: waitMs * turnShare, signal: deadline.signal });
  // A key that was revoked meanwhile is rejected.
  const read = async () => {
    await request.reauthorize(services.lifecycle.db, { lock: false });
    return services.tasks.remember(await findOwnTask(services, request));
  };
  const readLastKnown = async (error: unknown) => {
    if (error instanceof ApiError) throw error;
    if (watch.signal.aborted) await request.reauthorize(services.lifecycle.db, { lock: false });
    const known = services.tasks.lastKnown(id);
    if (known?.accountId === identity.accountId) return known;
    throw error;
  };
  return await retryInOutage(read, deadline).catch(readLastKnown);
}

/** Requests of a key that wait for their turn at once. */
const turnsMax = 32;
const turns = new WaitingRequests();

/**
 * Lets a status request wait within the rate limit of its key, for clients that start a new task
 * when they get 429. Counts the request when its turn comes; if it does not come in time, the
 * request goes on without being counted. Throws `rate_limited` if it may not wait.
 */
async function waitForTurn(
  services: ApiServices,
  request: ApiRequest,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const { identity, setHeaders, onCounted } = request;
  assert(identity);
  const counting = { identity, setHeaders, onCounted };
  const denied = await deniedBy(enforceRateLimit(services, 'status', counting));
  if (!denied) return;
  const { keyId } = identity;
  using turn = turns.start(keyId, turnsMax);
  if (!turn || !services.statusLimiter.consume(`waiting ${keyId}`).allowed) throw denied;
  using deadline = startDeadline(waitMs, [signal]);
  if (!(await isOwnTask(services, request))) throw denied;
  for (let error: ApiError | null = denied; error && !deadline.signal.aborted; ) {
    await sleep((error.details.retryAfter ?? 1) * 1000, deadline.signal);
    if (!deadline.signal.aborted)
      error = await deniedBy(enforceRateLimit(services, 'status', counting));
  }
}

const deniedBy = (counted: Promise<void>): Promise<ApiError | null> =>
  counted.then(
    () => null,
    (error) => {
      if (error instanceof ApiError) return error;
      throw error;
    },
  );

/** A task that this process does not know may be the caller's while the database is away. */
async function isOwnTask(
  { tasks }: ApiServices,
  { identity, params }: ApiRequest,
): Promise<boolean> {
  const id = params.id!;
  const task = tasks.lastKnown(id) ?? (await tasks.findState(id).catch(() => undefined));
  return task === undefined || task?.accountId === identity!.accountId;
}

export const filterSeconds = (at: Date | undefined): number | undefined =>
  at === undefined ? undefined : at.getTime() / 1000;

async function taskPage(
  { lifecycle }: ApiServices,
  filter: taskList.TaskFilter,
): Promise<Page<Task>> {
  if (filter.beforeId !== undefined && !isTaskId(filter.beforeId)) throw invalidCursor();
  const { accountId, status, model, metadata, limit } = filter;
  if ((status ?? model ?? metadata) !== undefined) {
    return await readInSlot({ accountId }, () => findTaskPage(lifecycle.db, filter));
  }
  // An index serves all others, without a transaction. One more shows that there is a next page.
  return pageOf(await taskList.listTasks(lifecycle.db, { ...filter, limit: limit + 1 }), limit);
}

export const listTasks = endpoint({
  parsesItself: true,
  operationId: 'listTasks',
  method: 'GET',
  path: '/v1/tasks',
  summary: 'List tasks',
  description: 'Returns the tasks of the account in the mode of the key, newest first.',
  auth: 'key',
  permission: 'tasks:read',
  extension: true,
  query: ListTasksQuery,
  responses: {
    200: jsonResponse('A page of tasks.', ListTasksResponse, {
      page: ['The last page', { items: [queuedTask, completedTask], next_cursor: null }],
    }),
  },
  errors: {
    invalid_request: 'status must be one of queued, generating, completed, failed (got "done")',
  },
  async handler(services, { query, identity }) {
    assert(identity);
    const { created_after, created_before, cursor, ...filter } = parseQuery(ListTasksQuery, query);
    const page = await taskPage(services, {
      ...filter,
      accountId: identity.accountId,
      mode: identity.mode,
      createdAfter: filterSeconds(created_after),
      createdBefore: filterSeconds(created_before),
      beforeId: cursor,
    });
    const items = page.items.map((task) => taskStatusView(task, services.lifecycle.resultUrl));
    return { body: { items, next_cursor: page.nextCursor } };
  },
});

export const cancelTask = endpoint({
  operationId: 'cancelTask',
  method: 'POST',
  path: '/v1/tasks/:id/cancel',
  summary: 'Cancel a task',
  description:
    'A queued task is cancelled at once, a generating task when its provider confirms that it ' +
    'has stopped. The task has then failed with the reason `cancelled`, and is refunded. A key ' +
    'cancels tasks of its own mode.',
  auth: 'key',
  permission: 'tasks:cancel',
  extension: true,
  responses: {
    200: jsonResponse('The cancelled task.', TaskResponse, {
      cancelled: ['Cancelled', cancelledTask],
    }),
  },
  errors: {
    invalid_request:
      'The task is already generating at a provider that cannot stop it: wait until it has ' +
      'completed or failed.',
  },
  async handler(services, request) {
    // A test key must not stop what live credits pay for.
    const found = await findOwnTask(services, request, { ofKeyMode: true });
    const task = await cancel(services.lifecycle, found, request);
    return { body: taskStatusView(task, services.lifecycle.resultUrl) };
  },
});

const deleteTask = endpoint({
  operationId: 'deleteTask',
  method: 'DELETE',
  path: '/v1/tasks/:id',
  summary: 'Delete a task',
  description:
    'Deletes a completed or failed task with its prompt, inputs, metadata, results and webhook. ' +
    'It is `not_found` from then on, and its signed URLs no longer work. Credits and usage do ' +
    'not change. A key deletes tasks of its own mode.',
  auth: 'key',
  permission: 'tasks:delete',
  extension: true,
  responses: { 204: { description: 'The task is deleted.' } },
  errors: {
    invalid_request:
      'The task task_01kbwq3n7he9rv5t2m8xz4c6da is generating; cancel it, or wait until it has ' +
      'completed or failed.',
  },
  async handler(services, request) {
    // A test key must not delete what live credits paid for.
    const task = await findOwnTask(services, request, { ofKeyMode: true });
    await deleteFor(services, request, task);
    return { status: 204 };
  },
});

/** Deletes a task for the caller, and notes it in the audit log. */
export async function deleteFor(
  { lifecycle }: ApiServices,
  { actor, reauthorize }: ApiRequest,
  task: Task,
): Promise<void> {
  const { id: subject, accountId, mode } = task;
  const writeAudit = (tx: Transaction) => {
    const detail = { account: accountId, mode };
    return recordAudit(tx, { actor, action: 'task.delete', subject, detail, accountId });
  };
  await eraseTask(lifecycle, task, { reauthorize, writeAudit });
}

export const taskEndpoints = [getTask, listTasks, cancelTask, deleteTask];
