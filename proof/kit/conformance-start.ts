/** Conformance cases of `start`: what is sent upstream, and what each response proves. */
import assert from 'node:assert/strict';
import type { StartRequest } from '../../server/providers/provider.ts';
import {
  type AdapterFixture,
  type ConformanceCase,
  editSeconds,
  findAccount,
  materialsOf,
  type StartFault,
  sampleStart,
  sampleStatus,
  startGeneration,
} from './conformance-fixture.ts';

/** Long enough after a start that nothing more is created. */
const longAgoSeconds = 86_400;

/** Resumes after an unknown outcome, as the declared protection allows. */
async function recoverStart(fixture: AdapterFixture, request: StartRequest): Promise<void> {
  const { provider } = fixture;
  if (provider.protection === 'none') return;
  if (provider.protection === 'look-up') {
    assert.ok(provider.find, 'protection look-up requires find');
    const { reference, generation } = request;
    const account = findAccount(request);
    const found = await provider.find(reference, generation, longAgoSeconds, account);
    assert.notEqual(found.outcome, 'unknown', JSON.stringify(found));
    if (found.outcome === 'found') {
      const status = await provider.status(sampleStatus(found.operation, request));
      assert.equal(status.outcome, 'pending', 'the found operation can be polled');
      return;
    }
  }
  const again = await provider.start(request);
  assert.equal(again.outcome, 'accepted', JSON.stringify(again));
}

/**
 * A start with an unknown outcome, then recovery: at most one generation, exactly one if
 * protected.
 */
const unknownStart = (fault: StartFault) => async (fixture: AdapterFixture) => {
  const request = sampleStart();
  await fixture.failStart(fault);
  const result = await fixture.provider.start(request);
  assert.equal(result.outcome, 'unknown', JSON.stringify(result));
  await recoverStart(fixture, request);
  const generations = fixture.generations(request.reference);
  if (fixture.provider.protection === 'none') assert.ok(generations <= 1);
  else assert.equal(generations, 1);
};

/** A declined start: nothing may have been created. */
const declinedStart =
  (fault: StartFault, expected: Readonly<Record<string, unknown>>) =>
  async (fixture: AdapterFixture) => {
    const request = sampleStart();
    await fixture.failStart(fault);
    const result = await fixture.provider.start(request);
    assert.partialDeepStrictEqual(result, expected, JSON.stringify(result));
    assert.equal(fixture.generations(request.reference), 0);
    if (result.outcome === 'throttled') assert.ok(result.retryAfterSeconds >= 1);
  };

const urls = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${kind}-${index}.bin`);
export const requestCases = [
  {
    id: 'seed-zero',
    promise: 'sends seed 0',
    run: async (fixture) => {
      await startGeneration(fixture, { seed: 0 });
      assert.equal(fixture.received().seed, 0);
    },
  },
  {
    id: 'seed-none',
    promise: 'sends no seed when the request has none',
    run: async (fixture) => {
      await startGeneration(fixture, { seed: null });
      assert.equal(fixture.received().seed, undefined);
    },
  },
  {
    id: 'text-to-video',
    promise: 'sends the prompt and the duration, and no material',
    run: async (fixture) => {
      await startGeneration(fixture);
      const { prompt, images, videos, audios, durationSeconds } = fixture.received();
      assert.equal(prompt, 'A paper boat drifts on a quiet lake');
      assert.deepEqual([images, videos, audios], [[], [], []]);
      assert.equal(durationSeconds, 5);
    },
  },
  {
    id: 'first-frame',
    promise: 'sends one image as the first frame',
    run: async (fixture) => {
      const [url] = urls('image', 1) as [string];
      await startGeneration(fixture, { generationType: 'image-to-video', imageUrls: [url] });
      assert.deepEqual(fixture.received().images, [{ url, role: 'first' }]);
    },
  },
  {
    id: 'first-and-last-frame',
    promise: 'sends two images as the first and the last frame',
    run: async (fixture) => {
      const [first, last] = urls('image', 2) as [string, string];
      const imageUrls = [first, last];
      await startGeneration(fixture, { generationType: 'image-to-video', imageUrls });
      assert.deepEqual(fixture.received().images, [
        { url: first, role: 'first' },
        { url: last, role: 'last' },
      ]);
    },
  },
  {
    id: 'references',
    promise: 'sends references of each kind in order',
    run: async (fixture) => {
      const imageUrls = urls('i', 3);
      const videoUrls = urls('v', 2);
      const audioUrls = urls('a', 2);
      const generationType = 'reference-to-video';
      await startGeneration(fixture, { generationType, imageUrls, videoUrls, audioUrls });
      const { images, videos, audios } = fixture.received();
      assert.deepEqual(images, materialsOf(imageUrls));
      assert.deepEqual(videos, materialsOf(videoUrls));
      assert.deepEqual(audios, materialsOf(audioUrls));
    },
  },
  {
    id: 'editing',
    promise: 'leaves the duration of an edit to its source, or sends the priced one',
    run: async (fixture) => {
      await startGeneration(fixture, {
        model: 'vidgen-2-5',
        generationType: 'reference-to-video',
        videoUrls: urls('video', 1),
        duration: -1,
        aspectRatio: 'adaptive',
      });
      const { durationSeconds, videos } = fixture.received();
      assert.ok([-1, undefined, Math.floor(editSeconds)].includes(durationSeconds));
      assert.equal(videos.length, 1);
    },
  },
] as const satisfies readonly ConformanceCase[];

const unknownStarts = [
  ['response-lost', 'response-lost', 'the response is lost'],
  ['error-after-creating', 'error-after-creating', 'a server error follows the creation'],
  ['error-without-creating', 'error-without-creating', 'a server error prevents the creation'],
  ['start-garbage', 'garbage', 'the response cannot be parsed'],
  ['start-slow', 'no-response', 'no response arrives before the deadline'],
] as const;

const declinedStarts = [
  ['unreachable', 'treats a failed connection as not started', { outcome: 'throttled' }],
  ['throttled', 'reports throttling with a delay', { outcome: 'throttled' }],
  [
    'input-refused',
    'reports a declined parameter as failed',
    { outcome: 'rejected', reason: 'failed' },
  ],
  [
    'account-refused',
    'allows failover when the account is at fault',
    { outcome: 'rejected', reason: 'failed', canFailOver: true },
  ],
] as const;

export const startCases = [
  ...unknownStarts.map(([id, fault, what]) => ({
    id,
    promise: `returns unknown when ${what}, and recovery starts nothing twice`,
    shortTimeouts: fault === 'no-response',
    run: unknownStart(fault),
  })),
  ...declinedStarts.map(([id, promise, expected]) => ({
    id,
    promise,
    run: declinedStart(id, expected),
  })),
  {
    id: 'content-rejected-at-start',
    promise: 'reports declined content as rejected, names the part, and allows no failover',
    run: declinedStart('content-rejected', {
      outcome: 'rejected',
      reason: 'rejected',
      rejectedPart: 'prompt',
      canFailOver: false,
    }),
  },
  {
    id: 'start-html',
    promise: 'does not throw on an HTML error page, and nothing is created',
    run: async (fixture) => {
      const request = sampleStart();
      await fixture.failStart('html');
      const result = await fixture.provider.start(request);
      assert.notEqual(result.outcome, 'accepted');
      assert.equal(fixture.generations(request.reference), 0);
    },
  },
  {
    id: 'two-references',
    promise: 'starts one generation for each reference',
    run: async (fixture) => {
      const first = await startGeneration(fixture);
      const second = await startGeneration(fixture);
      assert.notEqual(first.operation, second.operation);
      assert.equal(fixture.generations(first.request.reference), 1);
      assert.equal(fixture.generations(second.request.reference), 1);
    },
  },
] as const satisfies readonly ConformanceCase[];
