/** Provider conformance of ModelArk, and what is specific to it: states, keys and DELETE. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { sampleStart, startGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
import {
  declined,
  modelArkHarness,
  startAccepted,
  withFake,
} from '../../../proof/kit/modelark/fixture.ts';

describeConformance('modelark', modelArkHarness);

describe('start', () => {
  test('reports a key that cannot be sent without showing it', () =>
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

describe('status', () => {
  test('returns the video, the last frame and the length', () =>
    withFake(async (fake, provider) => {
      const { operation, poll } = await startGeneration(
        { provider },
        { returnLastFrame: true, duration: 8 },
      );
      fake.advance(operation, 'succeeded');
      assert.deepEqual(await poll(), {
        outcome: 'completed',
        video: { url: fake.results.videoUrl(operation) },
        lastFrame: { url: fake.results.frameUrl(operation) },
        outputSeconds: 8,
      });
    }));
});

describe('cancel', () => {
  for (const status of ['running', 'succeeded', 'failed', 'expired', 'cancelled', 'paused']) {
    test(`sends no DELETE for a task that is ${status}`, () =>
      withFake(async (fake, provider) => {
        const operation = await startAccepted(provider);
        fake.advance(operation, status);
        await provider.cancel(operation);
        assert.ok(fake.requests.every((request) => request.operation !== 'delete'));
      }));
  }

  test('sends no DELETE when the task cannot be read', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.next('get', declined(documentedError('InternalServiceError')));
      assert.equal(await provider.cancel(operation), 'unknown');
      assert.ok(fake.requests.every((request) => request.operation !== 'delete'));
    }));

  test('reports running when the task started between the read and the DELETE', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.next('delete', declined(documentedError('InvalidAction.RunningTaskDeletion')));
      assert.equal(await provider.cancel(operation), 'running');
    }));

  test('reports ended when the task ended between the read and the DELETE', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      const queued = JSON.stringify({ id: operation, status: 'queued' });
      fake.next('get', declined({ status: 200, body: queued }));
      fake.advance(operation, 'succeeded');
      assert.equal(await provider.cancel(operation), 'ended');
    }));

  test('trusts the second read instead of the response to the DELETE', () =>
    withFake(async (fake, provider) => {
      const [first, second] = [await startAccepted(provider), await startAccepted(provider)];
      fake.next('delete', { work: 'done', response: 'lose' });
      assert.equal(await provider.cancel(first), 'stopped');
      fake.next('delete', { work: 'not-done', response: { status: 200, body: '{}' } });
      assert.equal(await provider.cancel(second), 'unknown');
    }));
});
