/**
 * The Tasks extension: `create_video` returns a task to clients that declared the extension. It is
 * our own task, stored before it is returned, so any process can be asked for it at any time.
 */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { requirePermission } from '../../../accounts/keys/authenticate.ts';
import { cancel } from '../../../lifecycle/cancel.ts';
import type { Task } from '../../../tasks/task.ts';
import { failureView, type ResultUrl, taskStatusView } from '../../../tasks/view.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';
import { cancelTask, findOwnTask, getTask } from '../../v1/tasks.ts';
import { toolResult } from './tools.ts';

const pollMs = 10_000;

/** Without the result of a final task: a create returns it. */
export function startedTask({
  id,
  createdAt,
  submittedAt,
  finishedAt,
}: Pick<Task, 'id' | 'createdAt'> & Partial<Task>) {
  return {
    taskId: id,
    status: 'working',
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: (finishedAt ?? submittedAt ?? createdAt).toISOString(),
    // A task is kept as the record of what was charged.
    ttlMs: null,
    pollIntervalMs: pollMs,
  };
}

function detailedTask(task: Task, resultUrl: ResultUrl): object {
  const { status } = task;
  const started = startedTask(task);
  if (status === 'completed') {
    const result = toolResult(taskStatusView(task, resultUrl));
    return { ...started, status: 'completed', result: { resultType: 'complete', ...result } };
  }
  if (status !== 'failed') return { ...started, statusMessage: status };
  const { reason, sentence: statusMessage } = failureView(task)!;
  if (reason === 'cancelled') return { ...started, status: 'cancelled', statusMessage };
  // `failed` is for errors of the protocol: a tool that failed has completed with an error.
  const structuredContent = taskStatusView(task, resultUrl);
  const content = [{ type: 'text', text: statusMessage }];
  const result = { resultType: 'complete', content, structuredContent, isError: true };
  return { ...started, status: 'completed', statusMessage, result };
}

type TaskRequest = readonly [services: ApiServices, request: ApiRequest, taskId: unknown];

export async function getMcpTask(...[services, request, taskId]: TaskRequest): Promise<object> {
  const own = authorized(request, { taskId, endpoint: getTask });
  return detailedTask(await findOwnTask(services, own), services.lifecycle.resultUrl);
}

/** No task asks for input, so there is nothing to update. */
export async function updateMcpTask(...[services, request, taskId]: TaskRequest): Promise<object> {
  await findOwnTask(services, authorized(request, { taskId, endpoint: getTask }));
  return {};
}

/** Acknowledged even if the provider cannot stop; the task then goes on, as is allowed. */
export async function cancelMcpTask(...[services, request, taskId]: TaskRequest): Promise<object> {
  const own = authorized(request, { taskId, endpoint: cancelTask });
  const found = await findOwnTask(services, own, { ofKeyMode: true });
  await cancel(services.lifecycle, found, own).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error;
  });
  return {};
}

function authorized(
  request: ApiRequest,
  { taskId, endpoint }: { readonly taskId: unknown; readonly endpoint: typeof getTask },
): ApiRequest {
  const { identity } = request;
  const { permission } = endpoint;
  assert(identity && permission);
  requirePermission(identity, permission);
  return { ...request, params: { id: String(taskId) } };
}
