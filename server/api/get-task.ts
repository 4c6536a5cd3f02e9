/** `GET /v1/tasks/:id`: the task as it is, or, with `?wait=`, as soon as its status has changed. */
import assert from 'node:assert/strict';
import { GetTaskQuery } from '@vidgen/contract/list-tasks.ts';
import { Refusal } from '../refusal.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import { statusAnswer } from '../tasks/view.ts';
import { checkedQuery } from './check-request.ts';
import type { Answer, Asked, Service } from './service.ts';

/** Spec 4.2: told, not enforced. */
const pollSeconds = 10;

export async function getTask(service: Service, asked: Asked): Promise<Answer> {
  const { wait = 0 } = checkedQuery(GetTaskQuery, asked.query);
  const found = await findOwnTask(service, asked);
  const task = wait === 0 ? found : await awaitChange(service, { asked, task: found, wait });
  return {
    body: statusAnswer(task, service.lifecycle.addressOf),
    headers: isFinal(task) ? {} : { 'retry-after': String(pollSeconds) },
  };
}

/** Another account's task is as unknown as one that does not exist (Spec 5.5). */
export async function findOwnTask(service: Service, asked: Asked): Promise<Task> {
  assert(asked.identity);
  const task = await service.tasks.find(asked.params.id!);
  if (task?.accountId === asked.identity.accountId) return task;
  throw new Refusal('not_found', 'There is no task with this id in your account.');
}

async function awaitChange(
  { tasks }: Service,
  { asked, task, wait }: { asked: Asked; task: Task; wait: number },
): Promise<Task> {
  return await tasks.findChanged(task, { waitMs: wait * 1000, gone: asked.gone() });
}
