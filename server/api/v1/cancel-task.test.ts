/** `POST /v1/tasks/:id/cancel` (extension): in every state, with and without permission. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf, createTask, startJourney } from '../../../proof/kit/journey.ts';
import type { Script } from '../../../proof/kit/scripted-provider.ts';

const released = Promise.withResolvers<void>();
const pending = { outcome: 'pending', pollAfterSeconds: 600 } as const;
const scripts: Readonly<Record<string, Script>> = {
  submitting: { start: [{ step: 'accepted', until: released.promise }], cancel: ['stopped'] },
  stoppable: { status: [pending], cancel: ['stopped'] },
  unstoppable: { status: [pending], cancel: ['running'] },
  mute: { status: [pending], cancel: ['throws'] },
  failed: { status: ['failed'] },
};
const journey = await startJourney({
  environment: { VIDGEN_RATE_STATUS: '0' },
  script: ({ generation }) => scripts[generation.prompt] ?? {},
});
after(async () => {
  released.resolve();
  await journey.close();
});

async function startTask(prompt: string, status: TaskStatusResponse['status']) {
  const { account, taskId: id, reach } = await createTask(journey.service, { input: { prompt } });
  await reach(status);
  return { account, id, path: `/v1/tasks/${id}/cancel` };
}

describe('cancels', () => {
  test('a task being submitted, at once', async () => {
    const { account, path } = await startTask('submitting', 'queued');
    await journey.provider.waitForCall('start');
    const cancelling = account.client.post(path);
    released.resolve();
    const { status, body } = await cancelling;
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(TaskStatusResponse.parse(body).failed_reason, 'cancelled');
  });

  test('a generating task whose provider stops: 200 with the task, refunded', async () => {
    const { account, path } = await startTask('stoppable', 'generating');
    const { status, headers, body } = await account.client.post(path);
    assert.equal(status, 200);
    const task = TaskStatusResponse.parse(body);
    assert.deepEqual(
      [task.status, task.failed_reason, task.billing_status],
      ['failed', 'cancelled', 'refunded'],
    );
    assert.equal(headers.get('retry-after'), null);
    const { live } = await balanceOf(journey.service, account.id);
    assert.deepEqual(live, { available: 100, reserved: 0, suspended: 0 });
  });

  test('once with many concurrent requests: the others get an error', async () => {
    const { account, path } = await startTask('stoppable', 'generating');
    const responses = await Promise.all(Array.from({ length: 8 }, () => account.client.post(path)));
    const done = responses.filter(({ status }) => status === 200);
    assert.equal(done.length, 1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      assertApiError(response, 'invalid_request');
    }
    const { live } = await balanceOf(journey.service, account.id);
    assert.deepEqual(live, { available: 100, reserved: 0, suspended: 0 });
    await journey.service.assertInvariants();
  });
});

describe('rejected: 400, and the task does not change', () => {
  const cases = [
    ['unstoppable', 'generating', /already generating at a provider that cannot stop it: wait/],
    ['mute', 'generating', /already generating at a provider that cannot stop it: wait/],
    ['failed', 'failed', /is already failed; only tasks in progress can be canceled\.$/],
    ['completed', 'completed', /is already completed; only tasks in progress can be canceled\.$/],
  ] as const;
  for (const [prompt, status, message] of cases) {
    test(prompt, async () => {
      const { account, id, path } = await startTask(prompt, status);
      const before = await account.client.task(id);
      assertApiError(await account.client.post(path), 'invalid_request', message);
      assert.deepEqual(await account.client.task(id), before);
    });
  }
});

test('a cancellation requires a key of the same mode with tasks:cancel', async () => {
  const { account, path } = await startTask('stoppable', 'generating');
  const reader = await account.otherClient({ permissions: ['tasks:read', 'videos:create'] });
  assertApiError(await reader.post(path), 'forbidden', /tasks:cancel/);
  const otherMode = await account.otherClient({ mode: 'test' });
  assertApiError(await otherMode.post(path), 'not_found');
  assert.equal((await otherMode.get(path.replace('/cancel', ''))).status, 200);
  const canceller = await account.otherClient({ permissions: ['tasks:cancel'] });
  assert.equal((await canceller.post(path)).status, 200);
});
