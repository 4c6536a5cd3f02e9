/** `GET /v1/tasks/:id`: the task as it is, or, with `?wait=`, as soon as its status has changed. */
import assert from 'node:assert/strict';
import { Refusal } from '../refusal.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import { statusAnswer } from '../tasks/view.ts';
import type { Answer, Asked, Service } from './service.ts';

/** Spec 4.2: told, not enforced. */
const pollSeconds = 10;
const waitSecondsMax = 60;

export async function getTask(service: Service, asked: Asked): Promise<Answer> {
  const waitSeconds = waitOf(asked);
  const found = await findOwnTask(service, asked);
  const task =
    waitSeconds === 0
      ? found
      : await service.tasks.findChanged(found, { waitMs: waitSeconds * 1000, gone: asked.gone });
  return {
    body: statusAnswer(task, service.lifecycle.addressOf),
    headers: isFinal(task) ? {} : { 'retry-after': String(pollSeconds) },
  };
}

/** Another account's task is as unknown as one that does not exist (Spec 5.5). */
export async function findOwnTask(service: Service, asked: Asked): Promise<Task> {
  assert(asked.identity);
  const task = await service.tasks.find(asked.params.id ?? '');
  if (task?.accountId === asked.identity.accountId) return task;
  throw new Refusal('not_found', 'There is no task with this id in your account.');
}

function waitOf({ query: { wait } }: Asked): number {
  if (wait === undefined) return 0;
  if (typeof wait === 'string' && /^\d{1,2}$/.test(wait) && Number(wait) <= waitSecondsMax) {
    return Number(wait);
  }
  throw new Refusal('invalid_request', `wait must be whole seconds, 0 to ${waitSecondsMax}`);
}
