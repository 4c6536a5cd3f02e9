/** ModelArk keeps the contract of providers, and what is particular to it: states, keys, DELETE. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import {
  sampleGeneration,
  sampleStart,
  sampleStatus,
} from '../../../proof/kit/conformance-fixture.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
import { FakeModelArk } from '../../../proof/kit/modelark/fake.ts';
import {
  adapterFor,
  declined,
  modelArkHarness,
  startAccepted,
  withFake,
} from '../../../proof/kit/modelark/fixture.ts';

describeConformance('modelark', modelArkHarness);

describe('starting', () => {
  test('says that it never connected, so that the task is sent again', async () => {
    const fake = await FakeModelArk.start();
    const provider = adapterFor(fake);
    await fake.close();
    const result = await provider.start(sampleStart());
    assert.ok(result.outcome === 'throttled', JSON.stringify(result));
    assert.match(result.detail, /not connected: .*ECONNREFUSED/);
  });

  test('tells of a key that cannot be sent, and does not show it', () =>
    withFake(
      async (fake, provider) => {
        const result = await provider.start(sampleStart());
        assert.equal(result.outcome, 'throttled');
        assert.ok(!JSON.stringify(result).includes('secret'));
        assert.equal(fake.requests.length, 0);
      },
      { adapter: { apiKey: () => 'secret\nkey' } },
    ));
});

describe('looking at a task', () => {
  test('hands over the video, the last frame and the length', () =>
    withFake(async (fake, provider) => {
      const start = sampleStart({ returnLastFrame: true, duration: 8 });
      const operation = await startAccepted(provider, start);
      fake.advance(operation, 'succeeded');
      assert.deepEqual(await provider.status(sampleStatus(operation, start)), {
        outcome: 'completed',
        video: { url: fake.results.videoUrl(operation) },
        lastFrame: { url: fake.results.frameUrl(operation) },
        outputSeconds: 8,
      });
    }));

  test('takes no address that is not one of the web', () =>
    withFake(async (fake, provider) => {
      const start = sampleStart();
      const operation = await startAccepted(provider, start);
      for (const video_url of ['file:///etc/passwd', '', 7, null, 'x']) {
        const body = { id: operation, status: 'succeeded', content: { video_url } };
        fake.next('get', declined({ status: 200, body: JSON.stringify(body) }));
        const result = await provider.status(sampleStatus(operation, start));
        assert.equal(result.outcome, 'failed', String(video_url));
      }
    }));

  test('calls a late constraint of the task type a failure', () =>
    withFake(
      async (_, provider) => {
        // Our own rules refuse this before it is sent; the upstream notices only when it runs.
        const start = sampleStart({
          model: 'vidgen-2-5',
          generationType: 'image-to-video',
          imageUrls: ['https://cdn.example.test/a.png'],
          aspectRatio: '16:9',
        });
        const operation = await startAccepted(provider, start);
        const poll = () => provider.status(sampleStatus(operation, start));
        assert.deepEqual([(await poll()).outcome, (await poll()).outcome], ['pending', 'pending']);
        const end = await poll();
        assert.ok(end.outcome === 'failed' && end.reason === 'failed');
        assert.match(end.detail, /TaskTypeConstraint/);
      },
      { fake: { automatic: true } },
    ));

  test('calls a task cancelled behind our back a failure', () =>
    withFake(async (fake, provider) => {
      const start = sampleStart();
      const operation = await startAccepted(provider, start);
      fake.advance(operation, 'cancelled');
      const result = await provider.status(sampleStatus(operation, start));
      assert.partialDeepStrictEqual(result, { outcome: 'failed', reason: 'failed' });
    }));

  test('a revoked key is an alert, never the end of a task', () => {
    let key = 'ark-test-key';
    return withFake(
      async (_, provider) => {
        const start = sampleStart();
        const operation = await startAccepted(provider, start);
        key = 'revoked';
        const result = await provider.status(sampleStatus(operation, start));
        assert.ok(result.outcome === 'pending' && result.alert?.includes('AuthenticationError'));
      },
      { adapter: { apiKey: () => key } },
    );
  });
});

describe('cancelling', () => {
  for (const status of ['running', 'succeeded', 'failed', 'expired', 'cancelled', 'paused']) {
    test(`sends no DELETE for a task that is ${status}`, () =>
      withFake(async (fake, provider) => {
        const operation = await startAccepted(provider);
        fake.advance(operation, status);
        await provider.cancel(operation);
        assert.ok(fake.requests.every((request) => request.operation !== 'delete'));
      }));
  }

  test('sends no DELETE when the look before it fails', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.next('get', declined(documentedError('InternalServiceError')));
      assert.equal(await provider.cancel(operation), 'unknown');
      assert.ok(fake.requests.every((request) => request.operation !== 'delete'));
    }));

  test('stops a queued task and proves it by reading it again', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.equal(fake.task(operation).status, 'cancelled');
    }));

  test('says running when the task started between the look and the DELETE', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.next('delete', declined(documentedError('InvalidAction.RunningTaskDeletion')));
      assert.equal(await provider.cancel(operation), 'running');
    }));

  test('does not claim to have stopped a task that ended between the look and the DELETE', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      const queued = JSON.stringify({ id: operation, status: 'queued' });
      fake.next('get', declined({ status: 200, body: queued }));
      fake.advance(operation, 'succeeded');
      assert.equal(await provider.cancel(operation), 'ended');
    }));

  test('trusts the second look, not the answer of the DELETE', () =>
    withFake(async (fake, provider) => {
      const [first, second] = [await startAccepted(provider), await startAccepted(provider)];
      fake.next('delete', { work: 'done', response: 'lose' });
      assert.equal(await provider.cancel(first), 'stopped');
      fake.next('delete', { work: 'not-done', response: { status: 200, body: '{}' } });
      assert.equal(await provider.cancel(second), 'unknown');
    }));
});

test('needs longer for longer videos', () =>
  withFake(async (_, provider) => {
    const short = provider.typicalSeconds(sampleGeneration({ duration: 4 }));
    const long = provider.typicalSeconds(sampleGeneration({ duration: 15 }));
    const edit = provider.typicalSeconds(sampleGeneration({ model: 'vidgen-2-5', duration: -1 }));
    assert.ok(short < long && long < edit);
  }));
