/** The fal adapter on its double: the conformance harness, and short cuts for tests. */
import assert from 'node:assert/strict';
import { createFal, type FalOptions } from '../../providers/fal/fal.ts';
import type { Provider } from '../../providers/provider.ts';
import type { Harness } from '../conformance.ts';
import {
  type Bench,
  type ReceivedStart,
  type StartTrouble,
  type StatusTrouble,
  sampleStart,
  type Turn,
} from '../conformance-bench.ts';
import { startResultServer } from '../result-server.ts';
import { type DoubleOptions, doubleModels, FalDouble, type Fault } from './double.ts';
import { type Input, json, type RawAnswer, words } from './rules.ts';

export const htmlPage: RawAnswer = {
  status: 404,
  body: '<html><body><h1>Not Found</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};
const garbage: RawAnswer = { status: 200, body: '{"request_id": 17' };
const wrongTypes: RawAnswer = { status: 200, body: '{"request_id":{},"status":["IN_QUEUE"]}' };
/** Refused or garbled before it took effect. */
export const declined = (answer: RawAnswer): Fault => ({ work: 'not-done', answer });

const startFaults: Record<Exclude<StartTrouble, 'unreachable'>, Fault> = {
  'answer-lost': { work: 'done', answer: 'lose' },
  'error-after-creating': { work: 'done', answer: words['bad gateway'] },
  'error-without-creating': { work: 'not-done', answer: words['server error'] },
  'never-answers': { work: 'done', answer: 'hang' },
  garbage: { work: 'done', answer: garbage },
  html: declined(htmlPage),
  'content-rejected': declined(words['content refused']),
  'input-refused': declined(words['input refused']),
  'account-refused': declined(words['no balance']),
  throttled: declined(words.throttled),
};

const statusFaults: Record<StatusTrouble, Fault> = {
  error: declined(words['server error']),
  throttled: declined(words.throttled),
  'never-answers': { work: 'not-done', answer: 'hang' },
  garbage: declined(garbage),
  html: declined(htmlPage),
  types: declined(wrongTypes),
};

const turns: Record<Turn, (double: FalDouble, id: string) => void> = {
  running: (double, id) => double.advance(id, 'IN_PROGRESS'),
  completed: (double, id) => double.complete(id),
  'completed-without-video': (double, id) => double.complete(id, json(200, { seed: 42 })),
  failed: (double, id) => double.complete(id, words['runner lost']),
  'content-rejected': (double, id) => double.complete(id, words['content refused']),
  expired: (double, id) => double.complete(id, words['not begun in time']),
  vanished: (double, id) => double.vanish(id),
  'unknown-status': (double, id) => double.advance(id, 'PAUSED'),
};

const patient = { createTimeoutMs: 30_000, readTimeoutMs: 30_000 };
/** For what never answers; long enough for a busy machine to answer the rest. */
const impatient = { createTimeoutMs: 1_000, readTimeoutMs: 1_000 };

export function adapterFor(double: FalDouble, change: Partial<FalOptions> = {}): Provider {
  return createFal({
    name: 'fal',
    baseUrl: double.baseUrl,
    keySetUrl: double.keySetUrl,
    apiKey: () => double.apiKey,
    models: doubleModels,
    ...patient,
    getPerSecond: 1_000,
    ...change,
  });
}

export const callbackUrlOf = (reference: string): string =>
  `https://svc.example.test/callbacks/fal/${reference}`;

/** As the service asks it: with an address to call. */
export const withCallbacks = (adapter: Provider): Provider => ({
  ...adapter,
  start: (request) => adapter.start({ ...request, callbackUrl: callbackUrlOf(request.reference) }),
});

/** The request that an operation speaks of. */
export const idOf = (operation: string): string =>
  /(?:^|\/requests\/)([\w-]+)(?:\/response)?$/.exec(operation)![1]!;

async function openBench(options: { impatient: boolean }): Promise<Bench> {
  const results = await startResultServer();
  const double = await FalDouble.start({ outputUrl: results.videoUrl });
  const provider = withCallbacks(adapterFor(double, options.impatient ? impatient : {}));
  return {
    provider,
    troubleStart: async (trouble) => {
      if (trouble === 'unreachable') await double.close();
      else double.next('submit', startFaults[trouble]);
    },
    troubleStatus: (trouble) => double.next('status', statusFaults[trouble]),
    turn: (operation, turn) => turns[turn](double, idOf(operation)),
    received: () => understood(double.queued().at(-1)!.input),
    generations: (reference) =>
      double.queued().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
    holds: (operation) => double.request(idOf(operation)).status === 'COMPLETED',
    close: async () => {
      await provider.close?.();
      await double.close();
      await results.close();
    },
  };
}

function understood(input: Input): ReceivedStart {
  const list = (name: string) =>
    ((input[name] ?? []) as string[]).map((url) => ({ url, role: 'reference' as const }));
  const frame = (name: string, role: 'first' | 'last') =>
    name in input ? [{ url: String(input[name]), role }] : [];
  return {
    prompt: String(input.prompt),
    seed: input.seed as number | undefined,
    durationSeconds: input.duration === 'auto' ? -1 : Number(input.duration),
    images: [
      ...frame('image_url', 'first'),
      ...frame('end_image_url', 'last'),
      ...list('image_urls'),
    ],
    videos: list('video_urls'),
    audios: list('audio_urls'),
  };
}

export const falHarness: Harness = { open: openBench };

export type WithDouble = {
  readonly adapter?: Partial<FalOptions>;
  readonly double?: DoubleOptions;
};

/** Runs one test with a fresh double and adapter. */
export async function withDouble(
  run: (double: FalDouble, provider: Provider) => Promise<void>,
  change: WithDouble = {},
): Promise<void> {
  await using double = await FalDouble.start(change.double);
  const provider = withCallbacks(adapterFor(double, change.adapter));
  try {
    await run(double, provider);
  } finally {
    await provider.close?.();
  }
}

/** Starts a generation that must be accepted. */
export async function accepted(provider: Provider, start = sampleStart()): Promise<string> {
  const answer = await provider.start(start);
  assert.ok(answer.outcome === 'accepted', JSON.stringify(answer));
  return answer.operation;
}
