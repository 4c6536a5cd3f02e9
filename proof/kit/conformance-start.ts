/** What the provider contract promises about `start`: what is sent, and what each answer proves. */
import assert from 'node:assert/strict';
import type { StartRequest } from '../../server/providers/provider.ts';
import {
  type AdapterFixture,
  type ConformanceCase,
  type StartFault,
  sampleStart,
  sampleStatus,
  startGeneration,
} from './conformance-fixture.ts';

/** Long after any start: whatever was going to be created has been. */
const longAgoSeconds = 86_400;

/** Resumes after an answer that proved nothing, as the declared protection allows. */
async function recoverStart(fixture: AdapterFixture, request: StartRequest): Promise<void> {
  const { provider } = fixture;
  if (provider.protection === 'none') return;
  if (provider.protection === 'look-up') {
    assert.ok(provider.find, 'protection look-up comes with find');
    const found = await provider.find(request.reference, request.generation, longAgoSeconds);
    assert.notEqual(found.outcome, 'unknown', JSON.stringify(found));
    if (found.outcome === 'found') {
      const status = await provider.status(sampleStatus(found.operation, request));
      assert.equal(status.outcome, 'pending', 'the operation found is one that can be asked about');
      return;
    }
  }
  const again = await provider.start(request);
  assert.equal(again.outcome, 'accepted', JSON.stringify(again));
}

/**
 * A start whose answer proves nothing, then recovery: at most one generation, exactly one if
 * protected.
 */
const unprovenStart = (fault: StartFault) => async (fixture: AdapterFixture) => {
  const request = sampleStart();
  await fixture.failStart(fault);
  const result = await fixture.provider.start(request);
  assert.equal(result.outcome, 'unknown', JSON.stringify(result));
  await recoverStart(fixture, request);
  const generations = fixture.generations(request.reference);
  if (fixture.provider.protection === 'none') assert.ok(generations <= 1);
  else assert.equal(generations, 1);
};

/** A start that was not accepted: nothing may have been created. */
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
const references = (list: readonly string[]) =>
  list.map((url) => ({ url, role: 'reference' as const }));

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
    promise: 'sends no seed when there is none',
    run: async (fixture) => {
      await startGeneration(fixture, { seed: null });
      assert.equal(fixture.received().seed, undefined);
    },
  },
  {
    id: 'text-to-video',
    promise: 'sends a text with empty lists, and no material',
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
    promise: 'sends two images as first and last frame',
    run: async (fixture) => {
      const [first, last] = urls('image', 2) as [string, string];
      await startGeneration(fixture, {
        generationType: 'image-to-video',
        imageUrls: [first, last],
      });
      assert.deepEqual(fixture.received().images, [
        { url: first, role: 'first' },
        { url: last, role: 'last' },
      ]);
    },
  },
  {
    id: 'references',
    promise: 'sends references of each kind in their order',
    run: async (fixture) => {
      const [imageUrls, videoUrls, audioUrls] = [urls('i', 3), urls('v', 2), urls('a', 2)];
      const generationType = 'reference-to-video';
      await startGeneration(fixture, { generationType, imageUrls, videoUrls, audioUrls });
      const { images, videos, audios } = fixture.received();
      assert.deepEqual(images, references(imageUrls));
      assert.deepEqual(videos, references(videoUrls));
      assert.deepEqual(audios, references(audioUrls));
    },
  },
  {
    id: 'editing',
    promise: 'leaves the length of an edit to its source',
    run: async (fixture) => {
      await startGeneration(fixture, {
        model: 'vidgen-2-5',
        generationType: 'reference-to-video',
        videoUrls: urls('video', 1),
        duration: -1,
        aspectRatio: 'adaptive',
      });
      assert.ok([-1, undefined].includes(fixture.received().durationSeconds));
    },
  },
] as const satisfies readonly ConformanceCase[];

export const startCases = [
  {
    id: 'answer-lost',
    promise: 'says unknown when the answer is lost, and recovery starts nothing twice',
    run: unprovenStart('answer-lost'),
  },
  {
    id: 'error-after-creating',
    promise: 'says unknown on a server error after creating, and recovery starts nothing twice',
    run: unprovenStart('error-after-creating'),
  },
  {
    id: 'error-without-creating',
    promise: 'says unknown on a server error, and recovery starts one generation',
    run: unprovenStart('error-without-creating'),
  },
  {
    id: 'start-garbage',
    promise: 'says unknown when the answer cannot be read, and recovery starts nothing twice',
    run: unprovenStart('garbage'),
  },
  {
    id: 'start-slow',
    promise: 'ends a start without an answer at its deadline, as unknown',
    shortTimeouts: true,
    run: unprovenStart('never-answers'),
  },
  {
    id: 'start-html',
    promise: 'never throws for an error page; nothing was created',
    run: async (fixture) => {
      const request = sampleStart();
      await fixture.failStart('html');
      const result = await fixture.provider.start(request);
      assert.notEqual(result.outcome, 'accepted');
      assert.equal(fixture.generations(request.reference), 0);
    },
  },
  {
    id: 'unreachable',
    promise: 'takes a connection that was never made as proof, and asks to come back',
    run: declinedStart('unreachable', { outcome: 'throttled' }),
  },
  {
    id: 'throttled',
    promise: 'tells to come back later when throttled',
    run: declinedStart('throttled', { outcome: 'throttled' }),
  },
  {
    id: 'content-rejected-at-start',
    promise: 'calls refused content rejected, says what of it, and sends it nowhere else',
    run: declinedStart('content-rejected', {
      outcome: 'refused',
      reason: 'rejected',
      rejectedPart: 'prompt',
      canFailOver: false,
    }),
  },
  {
    id: 'input-refused',
    promise: 'calls a refused parameter failed',
    run: declinedStart('input-refused', { outcome: 'refused', reason: 'failed' }),
  },
  {
    id: 'account-refused',
    promise: 'lets another provider try when the account is at fault',
    run: declinedStart('account-refused', {
      outcome: 'refused',
      reason: 'failed',
      canFailOver: true,
    }),
  },
  {
    id: 'two-references',
    promise: 'starts one generation for each reference',
    run: async (fixture) => {
      const [first, second] = [await startGeneration(fixture), await startGeneration(fixture)];
      assert.notEqual(first.operation, second.operation);
      assert.equal(fixture.generations(first.request.reference), 1);
      assert.equal(fixture.generations(second.request.reference), 1);
    },
  },
] as const satisfies readonly ConformanceCase[];
