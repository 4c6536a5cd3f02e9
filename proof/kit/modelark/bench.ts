/** The ModelArk adapter on its double: the conformance harness, and short cuts for tests. */
import assert from 'node:assert/strict';
import {
  createModelArk,
  type ModelArkOptions,
} from '../../../server/providers/modelark/modelark.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import {
  type Bench,
  type ReceivedStart,
  type StartTrouble,
  type StatusTrouble,
  sampleStart,
  type Turn,
} from '../conformance-bench.ts';
import { type DoubleOptions, doubleModels, type Fault, ModelArkDouble } from './double.ts';
import { documentedError, type RawAnswer } from './errors.ts';
import type { CreateBody } from './rules.ts';

export const htmlPage: RawAnswer = {
  status: 404,
  body: '<html><body><h1>Not Found</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};
export const garbage: RawAnswer = { status: 200, body: '{"id": 17' };
const wrongTypes: RawAnswer = { status: 200, body: '{"id":{},"status":["queued"],"content":3}' };
export const internalError = documentedError('InternalServiceError');
/** Refused or garbled before it took effect. */
export const declined = (answer: RawAnswer): Fault => ({ work: 'not-done', answer });

const startFaults: Record<Exclude<StartTrouble, 'unreachable'>, Fault> = {
  'answer-lost': { work: 'done', answer: 'lose' },
  'error-after-creating': { work: 'done', answer: internalError },
  'error-without-creating': { work: 'not-done', answer: internalError },
  'never-answers': { work: 'done', answer: 'hang' },
  garbage: { work: 'done', answer: garbage },
  html: declined(htmlPage),
  'content-rejected': declined(documentedError('InputTextSensitiveContentDetected')),
  'input-refused': declined(documentedError('InvalidParameter')),
  'account-refused': declined(documentedError('AccountOverdueError')),
  throttled: declined(documentedError('ServerOverloaded')),
};

const statusFaults: Record<StatusTrouble, Fault> = {
  error: declined(internalError),
  throttled: declined(documentedError('AccountRateLimitExceeded')),
  'never-answers': { work: 'not-done', answer: 'hang' },
  garbage: declined(garbage),
  html: declined(htmlPage),
  types: declined(wrongTypes),
};

const patient = { createTimeoutMs: 30_000, readTimeoutMs: 30_000 };
/** For what never answers; long enough for a busy machine to answer the rest. */
export const impatient = { createTimeoutMs: 1_000, readTimeoutMs: 1_000 };

export function adapterFor(double: ModelArkDouble, change: Partial<ModelArkOptions> = {}) {
  return createModelArk({
    name: 'modelark',
    baseUrl: double.baseUrl,
    apiKey: () => double.apiKey,
    models: doubleModels,
    ...patient,
    getPerSecond: 1_000,
    ...change,
  });
}

type CreateAdapter = (double: ModelArkDouble, timing: Partial<typeof patient>) => Provider;

async function openBench(create: CreateAdapter, hurried: boolean): Promise<Bench> {
  const double = await ModelArkDouble.start();
  const provider = create(double, hurried ? impatient : patient);
  return {
    provider,
    troubleStart: async (trouble) => {
      if (trouble === 'unreachable') await double.close();
      else double.next('create', startFaults[trouble]);
    },
    troubleStatus: (trouble) => double.next('get', statusFaults[trouble]),
    turn: (operation, turn) => turns[turn](double, operation),
    received: () => understood(double.tasks().at(-1)!.body),
    generations: (reference) => double.generations(reference),
    holds: (operation) => double.tasks().some((task) => task.id === operation),
    close: async () => {
      await provider.close?.();
      await double.close();
    },
  };
}

const turns: Record<Turn, (double: ModelArkDouble, id: string) => void> = {
  running: (double, id) => double.advance(id, 'running'),
  completed: (double, id) => double.advance(id, 'succeeded'),
  'completed-without-video': (double, id) => double.advance(id, 'succeeded', { video: false }),
  failed: (double, id) => double.advance(id, 'failed'),
  'content-rejected': (double, id) =>
    double.advance(id, 'failed', { code: 'OutputVideoSensitiveContentDetected' }),
  expired: (double, id) => double.advance(id, 'expired'),
  vanished: (double, id) => double.vanish(id),
  'unknown-status': (double, id) => double.advance(id, 'paused'),
};

function understood(body: CreateBody): ReceivedStart {
  const roles = { first_frame: 'first', last_frame: 'last' } as const;
  const materials = (kind: 'image' | 'video' | 'audio') =>
    body.content
      .filter((item) => item.type === `${kind}_url`)
      .map((item) => ({
        url: item[`${kind}_url`]!.url,
        role: roles[item.role as keyof typeof roles] ?? ('reference' as const),
      }));
  return {
    prompt: body.content[0]?.text ?? '',
    seed: body.seed,
    durationSeconds: body.duration,
    images: materials('image'),
    videos: materials('video'),
    audios: materials('audio'),
  };
}

/** Whatever speaks to the double: our adapter for it, or one that only has it described. */
export const harnessWith = (create: CreateAdapter): Harness => ({
  open: ({ impatient: hurried }) => openBench(create, hurried),
});
export const modelArkHarness = harnessWith(adapterFor);

export type WithDouble = {
  readonly adapter?: Partial<ModelArkOptions>;
  readonly double?: DoubleOptions;
};

/** Runs one test with a fresh double and adapter; lists are not limited unless asked for. */
export async function withDouble(
  run: (double: ModelArkDouble, provider: Provider) => Promise<void>,
  change: WithDouble = {},
): Promise<void> {
  await using double = await ModelArkDouble.start({ listPerSecond: 0, ...change.double });
  const provider = adapterFor(double, { listPerSecond: 1_000, ...change.adapter });
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
