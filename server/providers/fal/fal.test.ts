/** The adapter against the double: the conformance suite, and what is fal's own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { sampleStart, sampleStatus } from '../../../proof/kit/conformance-bench.ts';
import { accepted } from '../../../proof/kit/conformance-faults.ts';
import { callbackUrlOf, falHarness, idOf, withDouble } from '../../../proof/kit/fal/bench.ts';
import type { FalDouble } from '../../../proof/kit/fal/double.ts';
import { platformError, words } from '../../../proof/kit/fal/rules.ts';
import { declined, json, type RawAnswer } from '../../../proof/kit/upstream-double.ts';
import type { Provider } from '../provider.ts';

describeConformance('fal', falHarness);

const look = (provider: Provider, operation: string) =>
  provider.status(sampleStatus(operation, sampleStart()));
const asked = (double: FalDouble, operation: string): number =>
  double.requests.filter((request) => request.operation === operation).length;

describe('start', () => {
  test('submits to the endpoint of the mode, and says how it is to be treated', () =>
    withDouble(async (double, provider) => {
      const model = 'vidgen-2-0-fast';
      const start = sampleStart({ model }, { secondsLeft: 1_000 });
      const operation = await accepted(provider, start);
      const [request] = double.queued();
      assert.equal(operation, `bytedance/seedance-2.0/requests/${request!.id}`);
      const path = '/bytedance/seedance-2.0/fast/text-to-video';
      assert.equal(double.requests[0]!.path.split('?')[0], path);
      assert.equal(request!.webhook, callbackUrlOf(start.reference));
      const { headers } = request!;
      assert.equal(headers['x-fal-no-retry'], '1');
      assert.equal(
        headers['x-fal-request-timeout'],
        '874',
        'what would come too late never begins',
      );
      assert.equal(
        headers['x-fal-object-lifecycle-preference'],
        '{"expiration_duration_seconds":86400}',
      );
      assert.equal(headers.authorization, `Key ${double.apiKey}`);
    }));

  test('lets fal run a request again only where the operator does', () =>
    withDouble(
      async (double, provider) => {
        await accepted(provider);
        assert.equal(double.queued()[0]!.headers['x-fal-no-retry'], undefined);
      },
      { adapter: { retries: true } },
    ));

  test('never sends our key to an address that an answer names on another host', async () => {
    for (const named of ['https://evil.example.test', 'http://127.0.0.1.evil.example.test']) {
      await withDouble(
        async (double, provider) => {
          const operation = await accepted(provider);
          const id = double.queued()[0]!.id;
          assert.equal(operation, `bytedance/seedance-2.0/requests/${id}`);
          assert.equal((await look(provider, operation)).outcome, 'pending');
          assert.equal(asked(double, 'status'), 1);
        },
        { double: { named } },
      );
    }
  });

  test('keeps where the result is, when that is not where it used to be', () =>
    withDouble(
      async (double, provider) => {
        const operation = await accepted(provider);
        assert.match(operation, /\/response$/);
        double.complete(idOf(operation));
        assert.equal((await look(provider, operation)).outcome, 'completed');
        assert.match(double.requests.at(-1)!.path, /\/response$/);
        assert.equal(await provider.cancel(operation), 'gone');
      },
      { double: { responseEnding: '/response' } },
    ));

  test('refuses a mode that has no endpoint, without asking', () =>
    withDouble(
      async (double, provider) => {
        const generation = sampleStart().generation;
        assert.match(provider.cannot!(generation)!, /^input\.generation_type text-to-video/);
        const answer = await provider.start(sampleStart());
        assert.partialDeepStrictEqual(answer, { outcome: 'refused', tryAnother: true });
        assert.equal(double.requests.length, 0);
      },
      { adapter: { models: { 'vidgen-2-0': { 'image-to-video': 'acme/app/i2v' } } } },
    ));
});

const limitReached = platformError(429, 'rate_limit_exceeded', 'Too many at once');
const results: readonly (readonly [why: string, result: RawAnswer, expected: object])[] = [
  ['refused content', words['content refused'], { outcome: 'failed', reason: 'rejected' }],
  ['a file that cannot be read', words['file refused'], { outcome: 'failed', reason: 'material' }],
  ['a refusal in words', words['plain refusal'], { outcome: 'failed', reason: 'failed' }],
  ['a lost runner', words['runner lost'], { outcome: 'failed', reason: 'failed' }],
  ['a late start', words['not begun in time'], { outcome: 'failed', reason: 'timed_out' }],
  ['a wrong key', words['wrong key'], { outcome: 'pending' }],
  ['a limit', words.throttled, { outcome: 'pending' }],
  ['a limit that ended it', limitReached, { outcome: 'failed', reason: 'failed' }],
  ["a gateway's page", words['bad gateway'], { outcome: 'pending' }],
  ['a result that is not there yet', words['still in progress'], { outcome: 'pending' }],
  ['no JSON', { status: 200, body: '{"video"' }, { outcome: 'pending' }],
];
for (const [why, result, expected] of results) {
  test(`a completed request whose result is ${why} is ${JSON.stringify(expected)}`, () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.complete(idOf(operation), result);
      const answer = await look(provider, operation);
      assert.partialDeepStrictEqual(answer, expected, JSON.stringify(answer));
    }));
}

test('believes a server error without a type only when it is said again', () =>
  withDouble(async (double, provider) => {
    const operation = await accepted(provider);
    double.complete(idOf(operation));
    double.next('result', declined(words['server error']));
    assert.equal((await look(provider, operation)).outcome, 'completed');
    double.complete(idOf(operation), words['server error']);
    assert.equal((await look(provider, operation)).outcome, 'failed');
  }));

test('finds the first of several videos', () =>
  withDouble(async (double, provider) => {
    const operation = await accepted(provider);
    const url = 'https://v3.fal.media/a.mp4';
    double.complete(idOf(operation), json(200, { videos: [{ url }] }));
    assert.partialDeepStrictEqual(await look(provider, operation), { video: { url } });
  }));

describe('an operation that only a callback named', () => {
  test('is looked at under the app its task was sent to', () =>
    withDouble(async (double, provider) => {
      const operation = idOf(await accepted(provider));
      assert.equal((await look(provider, operation)).outcome, 'pending');
      double.complete(operation);
      assert.equal((await look(provider, operation)).outcome, 'completed');
    }));

  test('is stopped wherever it is', () =>
    withDouble(async (_, provider) => {
      const operation = idOf(await accepted(provider));
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.equal(await provider.cancel(operation), 'gone');
    }));
});

describe('cancel', () => {
  test('takes what waits out of the queue', () =>
    withDouble(async (double, provider) => {
      assert.equal(await provider.cancel(await accepted(provider)), 'stopped');
      assert.equal(double.queued().length, 0);
    }));

  test('leaves what runs alone: nobody says that it stops, or what it costs', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.advance(idOf(operation), 'IN_PROGRESS');
      assert.equal(await provider.cancel(operation), 'running');
      assert.equal(asked(double, 'cancel'), 0);
    }));

  test('calls nothing stopped that began meanwhile, or whose answer was lost', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      const waiting = declined(json(202, { status: 'IN_QUEUE' }));
      double.advance(idOf(operation), 'IN_PROGRESS');
      double.next('status', waiting);
      assert.equal(await provider.cancel(operation), 'unknown', 'it was asked to stop');
      double.complete(idOf(operation));
      double.next('status', waiting);
      assert.equal(await provider.cancel(operation), 'gone');
      double.advance(idOf(operation), 'IN_QUEUE');
      double.next('cancel', { work: 'not-done', answer: 'lose' });
      assert.equal(await provider.cancel(operation), 'unknown');
    }));
});
