/** Provider conformance of Replicate, and what is specific to it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import {
  sampleGeneration,
  sampleStart,
  sampleStatus,
} from '../../../proof/kit/conformance-fixture.ts';
import { declined } from '../../../proof/kit/fake-upstream.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { callbackUrlOf, harness, withFake } from '../../../proof/kit/replicate/fixture.ts';
import { errorResponses } from '../../../proof/kit/replicate/rules.ts';
import type { Provider } from '../provider.ts';
import {
  inputOf,
  type ReplicateInputRules,
  seedanceInputs,
  seedanceLimits,
  seedanceRules,
  unsupportedReason,
} from './inputs.ts';

describeConformance('replicate', harness);

const poll = (provider: Provider, operation: string) =>
  provider.status(sampleStatus(operation, sampleStart()));

describe('start', () => {
  test('creates predictions of official models, versions and deployments', () =>
    withFake({}, async (fake, provider) => {
      for (const model of ['vidgen-2-0', 'vidgen-2-0-fast', 'vidgen-2-0-mini'] as const) {
        await startAccepted(provider, sampleStart({ model }));
      }
      assert.deepEqual(pluck(fake.requests, 'path'), [
        '/v1/models/bytedance/seedance-2.0/predictions',
        '/v1/predictions',
        '/v1/deployments/acme/seedance-mini/predictions',
      ]);
      const [, versioned, deployed] = fake.started();
      assert.equal(versioned!.version, '5c7d5dc6dd8bf75c');
      assert.equal(deployed!.deployment, 'acme/seedance-mini');
    }));

  test('requests a callback at the end only and sends the deadline', () =>
    withFake({}, async (fake, provider) => {
      const start = sampleStart({}, { secondsLeft: 899.2 });
      await startAccepted(provider, start);
      const [prediction] = fake.started();
      assert.equal(prediction!.webhook, callbackUrlOf(start.reference));
      assert.deepEqual(prediction!.webhookEvents, ['completed']);
      assert.equal(prediction!.deadline, '900s');
    }));

  test('sends no callback URL without https', () =>
    withFake({}, async (fake, provider) => {
      const providerCallbackUrl = 'http://127.0.0.1:3000/callbacks/replicate/x';
      await startAccepted(provider, sampleStart({}, { providerCallbackUrl }));
      assert.deepEqual(pluck(fake.started(), 'webhook'), [null]);
    }));

  test('waits as long as a header or the message says', () =>
    withFake({}, async (fake, provider) => {
      fake.next('create', declined(errorResponses.throttled));
      fake.next('create', declined(errorResponses['throttled without a header']));
      for (const retryAfterSeconds of [30, 12]) {
        const result = await provider.start(sampleStart());
        assert.partialDeepStrictEqual(result, { outcome: 'throttled', retryAfterSeconds });
      }
    }));
});

describe('status', () => {
  test('reports the progress of the log', () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.advance(operation, 'processing');
      const pending = { outcome: 'pending', progress: 0.42 };
      assert.deepEqual(await poll(provider, operation), pending);
    }));

  test('finds the video in an output of any shape', () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider);
      const video = 'https://x.test/b.mp4';
      for (const [output, url] of [
        [['https://x.test/a.png', video], video],
        [{ video, seed: 7 }, video],
        [{ files: [{ url: 'https://x.test/b.webm' }] }, 'https://x.test/b.webm'],
        ['https://x.test/file', 'https://x.test/file'],
      ]) {
        fake.advance(operation, 'succeeded', { output });
        const result = await poll(provider, operation);
        const cost = { units: 0.1, unit: 'computeSecond' };
        assert.deepEqual(result, { outcome: 'completed', video: { url }, cost });
      }
    }));

  test('many that succeed together are known from a list, and failures read one by one', () =>
    withFake({}, async (fake, provider) => {
      const operations = await Promise.all(
        Array.from({ length: 60 }, () => startAccepted(provider)),
      );
      for (const one of operations) fake.advance(one, 'succeeded');
      const [failed, withoutFile] = operations.slice(-2) as [string, string];
      fake.advance(failed, 'failed');
      fake.advance(withoutFile, 'succeeded', { dataRemoved: true, output: null });
      const results = await Promise.all(operations.map((one) => poll(provider, one)));
      assert.equal(results.filter(({ outcome }) => outcome === 'completed').length, 58);
      const reads = fake.requests.filter(({ operation }) => operation === 'get');
      assert.ok(reads.length < 30, `${reads.length} reads`);
      for (const one of [failed, withoutFile]) {
        assert.ok(reads.some(({ url }) => url.pathname.endsWith(`/${one}`)));
      }
    }));

  test('reports a timeout when the files were deleted', () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.advance(operation, 'succeeded', { dataRemoved: true });
      const result = await poll(provider, operation);
      assert.partialDeepStrictEqual(result, { outcome: 'failed', reason: 'timed_out' });
    }));
});

const rules = (change: Partial<ReplicateInputRules> = {}): ReplicateInputRules => ({
  names: seedanceInputs,
  limits: seedanceLimits,
  fields: {},
  ...change,
});
const urls = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${index}`);

test('sends every field that has a default in the contract', () => {
  assert.deepEqual(inputOf(sampleGeneration({ aspectRatio: 'adaptive', seed: -1 }), rules()), {
    prompt: 'A paper boat drifts on a quiet lake',
    duration: 5,
    resolution: '720p',
    aspect_ratio: 'adaptive',
    generate_audio: true,
  });
});

test('uses the configured names and fields, which cannot replace those of the task', () => {
  const names = { ...seedanceInputs, prompt: 'text', firstFrame: 'start_image', seed: null };
  const given = rules({ names, fields: { fps: 24, duration: 99 } });
  const generation = sampleGeneration({
    generationType: 'image-to-video',
    imageUrls: urls(1),
    seed: 7,
  });
  assert.deepEqual(inputOf(generation, given), {
    fps: 24,
    text: generation.prompt,
    duration: 5,
    resolution: '720p',
    aspect_ratio: '16:9',
    generate_audio: true,
    start_image: urls(1)[0],
  });
});

const references = { generationType: 'reference-to-video' } as const;
const unsupportedCases: readonly (readonly [Partial<Generation>, string])[] = [
  [{ watermark: true }, 'input.watermark true is not supported'],
  [{ duration: 16 }, 'input.duration 16 is not supported (at most 15)'],
  [
    { prompt: 'x'.repeat(4_001) },
    'input.prompt with 4001 characters is not supported (at most 4000)',
  ],
  [
    { ...references, imageUrls: urls(10) },
    'input.image_urls with 10 items is not supported (at most 9)',
  ],
  [
    { ...references, audioUrls: urls(1) },
    'input.audio_urls without an image or video is not supported',
  ],
];
for (const [change, expected] of unsupportedCases) {
  test(`refuses: ${expected}`, () => {
    assert.equal(unsupportedReason(sampleGeneration(change), rules()), expected);
  });
}

test('refuses what a model has no input for', () => {
  const names = { ...seedanceInputs, lastFrame: null, videos: null };
  const unsupported = (change: Partial<Generation>) =>
    unsupportedReason(sampleGeneration(change), rules({ names }));
  const frames = { generationType: 'image-to-video', imageUrls: urls(2) } as const;
  assert.match(unsupported(frames) ?? '', /^input\.image_urls with a last frame/);
  assert.equal(unsupported({ ...frames, imageUrls: urls(1) }), null);
  assert.equal(
    unsupported({ ...references, videoUrls: urls(1) }),
    'input.video_urls is not supported',
  );
});

const rulesOf = (model: ModelName) => rules(seedanceRules(model));

test('allows what the schema of model 2.5 does, and no more', () => {
  const unsupported = (change: Partial<Generation>) =>
    unsupportedReason(sampleGeneration(change), rulesOf('vidgen-2-5'));
  assert.equal(unsupported({ watermark: true, duration: 30, prompt: 'x'.repeat(10_000) }), null);
  assert.equal(unsupported({ ...references, imageUrls: urls(30), videoUrls: urls(10) }), null);
  assert.equal(unsupported({ resolution: '1080p' }), 'input.resolution 1080p is not supported');
  const input = inputOf(sampleGeneration({ watermark: true }), rulesOf('vidgen-2-5'));
  assert.equal(input.watermark, true);
  assert.ok(!('watermark' in inputOf(sampleGeneration(), rulesOf('vidgen-2-0'))));
});
