/** Returns a task (docs/spec.md 4.2). With `?wait=`, waits until its status changes. */
import assert from 'node:assert/strict';
import { GetTaskQuery } from '@vidgen/contract/list-tasks.ts';
import { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { ApiError } from '../../api-error.ts';
import { linkSignals } from '../../clock.ts';
import { isFinal, type Task } from '../../tasks/task.ts';
import { taskStatusView } from '../../tasks/view.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { parseQuery } from '../http/parse-request.ts';
import { completedTask, failedTask, queuedTask } from '../http/samples.ts';

/** docs/spec.md 4.2: a recommendation to clients, not enforced. */
const pollSeconds = 10;

export const getTask = endpoint({
  operationId: 'getTask',
  method: 'GET',
  path: '/v1/tasks/:id',
  summary: 'Get task status',
  description:
    'Poll no more than once every 10 seconds; a task in progress answers with `Retry-After: 10`. ' +
    'After `video_expires_at` the results are an empty list.',
  auth: 'key',
  permission: 'tasks:read',
  query: GetTaskQuery,
  responses: {
    200: {
      description: 'The task. `data` is there only when it has completed.',
      schema: TaskStatusResponse,
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
    const { wait = 0 } = parseQuery(GetTaskQuery, request.query);
    const found = await findOwnTask(services, request);
    const task = wait === 0 ? found : await waitForChange(services, request, { found, wait });
    return {
      body: taskStatusView(task, services.lifecycle.resultUrl),
      headers: isFinal(task) ? {} : { 'retry-after': String(pollSeconds), ...progressOf(task) },
    };
  },
});

const progressOf = ({ status, progress }: Task): Record<string, string> =>
  status === 'generating' && progress !== null ? { 'vidgen-progress': String(progress) } : {};

/** A key that is revoked meanwhile is rejected at once, and within 5 s if no notification comes. */
async function waitForChange(
  { tasks, keys, lifecycle: { db } }: ApiServices,
  request: ApiRequest,
  { found, wait }: { found: Task; wait: number },
): Promise<Task> {
  using watch = keys.watch(request.identity!);
  const recheck = () => request.reauthorize(db, { lock: false });
  using wake = linkSignals([request.abortSignal(), watch.signal]);
  const { signal } = wake;
  const task = await tasks.waitForChange(found, { waitMs: wait * 1000, signal, recheck });
  await recheck();
  return task;
}

/**
 * A task of another account is not found, like one that does not exist (docs/spec.md 5.5). Any key
 * of the account may read a task; `ofKeyMode` is for what only keys of its mode may do.
 */
export async function findOwnTask(
  services: ApiServices,
  request: ApiRequest,
  { ofKeyMode = false }: { readonly ofKeyMode?: boolean } = {},
): Promise<Task> {
  assert(request.identity);
  const { accountId, mode } = request.identity;
  const task = await services.tasks.find(request.params.id!);
  if (task?.accountId === accountId && (!ofKeyMode || task.mode === mode)) return task;
  throw new ApiError('not_found', 'There is no task with this id in your account.');
}
