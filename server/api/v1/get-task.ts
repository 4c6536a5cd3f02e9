/** `GET /v1/tasks/:id`: the task as it is, or, with `?wait=`, as soon as its status has changed. */
import assert from 'node:assert/strict';
import { GetTaskQuery } from '@vidgen/contract/list-tasks.ts';
import { ApiError } from '../../api-error.ts';
import { isFinal, type Task } from '../../tasks/task.ts';
import { taskStatusView } from '../../tasks/view.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseQuery } from '../http/parse-request.ts';

/** Spec 4.2: told, not enforced. */
const pollSeconds = 10;

export async function getTask(services: ApiServices, request: ApiRequest): Promise<ApiResponse> {
  const { wait = 0 } = parseQuery(GetTaskQuery, request.query);
  const found = await findOwnTask(services, request);
  const task = wait === 0 ? found : await awaitChange(services, { request, task: found, wait });
  return {
    body: taskStatusView(task, services.lifecycle.resultUrl),
    headers: isFinal(task) ? {} : { 'retry-after': String(pollSeconds) },
  };
}

/** Another account's task is as unknown as one that does not exist (Spec 5.5). */
export async function findOwnTask(services: ApiServices, request: ApiRequest): Promise<Task> {
  assert(request.identity);
  const task = await services.tasks.find(request.params.id!);
  if (task?.accountId === request.identity.accountId) return task;
  throw new ApiError('not_found', 'There is no task with this id in your account.');
}

async function awaitChange(
  { tasks }: ApiServices,
  { request, task, wait }: { request: ApiRequest; task: Task; wait: number },
): Promise<Task> {
  return await tasks.waitForChange(task, { waitMs: wait * 1000, signal: request.abortSignal() });
}
