/** `POST /v1/tasks/:id/cancel` (extension): free while nobody bills us for the task. */
import { cancel } from '../lifecycle/cancel.ts';
import { statusAnswer } from '../tasks/view.ts';
import { findOwnTask } from './get-task.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function cancelTask(service: Service, asked: Asked): Promise<Answer> {
  const task = await cancel(service.lifecycle, await findOwnTask(service, asked));
  return { body: statusAnswer(task, service.lifecycle.addressOf) };
}
