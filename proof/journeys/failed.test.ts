/** Failed, rejected, timed out, cancelled: refunded each time, and announced. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FailureCall } from '@vidgen/contract/webhook-call.ts';
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
      const calls = await receiver.received(receiver.calls.length || 1);
      const call =
        calls.find((one) => one.body.id === task.id) ??
        (await receiver.received(calls.length + 1)).at(-1)!;
      assert.deepEqual(FailureCall.parse(call.body).data, {
        failed_reason: reason,
        credits_refunded: 5,
      });
      await service.auditClean();
    });
  }
});

describe('the deadline', () => {
  test('a task that never ends times out, is refunded, and is shown as a loss', async () => {
    const journey = await startJourney({
      script: { status: [{ outcome: 'pending', askAgainSeconds: 0.2 }] },
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
      await service.auditClean();
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
        status: [{ outcome: 'pending', askAgainSeconds: 30 }],
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
    const answer = await account.client.post(`/v1/tasks/${id}/cancel`);
    assert.equal(answer.status, 200);
    assert.equal(answer.body.status, 'failed');
    assert.equal(answer.body.failed_reason, 'cancelled');
    assert.equal(answer.body.billing_status, 'refunded');
    assert.deepEqual((await balanceOf(journey.service, account.id)).live, full);
    const again = await account.client.post(`/v1/tasks/${id}/cancel`);
    assert.equal(again.status, 400);
    await journey.service.auditClean();
  });

  test('generating at a provider that cannot stop it: 400, and it stays as it is', async () => {
    const { account, id } = await begin('unstoppable');
    const answer = await account.client.post(`/v1/tasks/${id}/cancel`);
    assert.equal(answer.status, 400);
    assert.match(
      (answer.body.error as { message: string }).message,
      /already generating at a provider that cannot stop it/,
    );
    assert.equal((await account.client.task(id)).status, 'generating');
    assert.equal((await balanceOf(journey.service, account.id)).live.reserved, 5);
  });
});
