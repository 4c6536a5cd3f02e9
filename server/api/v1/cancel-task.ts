/** `POST /v1/tasks/:id/cancel` (extension): free while nobody bills us for the task. */
import { cancel } from '../../lifecycle/cancel.ts';
import { taskStatusView } from '../../tasks/view.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { findOwnTask } from './get-task.ts';

export async function cancelTask(services: ApiServices, request: ApiRequest): Promise<ApiResponse> {
  const task = await cancel(services.lifecycle, await findOwnTask(services, request));
  return { body: taskStatusView(task, services.lifecycle.resultUrl) };
}
