/** The adapter against the double: the conformance suite, and what is Replicate's own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { sampleStart, sampleStatus } from '../../../proof/kit/conformance-bench.ts';
import { accepted } from '../../../proof/kit/conformance-faults.ts';
import {
  adapterFor,
  callbackUrlOf,
  replicateHarness,
  withDouble,
} from '../../../proof/kit/replicate/bench.ts';
import { ReplicateDouble } from '../../../proof/kit/replicate/double.ts';
import { words } from '../../../proof/kit/replicate/rules.ts';
import { declined } from '../../../proof/kit/upstream-double.ts';
import type { Provider } from '../provider.ts';

describeConformance('replicate', replicateHarness);

const look = (provider: Provider, operation: string) =>
  provider.status(sampleStatus(operation, sampleStart()));

describe('start', () => {
  test('creates where the model is: official, by version, or a deployment', () =>
    withDouble(async (double, provider) => {
      for (const model of ['vidgen-2-0', 'vidgen-2-0-fast', 'vidgen-2-0-mini'] as const) {
        await accepted(provider, sampleStart({ model }));
      }
      assert.deepEqual(
        double.requests.map(({ path }) => path),
        [
          '/v1/models/bytedance/seedance-2.0/predictions',
          '/v1/predictions',
          '/v1/deployments/acme/seedance-mini/predictions',
        ],
      );
      const [, versioned, deployed] = double.predictions();
      assert.equal(versioned!.version, '5c7d5dc6dd8bf75c');
      assert.equal(deployed!.deployment, 'acme/seedance-mini');
    }));

  test('asks to be called at the end alone, and tells our deadline', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart({}, { secondsLeft: 899.2 });
      await accepted(provider, start);
      const [prediction] = double.predictions();
      assert.equal(prediction!.webhook, callbackUrlOf(start.reference));
      assert.deepEqual(prediction!.webhookEvents, ['completed']);
      assert.equal(prediction!.deadline, '900s');
    }));

  test('gives no address to call that is not https', async () => {
    await using double = await ReplicateDouble.start();
    const provider = adapterFor(double);
    const callbackUrl = 'http://127.0.0.1:3000/callbacks/replicate/x';
    await accepted(provider, sampleStart({}, { callbackUrl }));
    await accepted(provider, sampleStart());
    assert.deepEqual(
      double.predictions().map(({ webhook }) => webhook),
      [null, null],
    );
    await provider.close?.();
  });

  test('waits as long as it is told, by a header or in words', () =>
    withDouble(async (double, provider) => {
      double.next('create', declined(words.throttled));
      double.next('create', declined(words['throttled without a header']));
      for (const retryAfterSeconds of [30, 12]) {
        const answer = await provider.start(sampleStart());
        assert.partialDeepStrictEqual(answer, { outcome: 'throttled', retryAfterSeconds });
      }
    }));

  test('refuses a model that is not configured, without asking', () =>
    withDouble(
      async (double, provider) => {
        const answer = await provider.start(sampleStart());
        assert.partialDeepStrictEqual(answer, { outcome: 'refused', tryAnother: true });
        assert.equal(double.requests.length, 0);
      },
      { adapter: { models: {} } },
    ));
});

describe('status', () => {
  test('tells how far the log says it is, and asks less often with age', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.advance(operation, 'processing');
      assert.deepEqual(await look(provider, operation), {
        outcome: 'pending',
        askAgainSeconds: 5,
        progress: 0.42,
      });
      double.prediction(operation).createdMs -= 3_600_000;
      assert.partialDeepStrictEqual(await look(provider, operation), { askAgainSeconds: 20 });
    }));

  const outputs: readonly (readonly [what: string, output: unknown])[] = [
    ['an address', 'https://replicate.delivery/a/out.mp4'],
    ['a list, where the video is not the first', ['https://x.test/a.png', 'https://x.test/b.mp4']],
    ['a record', { video: 'https://replicate.delivery/a/out.mp4', seed: 7 }],
    ['a record of records', { files: [{ url: 'https://replicate.delivery/a/out.webm' }] }],
    ['an address without an ending', 'https://replicate.delivery/a/file'],
  ];
  for (const [what, output] of outputs) {
    test(`finds the video in ${what}`, () =>
      withDouble(async (double, provider) => {
        const operation = await accepted(provider);
        double.advance(operation, 'succeeded', { output });
        const answer = await look(provider, operation);
        assert.equal(answer.outcome, 'completed', JSON.stringify(answer));
        assert.match(JSON.stringify(answer), /\.mp4|\.webm|\/file/);
      }));
  }

  test('says that files were removed when we came too late', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.advance(operation, 'succeeded', { dataRemoved: true });
      const answer = await look(provider, operation);
      assert.partialDeepStrictEqual(answer, { outcome: 'failed', reason: 'timed_out' });
    }));

  test('takes canceled as an end, as somebody of the account may do', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.advance(operation, 'canceled');
      const answer = await look(provider, operation);
      assert.partialDeepStrictEqual(answer, { outcome: 'failed', reason: 'failed' });
    }));
});

describe('cancel', () => {
  const cancels = (requests: readonly { operation: string }[]) =>
    requests.filter(({ operation }) => operation === 'cancel').length;

  test('stops what has not begun: it is not billed', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.equal(double.prediction(operation).status, 'canceled');
    }));

  test('leaves what runs alone: it would be billed, and the customer refunded', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.advance(operation, 'processing');
      assert.equal(await provider.cancel(operation), 'running');
      assert.equal(cancels(double.requests), 0);
    }));

  test('does not call stopped what began while it was being stopped', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      const before = double.shown(operation);
      double.advance(operation, 'processing');
      double.next('get', declined({ status: 200, body: JSON.stringify(before) }));
      assert.equal(await provider.cancel(operation), 'gone', 'it ended, and is billed');
    }));

  test('says unknown when the answer to the cancel was lost and it still waits', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.next('cancel', { work: 'not-done', answer: 'lose' });
      assert.equal(await provider.cancel(operation), 'unknown');
    }));

  test('calls aborted stopped: nothing was run', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.advance(operation, 'aborted');
      assert.equal(await provider.cancel(operation), 'stopped');
    }));
});
