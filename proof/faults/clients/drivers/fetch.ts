/** A script without a library: it creates, polls, and stops at the first error. */
import assert from 'node:assert/strict';
import { sleep } from '../../../../server/process/clock.ts';
import { type ClientDriver, type Intent, model, seconds } from '../driver.ts';

const pollMs = 50;

export const fetchDriver: ClientDriver = {
  name: 'fetch, repeated by its user',
  cutMethods: ['POST'],
  async create(intent) {
    const body = { model, input: { prompt: intent.prompt, duration: seconds, resolution: '480p' } };
    const { taskId } = await send(intent, '/v1/videos/generations', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'idempotency-key': intent.idempotencyKey },
    });
    await waitForTask(intent, String(taskId));
  },
};

/** Polls until the task has completed. */
export async function waitForTask(intent: Intent, taskId: string): Promise<void> {
  for (;;) {
    const { status } = await send(intent, `/v1/tasks/${taskId}`);
    if (status === 'completed') return;
    assert.notEqual(status, 'failed');
    await sleep(pollMs);
  }
}

async function send(
  { url, key }: Intent,
  path: string,
  init: RequestInit = {},
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: { ...headers, ...init.headers },
  });
  assert.equal(response.status, 200);
  return (await response.json()) as Record<string, unknown>;
}
