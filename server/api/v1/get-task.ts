/**
 * Returns a task (docs/spec.md 4.2). `?wait=` waits until its status changes, `?until=final` until
 * it is final. Also how other endpoints read the task of their caller.
 */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { GetTaskQuery, type WaitEnd, waitSecondsMax } from '@vidgen/contract/list-tasks.ts';
import { TaskResponse } from '@vidgen/contract/task-status.ts';
import { linkSignals, startDeadline } from '../../process/clock.ts';
import { isFinal, type Task, type TaskState } from '../../tasks/task.ts';
import { taskStatusView } from '../../tasks/view.ts';
import { connectionsMax } from '../http/connection-limits.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { outageMsMax, retryInOutage } from '../http/outage.ts';
import { parseQuery } from '../http/parse-request.ts';
import { completedTask, failedTask, queuedTask } from '../http/samples.ts';
import { WaitingRequests } from '../http/waiting-requests.ts';
import { waitForTurn } from './wait-for-turn.ts';

/** docs/spec.md 4.2: a recommendation to clients, not enforced. */
const pollSeconds = 10;

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

const tooManyWait = (): ApiError =>
  new ApiError(
    'rate_limited',
    `Too many requests of this account wait (${waitingMax}); retry in ${pollSeconds} seconds.`,
    { retryAfter: pollSeconds },
  );

/** A key that is revoked meanwhile is rejected at once, and within 5 s if no notification comes. */
async function waitForChange(
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
  throw new ApiError('not_found', 'No task found with this ID.');
}

/** The share of the time that a request may wait for the rate limit; the rest is for the read. */
const turnShare = 0.8;

/**
 * Returns the task named by `:id`, for clients that start a new task when a status request fails
 * (ModelArk, OpenRouter): a task that this process knows is not answered with 408, 409 or 5xx, nor
 * with 429 while few requests of the key wait. Waits for its turn within the rate limit and for the
 * database, 25 s in all; then returns the task as this process last read it. For endpoints with
 * `clientsStartAgain`, whose rate limit this function enforces.
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
