/** Failed, rejected, timed out, cancelled: refunded each time, and announced. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import { balanceOf, type Journey, startJourney, textToVideo } from '../kit/journey.ts';

const full = { available: 100, reserved: 0, suspended: 0 };

describe('a generation that does not succeed', () => {
  let journey: Journey;
  before(async () => {
    journey = await startJourney({
      script: ({ generation }) => {
        const outcome = generation.prompt as 'failed' | 'rejected' | 'material' | 'vanished';
        return { status: ['pending', outcome] };
      },
    });
  });
  after(() => journey.close());

  const cases = [
    ['failed', 'provider_failed'],
    ['rejected', 'provider_rejected'],
    ['material', 'material_unavailable'],
    ['vanished', 'provider_failed'],
  ] as const;
  for (const [prompt, reason] of cases) {
    test(`${prompt} at the provider: ${reason}, refunded, announced`, async () => {
      const { service, receiver } = journey;
      const account = await service.account({ live: 100 });
      const { body } = await account.client.create({
        ...textToVideo,
        callback_url: receiver.url,
        input: { ...textToVideo.input, prompt },
      });
      const task = await account.client.final(body.taskId as string);
      assert.deepEqual(Object.keys(task).sort(), [
        'billing_status',
        'created_at',
        'credits',
        'failed_reason',
        'id',
        'model',
        'status',
      ]);
      assert.equal(task.status, 'failed');
      assert.equal(task.failed_reason, reason);
      assert.equal(task.billing_status, 'refunded');
      assert.deepEqual((await balanceOf(service, account.id)).live, full);
      const webhooks = await receiver.waitForWebhooks(receiver.webhooks.length || 1);
      const webhook =
        webhooks.find((one) => one.body.id === task.id) ??
        (await receiver.waitForWebhooks(webhooks.length + 1)).at(-1)!;
      assert.deepEqual(FailurePayload.parse(webhook.body).data, {
        failed_reason: reason,
        credits_refunded: 5,
      });
      await service.assertInvariants();
    });
  }
});

describe('the deadline', () => {
  test('a task that never ends times out, is refunded, and is shown as a loss', async () => {
    const journey = await startJourney({
      script: { status: [{ outcome: 'pending', pollAfterSeconds: 0.2 }] },
      environment: { VIDGEN_TASK_TIMEOUT: '2s' },
    });
    try {
      const { service, provider } = journey;
      const account = await service.account({ live: 100 });
      const { body } = await account.client.create(textToVideo);
      const task = await account.client.final(body.taskId as string);
      assert.equal(task.failed_reason, 'timed_out');
      assert.equal(task.billing_status, 'refunded');
      assert.deepEqual((await balanceOf(service, account.id)).live, full);
      assert.ok(
        provider.calls.some(({ kind }) => kind === 'cancel'),
        'the provider was told to stop',
      );
      const { body: seen } = await service.admin.get(`/admin/tasks/${task.id}`);
      const [attempt] = seen.attempts as { outcome: string; loss: string | null }[];
      assert.equal(attempt?.outcome, 'timed_out');
      assert.match(attempt?.loss ?? '', /may go on/);
      await service.assertInvariants();
    } finally {
      await journey.close();
    }
  });
});

describe('cancelling', () => {
  let journey: Journey;
  before(async () => {
    journey = await startJourney({
      script: ({ generation }) => ({
        status: [{ outcome: 'pending', pollAfterSeconds: 30 }],
        cancel: [generation.prompt === 'stoppable' ? 'stopped' : 'running'],
      }),
    });
  });
  after(() => journey.close());

  const begin = async (prompt: string) => {
    const account = await journey.service.account({ live: 100 });
    const input = { ...textToVideo.input, prompt };
    const { body } = await account.client.create({ ...textToVideo, input });
    const id = body.taskId as string;
    while ((await account.client.task(id)).status === 'queued') {
      await account.client.get(`/v1/tasks/${id}?wait=5`);
    }
    return { account, id };
  };

  test('generating at a provider that confirms it stopped: cancelled and refunded', async () => {
    const { account, id } = await begin('stoppable');
    const response = await account.client.post(`/v1/tasks/${id}/cancel`);
    assert.equal(response.status, 200);
    assert.equal(response.body.status, 'failed');
    assert.equal(response.body.failed_reason, 'cancelled');
    assert.equal(response.body.billing_status, 'refunded');
    assert.deepEqual((await balanceOf(journey.service, account.id)).live, full);
    const again = await account.client.post(`/v1/tasks/${id}/cancel`);
    assert.equal(again.status, 400);
    await journey.service.assertInvariants();
  });

  test('generating at a provider that cannot stop it: 400, and it stays as it is', async () => {
    const { account, id } = await begin('unstoppable');
    const response = await account.client.post(`/v1/tasks/${id}/cancel`);
    assert.equal(response.status, 400);
    assert.match(
      (response.body.error as { message: string }).message,
      /already generating at a provider that cannot stop it/,
    );
    assert.equal((await account.client.task(id)).status, 'generating');
    assert.equal((await balanceOf(journey.service, account.id)).live.reserved, 5);
  });
});
