/** Provider conformance of fal, and what is specific to it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import {
  sampleGeneration,
  sampleStart,
  sampleStatus,
} from '../../../proof/kit/conformance-fixture.ts';
import { declined, type FakeResponse, json } from '../../../proof/kit/fake-upstream.ts';
import { fakeModels } from '../../../proof/kit/fal/fake.ts';
import { callbackUrlOf, harness, idOf, withFake } from '../../../proof/kit/fal/fixture.ts';
import { errorResponses, platformError } from '../../../proof/kit/fal/rules.ts';
import type { Provider, StatusResult } from '../provider.ts';
import { appOf, endpointOf, inputOf, unsupportedReason } from './inputs.ts';

describeConformance('fal', harness);

const poll = (provider: Provider, operation: string) =>
  provider.status(sampleStatus(operation, sampleStart()));

describe('start', () => {
  test('submits to the endpoint of the generation type with the expected headers', () =>
    withFake({}, async (fake, provider) => {
      const model = 'vidgen-2-0-fast';
      const start = sampleStart({ model }, { secondsLeft: 1_000 });
      const operation = await startAccepted(provider, start);
      const [request] = fake.started();
      assert.equal(operation, `bytedance/seedance-2.0/requests/${request!.id}`);
      const path = '/bytedance/seedance-2.0/fast/text-to-video';
      assert.equal(fake.requests[0]!.path.split('?')[0], path);
      assert.equal(request!.webhook, callbackUrlOf(start.reference));
      const { headers } = request!;
      assert.equal(headers['x-fal-no-retry'], undefined, 'lost runs are not billed');
      assert.equal(
        headers['x-fal-request-timeout'],
        '874',
        'what would come too late never begins',
      );
      assert.equal(
        headers['x-fal-object-lifecycle-preference'],
        '{"expiration_duration_seconds":86400}',
      );
      assert.equal(headers.authorization, `Key ${fake.apiKey}`);
    }));

  test('keeps fal from retrying a request only when it is configured', () =>
    withFake({ adapter: { retries: false } }, async (fake, provider) => {
      await startAccepted(provider);
      assert.equal(fake.started()[0]!.headers['x-fal-no-retry'], '1');
    }));
});

/** The outcome or the reason of a failure, and whether another provider may try. */
function summaryOf(status: StatusResult): string {
  if (status.outcome !== 'failed') return status.outcome;
  return status.canFailOver ? `${status.reason}, another may try` : status.reason;
}

const refusedInput = errorResponses['input refused'];
const withUnits = (units: string) => ({
  ...refusedInput,
  headers: { 'x-fal-billable-units': units },
});
const limitReached = platformError(429, 'rate_limit_exceeded', 'Too many at once');
const results: readonly (readonly [why: string, result: FakeResponse, expected: string])[] = [
  ['a refusal that names no field', errorResponses['plain refusal'], 'failed'],
  ['a wrong key', errorResponses['wrong key'], 'pending'],
  ['a limit', errorResponses.throttled, 'pending'],
  ['a limit that ended it', limitReached, 'failed'],
  ["a gateway's page", errorResponses['bad gateway'], 'pending'],
  ['a result that is not there yet', errorResponses['still in progress'], 'pending'],
  ['no JSON', { status: 200, body: '{"video"' }, 'pending'],
  ['an unusable file', errorResponses['file refused'], 'material'],
  ['a refused input', refusedInput, 'failed, another may try'],
  ['a refused input that cost nothing', withUnits('0'), 'failed, another may try'],
  ['a refused input that may have been billed', withUnits('5'), 'failed'],
];
for (const [why, result, expected] of results) {
  test(`a completed request whose result is ${why}: ${expected}`, () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.complete(idOf(operation), result);
      assert.equal(summaryOf(await poll(provider, operation)), expected);
    }));
}

test('believes a server error without a type only when it is repeated', () =>
  withFake({}, async (fake, provider) => {
    const operation = await startAccepted(provider);
    fake.complete(idOf(operation));
    fake.next('result', declined(errorResponses['server error']));
    assert.equal((await poll(provider, operation)).outcome, 'completed');
    fake.complete(idOf(operation), errorResponses['server error']);
    assert.equal((await poll(provider, operation)).outcome, 'failed');
  }));

test('uses the first of several videos', () =>
  withFake({}, async (fake, provider) => {
    const operation = await startAccepted(provider);
    const url = 'https://v3.fal.media/a.mp4';
    fake.complete(idOf(operation), json(200, { videos: [{ url }] }));
    assert.partialDeepStrictEqual(await poll(provider, operation), { video: { url } });
  }));

describe('an operation that only a callback named', () => {
  test('is polled below the app that its task was sent to', () =>
    withFake({}, async (fake, provider) => {
      const operation = idOf(await startAccepted(provider));
      assert.equal((await poll(provider, operation)).outcome, 'pending');
      fake.complete(operation);
      assert.equal((await poll(provider, operation)).outcome, 'completed');
    }));

  test('is cancelled in whichever app it is', () =>
    withFake({}, async (_, provider) => {
      const operation = idOf(await startAccepted(provider));
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.equal(await provider.cancel(operation), 'ended');
    }));
});

test('cancels nothing that began meanwhile, or when the response was lost', () =>
  withFake({}, async (fake, provider) => {
    const operation = await startAccepted(provider);
    const waiting = declined(json(202, { status: 'IN_QUEUE' }));
    fake.advance(idOf(operation), 'IN_PROGRESS');
    fake.next('status', waiting);
    assert.equal(await provider.cancel(operation), 'unknown', 'its stop was requested');
    fake.complete(idOf(operation));
    fake.next('status', waiting);
    assert.equal(await provider.cancel(operation), 'ended');
    fake.advance(idOf(operation), 'IN_QUEUE');
    fake.next('cancel', { work: 'not-done', response: 'lose' });
    assert.equal(await provider.cancel(operation), 'unknown');
  }));

const rules = { forwardSeed: true, fields: {} };
const urls = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${index}`);
const references = { generationType: 'reference-to-video' } as const;

test('sends every field that has a default', () => {
  const generation = sampleGeneration({ aspectRatio: 'adaptive', prompt: 'a fox --dur 30' });
  assert.deepEqual(inputOf(generation, rules), {
    prompt: 'a fox —dur 30',
    duration: '5',
    aspect_ratio: 'auto',
    resolution: '720p',
    generate_audio: true,
  });
});

test('sends the configured fields, which cannot replace those of the task', () => {
  const fields = { bitrate_mode: 'high', duration: '15' };
  const input = inputOf(sampleGeneration(), { ...rules, fields });
  assert.partialDeepStrictEqual(input, { bitrate_mode: 'high', duration: '5' });
});

test('sends a task for edits with model 2.5 only', () => {
  const taskOf = (change: Partial<Generation>) =>
    inputOf(sampleGeneration({ ...references, model: 'vidgen-2-5', ...change }), rules).task;
  assert.equal(taskOf({ duration: -1, videoUrls: urls(1) }), 'editing');
  assert.equal(taskOf({ videoUrls: urls(1), audioUrls: urls(1) }), undefined);
  assert.equal(taskOf({ videoUrls: urls(1), imageUrls: urls(1) }), undefined);
  assert.equal(taskOf({ model: 'vidgen-2-0', videoUrls: urls(1) }), undefined);
});

test('finds the endpoint of a generation type and the app of its requests', () => {
  const models = { 'vidgen-2-0': { 'text-to-video': 'acme/wan/t2v' }, 'vidgen-2-5': 'b/s/us' };
  const of = (change: Partial<Generation>) => endpointOf(models, sampleGeneration(change));
  assert.equal(of({}), 'acme/wan/t2v');
  assert.equal(of({ generationType: 'image-to-video' }), undefined);
  assert.equal(of({ model: 'vidgen-2-5' }), 'b/s/us/text-to-video');
  assert.equal(of({ model: 'vidgen-2-0-mini' }), undefined);
  assert.equal(appOf('b/s/us/text-to-video'), 'b/s');
  assert.equal(appOf('workflows/acme/flow/run'), 'workflows/acme/flow');
});

test('refuses what the input cannot express', () => {
  const unsupported = (change: Partial<Generation>) =>
    unsupportedReason(sampleGeneration(change), fakeModels);
  assert.equal(unsupported({ watermark: true }), 'input.watermark true is not supported');
  const files = { ...references, imageUrls: urls(9), videoUrls: urls(3), audioUrls: urls(1) };
  assert.match(unsupported(files)!, /13 files is not supported \(at most 12\)$/);
  assert.equal(unsupported({ ...files, model: 'vidgen-2-5' }), null);
});
