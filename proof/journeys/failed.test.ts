/** Failed, rejected, timed out and cancelled tasks are refunded and announced. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import { balanceOf, createTask, startJourney, useJourney } from '../kit/journey.ts';
import { waitUntil } from '../kit/wait-until.ts';

const full = { available: 100, reserved: 0, suspended: 0 };

const { service, receiver } = await useJourney({
  script: ({ generation }) => {
    const outcome = generation.prompt as 'failed' | 'rejected' | 'material' | 'vanished';
    return { status: ['pending', outcome] };
  },
});

describe('a generation that does not succeed', () => {
  const cases = [
    ['failed', 'provider_failed'],
    ['rejected', 'provider_rejected'],
    ['material', 'material_unavailable'],
    ['vanished', 'provider_failed'],
  ] as const;
  for (const [prompt, reason] of cases) {
    test(`${prompt} at the provider: ${reason}, refunded, announced`, async () => {
      const request = { callback_url: receiver.url, input: { prompt } };
      const { account, final } = await createTask(service, request);
      const task = await final();
      assert.equal(task.status, 'failed');
      assert.equal(task.failed_reason, reason);
      assert.equal(task.billing_status, 'refunded');
      assert.deepEqual((await balanceOf(service, account.id)).live, full);
      const webhook = await waitUntil(() =>
        receiver.webhooks.find(({ body }) => body.id === task.id),
      );
      assert.deepEqual(FailurePayload.parse(webhook.body).data, {
        failed_reason: reason,
        credits_refunded: 5,
      });
      await service.assertInvariants();
    });
  }
});

describe('the deadline', () => {
  test('a task that never ends times out, is refunded, and is recorded as a loss', async () => {
    await using journey = await startJourney({
      script: { status: [{ outcome: 'pending', pollAfterSeconds: 0.2 }] },
      environment: { VIDGEN_TASK_TIMEOUT: '6s' },
    });
    const { service, provider } = journey;
    const { account, final } = await createTask(service);
    const task = await final();
    assert.equal(task.failed_reason, 'timed_out');
    assert.equal(task.billing_status, 'refunded');
    assert.deepEqual((await balanceOf(service, account.id)).live, full);
    assert.ok(
      provider.calls.some(({ kind }) => kind === 'cancel'),
      'the provider received a cancel',
    );
    const { body: seen } = await service.admin.get(`/admin/tasks/${task.id}`);
    const [attempt] = seen.attempts as { outcome: string; loss: string | null }[];
    assert.equal(attempt?.outcome, 'timed_out');
    assert.match(attempt?.loss ?? '', /may go on/);
    await service.assertInvariants();
  });
});
