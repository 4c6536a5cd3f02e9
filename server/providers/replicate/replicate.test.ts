/** Provider conformance of Replicate, and what is specific to it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { sampleStart, sampleStatus } from '../../../proof/kit/conformance-fixture.ts';
import { declined } from '../../../proof/kit/fake-upstream.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { FakeReplicate } from '../../../proof/kit/replicate/fake.ts';
import {
  adapterFor,
  callbackUrlOf,
  replicateHarness,
  withFake,
} from '../../../proof/kit/replicate/fixture.ts';
import { errorResponses } from '../../../proof/kit/replicate/rules.ts';
import type { Provider } from '../provider.ts';

describeConformance('replicate', replicateHarness);

const poll = (provider: Provider, operation: string) =>
  provider.status(sampleStatus(operation, sampleStart()));

describe('start', () => {
  test('creates predictions of official models, versions and deployments', () =>
    withFake(async (fake, provider) => {
      for (const model of ['vidgen-2-0', 'vidgen-2-0-fast', 'vidgen-2-0-mini'] as const) {
        await startAccepted(provider, sampleStart({ model }));
      }
      assert.deepEqual(pluck(fake.requests, 'path'), [
        '/v1/models/bytedance/seedance-2.0/predictions',
        '/v1/predictions',
        '/v1/deployments/acme/seedance-mini/predictions',
      ]);
      const [, versioned, deployed] = fake.predictions();
      assert.equal(versioned!.version, '5c7d5dc6dd8bf75c');
      assert.equal(deployed!.deployment, 'acme/seedance-mini');
    }));

  test('requests a callback at the end only and sends the deadline', () =>
    withFake(async (fake, provider) => {
      const start = sampleStart({}, { secondsLeft: 899.2 });
      await startAccepted(provider, start);
      const [prediction] = fake.predictions();
      assert.equal(prediction!.webhook, callbackUrlOf(start.reference));
      assert.deepEqual(prediction!.webhookEvents, ['completed']);
      assert.equal(prediction!.deadline, '900s');
    }));

  test('sends no callback URL without https', async () => {
    await using fake = await FakeReplicate.start();
    const provider = adapterFor(fake);
    const providerCallbackUrl = 'http://127.0.0.1:3000/callbacks/replicate/x';
    await startAccepted(provider, sampleStart({}, { providerCallbackUrl }));
    await startAccepted(provider, sampleStart());
    assert.deepEqual(pluck(fake.predictions(), 'webhook'), [null, null]);
    await provider.close?.();
  });

  test('waits as long as a header or the message says', () =>
    withFake(async (fake, provider) => {
      fake.next('create', declined(errorResponses.throttled));
      fake.next('create', declined(errorResponses['throttled without a header']));
      for (const retryAfterSeconds of [30, 12]) {
        const result = await provider.start(sampleStart());
        assert.partialDeepStrictEqual(result, { outcome: 'throttled', retryAfterSeconds });
      }
    }));
});

describe('status', () => {
  test('reports the progress of the log and polls older predictions less often', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.advance(operation, 'processing');
      assert.deepEqual(await poll(provider, operation), {
        outcome: 'pending',
        pollAfterSeconds: 5,
        progress: 0.42,
      });
      fake.prediction(operation).createdMs -= 3_600_000;
      assert.partialDeepStrictEqual(await poll(provider, operation), { pollAfterSeconds: 20 });
    }));

  const outputs: readonly (readonly [what: string, output: unknown])[] = [
    ['a URL', 'https://replicate.delivery/a/out.mp4'],
    ['a list, where the video is not the first', ['https://x.test/a.png', 'https://x.test/b.mp4']],
    ['a record', { video: 'https://replicate.delivery/a/out.mp4', seed: 7 }],
    ['a record of records', { files: [{ url: 'https://replicate.delivery/a/out.webm' }] }],
    ['a URL without an extension', 'https://replicate.delivery/a/file'],
  ];
  for (const [what, output] of outputs) {
    test(`finds the video in ${what}`, () =>
      withFake(async (fake, provider) => {
        const operation = await startAccepted(provider);
        fake.advance(operation, 'succeeded', { output });
        const result = await poll(provider, operation);
        assert.equal(result.outcome, 'completed', JSON.stringify(result));
        assert.match(JSON.stringify(result), /\.mp4|\.webm|\/file/);
      }));
  }

  test('reports a timeout when the files were deleted', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.advance(operation, 'succeeded', { dataRemoved: true });
      const result = await poll(provider, operation);
      assert.partialDeepStrictEqual(result, { outcome: 'failed', reason: 'timed_out' });
    }));
});

describe('cancel', () => {
  const cancels = (requests: readonly { operation: string }[]) =>
    requests.filter(({ operation }) => operation === 'cancel').length;

  test('leaves a running prediction alone because it would be billed', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.advance(operation, 'processing');
      assert.equal(await provider.cancel(operation), 'running');
      assert.equal(cancels(fake.requests), 0);
    }));

  test('does not report stopped for a prediction that began meanwhile', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      const before = fake.shown(operation);
      fake.advance(operation, 'processing');
      fake.next('get', declined({ status: 200, body: JSON.stringify(before) }));
      assert.equal(await provider.cancel(operation), 'ended', 'it ended, and is billed');
    }));

  test('reports unknown when the response to the cancel was lost and it still waits', () =>
    withFake(async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.next('cancel', { work: 'not-done', response: 'lose' });
      assert.equal(await provider.cancel(operation), 'unknown');
    }));
});
