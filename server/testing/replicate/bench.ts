/** The Replicate adapter on its double: the conformance harness, and short cuts for tests. */
import assert from 'node:assert/strict';
import type { Provider } from '../../providers/provider.ts';
import { createReplicate, type ReplicateOptions } from '../../providers/replicate/replicate.ts';
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
import { type DoubleOptions, doubleModels, type Fault, ReplicateDouble } from './double.ts';
import { type Input, type RawAnswer, words } from './rules.ts';

export const htmlPage: RawAnswer = {
  status: 404,
  body: '<html><body><h1>Not Found</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};
const garbage: RawAnswer = { status: 201, body: '{"id": 17' };
const wrongTypes: RawAnswer = { status: 200, body: '{"id":{},"status":["starting"],"output":3}' };
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
  'account-refused': declined(words['no credit']),
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

const turns: Record<Turn, (double: ReplicateDouble, id: string) => void> = {
  running: (double, id) => double.advance(id, 'processing'),
  completed: (double, id) => double.advance(id, 'succeeded'),
  'completed-without-video': (double, id) => double.advance(id, 'succeeded', { output: null }),
  failed: (double, id) => double.advance(id, 'failed'),
  'content-rejected': (double, id) =>
    double.advance(id, 'failed', { error: 'Input flagged as sensitive (E005)' }),
  expired: (double, id) => double.advance(id, 'aborted'),
  vanished: (double, id) => double.vanish(id),
  'unknown-status': (double, id) => double.advance(id, 'queued'),
};

const patient = { createTimeoutMs: 30_000, readTimeoutMs: 30_000 };
/** For what never answers; long enough for a busy machine to answer the rest. */
const impatient = { createTimeoutMs: 1_000, readTimeoutMs: 1_000 };

export function adapterFor(
  double: ReplicateDouble,
  change: Partial<ReplicateOptions> = {},
): Provider {
  return createReplicate({
    name: 'replicate',
    baseUrl: double.baseUrl,
    apiKey: () => double.apiKey,
    models: doubleModels,
    read: () => () => 'unused',
    ...patient,
    getPerSecond: 1_000,
    ...change,
  });
}

export const callbackUrlOf = (reference: string): string =>
  `https://svc.example.test/callbacks/replicate/${reference}`;

/** As the service asks it: with an address to call. */
export const withCallbacks = (adapter: Provider): Provider => ({
  ...adapter,
  start: (request) => adapter.start({ ...request, callbackUrl: callbackUrlOf(request.reference) }),
});

async function openBench(options: { impatient: boolean }): Promise<Bench> {
  const results = await startResultServer();
  const double = await ReplicateDouble.start({ outputUrl: results.videoUrl });
  const provider = withCallbacks(adapterFor(double, options.impatient ? impatient : {}));
  return {
    provider,
    troubleStart: async (trouble) => {
      if (trouble === 'unreachable') await double.close();
      else double.next('create', startFaults[trouble]);
    },
    troubleStatus: (trouble) => double.next('get', statusFaults[trouble]),
    turn: (operation, turn) => turns[turn](double, operation),
    received: () => understood(double.predictions().at(-1)!.input),
    generations: (reference) =>
      double.predictions().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
    holds: (operation) => double.prediction(operation).output !== null,
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
  const frames = (['image', 'last_frame_image'] as const).flatMap((name, index) =>
    name in input
      ? [{ url: String(input[name]), role: index === 0 ? ('first' as const) : ('last' as const) }]
      : [],
  );
  return {
    prompt: String(input.prompt),
    seed: input.seed as number | undefined,
    durationSeconds: input.duration as number | undefined,
    images: [...frames, ...list('reference_images')],
    videos: list('reference_videos'),
    audios: list('reference_audios'),
  };
}

export const replicateHarness: Harness = { open: openBench };

export type WithDouble = {
  readonly adapter?: Partial<ReplicateOptions>;
  readonly double?: DoubleOptions;
};

/** Runs one test with a fresh double and adapter. */
export async function withDouble(
  run: (double: ReplicateDouble, provider: Provider) => Promise<void>,
  change: WithDouble = {},
): Promise<void> {
  await using double = await ReplicateDouble.start(change.double);
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
