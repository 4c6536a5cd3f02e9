/** What the provider contract promises about `start`: what is sent, and what each answer proves. */
import assert from 'node:assert/strict';
import type { StartRequest } from '../../server/providers/provider.ts';
import {
  type Bench,
  type Case,
  type StartTrouble,
  sampleStart,
  sampleStatus,
  started,
} from './conformance-bench.ts';

/** Long after any start: whatever was going to be created has been. */
const longAgoSeconds = 86_400;

/** Resumes after an answer that proved nothing, as the declared protection allows. */
async function resume(bench: Bench, request: StartRequest): Promise<void> {
  const { provider } = bench;
  if (provider.protection === 'none') return;
  if (provider.protection === 'look-up') {
    assert.ok(provider.find, 'protection look-up comes with find');
    const found = await provider.find(request.reference, request.generation, longAgoSeconds);
    assert.notEqual(found.outcome, 'unknown', JSON.stringify(found));
    if (found.outcome === 'found') {
      const look = await provider.status(sampleStatus(found.operation, request));
      assert.equal(look.outcome, 'pending', 'the operation found is one that can be asked about');
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
const unprovenStart = (trouble: StartTrouble) => async (bench: Bench) => {
  const request = sampleStart();
  await bench.troubleStart(trouble);
  const answer = await bench.provider.start(request);
  assert.equal(answer.outcome, 'unknown', JSON.stringify(answer));
  await resume(bench, request);
  const generations = bench.generations(request.reference);
  if (bench.provider.protection === 'none') assert.ok(generations <= 1);
  else assert.equal(generations, 1);
};

/** A start that was not accepted: nothing may have been created. */
const declinedStart =
  (trouble: StartTrouble, expected: Readonly<Record<string, unknown>>) => async (bench: Bench) => {
    const request = sampleStart();
    await bench.troubleStart(trouble);
    const answer = await bench.provider.start(request);
    assert.partialDeepStrictEqual(answer, expected, JSON.stringify(answer));
    assert.equal(bench.generations(request.reference), 0);
    if (answer.outcome === 'throttled') assert.ok(answer.retryAfterSeconds >= 1);
  };

const urls = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${kind}-${index}.bin`);
const references = (list: readonly string[]) =>
  list.map((url) => ({ url, role: 'reference' as const }));

export const requestCases = [
  {
    id: 'seed-zero',
    promise: 'sends seed 0',
    run: async (bench) => {
      await started(bench, { seed: 0 });
      assert.equal(bench.received().seed, 0);
    },
  },
  {
    id: 'seed-none',
    promise: 'sends no seed when there is none',
    run: async (bench) => {
      await started(bench, { seed: null });
      assert.equal(bench.received().seed, undefined);
    },
  },
  {
    id: 'text-to-video',
    promise: 'sends a text with empty lists, and no material',
    run: async (bench) => {
      await started(bench);
      const { prompt, images, videos, audios, durationSeconds } = bench.received();
      assert.equal(prompt, 'A paper boat drifts on a quiet lake');
      assert.deepEqual([images, videos, audios], [[], [], []]);
      assert.equal(durationSeconds, 5);
    },
  },
  {
    id: 'first-frame',
    promise: 'sends one image as the first frame',
    run: async (bench) => {
      const [url] = urls('image', 1) as [string];
      await started(bench, { generationType: 'image-to-video', imageUrls: [url] });
      assert.deepEqual(bench.received().images, [{ url, role: 'first' }]);
    },
  },
  {
    id: 'first-and-last-frame',
    promise: 'sends two images as first and last frame',
    run: async (bench) => {
      const [first, last] = urls('image', 2) as [string, string];
      await started(bench, { generationType: 'image-to-video', imageUrls: [first, last] });
      assert.deepEqual(bench.received().images, [
        { url: first, role: 'first' },
        { url: last, role: 'last' },
      ]);
    },
  },
  {
    id: 'references',
    promise: 'sends references of each kind in their order',
    run: async (bench) => {
      const [imageUrls, videoUrls, audioUrls] = [urls('i', 3), urls('v', 2), urls('a', 2)];
      const generationType = 'reference-to-video';
      await started(bench, { generationType, imageUrls, videoUrls, audioUrls });
      const { images, videos, audios } = bench.received();
      assert.deepEqual(images, references(imageUrls));
      assert.deepEqual(videos, references(videoUrls));
      assert.deepEqual(audios, references(audioUrls));
    },
  },
  {
    id: 'editing',
    promise: 'leaves the length of an edit to its source',
    run: async (bench) => {
      await started(bench, {
        model: 'vidgen-2-5',
        generationType: 'reference-to-video',
        videoUrls: urls('video', 1),
        duration: -1,
        aspectRatio: 'adaptive',
      });
      assert.ok([-1, undefined].includes(bench.received().durationSeconds));
    },
  },
] as const satisfies readonly Case[];

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
    impatient: true,
    run: unprovenStart('never-answers'),
  },
  {
    id: 'start-html',
    promise: 'never throws for an error page; nothing was created',
    run: async (bench) => {
      const request = sampleStart();
      await bench.troubleStart('html');
      const answer = await bench.provider.start(request);
      assert.notEqual(answer.outcome, 'accepted');
      assert.equal(bench.generations(request.reference), 0);
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
      refused: 'prompt',
      tryAnother: false,
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
      tryAnother: true,
    }),
  },
  {
    id: 'two-references',
    promise: 'starts one generation for each reference',
    run: async (bench) => {
      const [first, second] = [await started(bench), await started(bench)];
      assert.notEqual(first.operation, second.operation);
      assert.equal(bench.generations(first.request.reference), 1);
      assert.equal(bench.generations(second.request.reference), 1);
    },
  },
] as const satisfies readonly Case[];
