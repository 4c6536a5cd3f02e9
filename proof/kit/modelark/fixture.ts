/** The ModelArk adapter on its double: the conformance harness, and short cuts for tests. */
import assert from 'node:assert/strict';
import {
  createModelArk,
  type ModelArkOptions,
} from '../../../server/providers/modelark/modelark.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import {
  type AdapterFixture,
  type ReceivedStart,
  type StartFault,
  type StatusFault,
  sampleStart,
  type UpstreamState,
} from '../conformance-fixture.ts';
import { documentedError, type ModelArkResponse } from './errors.ts';
import { FakeModelArk, type FakeModelArkOptions, fakeModels, type ModelArkFault } from './fake.ts';
import type { ModelArkCreateBody } from './rules.ts';

export const htmlPage: ModelArkResponse = {
  status: 404,
  body: '<html><body><h1>Not Found</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};
export const garbage: ModelArkResponse = { status: 200, body: '{"id": 17' };
const wrongTypes: ModelArkResponse = {
  status: 200,
  body: '{"id":{},"status":["queued"],"content":3}',
};
export const internalError = documentedError('InternalServiceError');
/** Refused or garbled before it took effect. */
export const declined = (response: ModelArkResponse): ModelArkFault => ({
  work: 'not-done',
  response,
});

const startFaults: Record<Exclude<StartFault, 'unreachable'>, ModelArkFault> = {
  'answer-lost': { work: 'done', response: 'lose' },
  'error-after-creating': { work: 'done', response: internalError },
  'error-without-creating': { work: 'not-done', response: internalError },
  'never-answers': { work: 'done', response: 'hang' },
  garbage: { work: 'done', response: garbage },
  html: declined(htmlPage),
  'content-rejected': declined(documentedError('InputTextSensitiveContentDetected')),
  'input-refused': declined(documentedError('InvalidParameter')),
  'account-refused': declined(documentedError('AccountOverdueError')),
  throttled: declined(documentedError('ServerOverloaded')),
};

const statusFaults: Record<StatusFault, ModelArkFault> = {
  error: declined(internalError),
  throttled: declined(documentedError('AccountRateLimitExceeded')),
  'never-answers': { work: 'not-done', response: 'hang' },
  garbage: declined(garbage),
  html: declined(htmlPage),
  types: declined(wrongTypes),
};

const longTimeouts = { createTimeoutMs: 30_000, readTimeoutMs: 30_000 };
/** For what never answers; long enough for a busy machine to answer the rest. */
export const shortTimeouts = { createTimeoutMs: 1_000, readTimeoutMs: 1_000 };

export function adapterFor(fake: FakeModelArk, change: Partial<ModelArkOptions> = {}) {
  return createModelArk({
    name: 'modelark',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey,
    models: fakeModels,
    ...longTimeouts,
    getPerSecond: 1_000,
    ...change,
  });
}

type CreateAdapter = (fake: FakeModelArk, timing: Partial<typeof longTimeouts>) => Provider;

async function openFixture(
  create: CreateAdapter,
  useShortTimeouts: boolean,
): Promise<AdapterFixture> {
  const fake = await FakeModelArk.start();
  const provider = create(fake, useShortTimeouts ? shortTimeouts : longTimeouts);
  return {
    provider,
    failStart: async (fault) => {
      if (fault === 'unreachable') await fake.close();
      else fake.next('create', startFaults[fault]);
    },
    failStatus: (fault) => fake.next('get', statusFaults[fault]),
    setState: (operation, state) => upstreamStates[state](fake, operation),
    received: () => toReceivedStart(fake.tasks().at(-1)!.body),
    generations: (reference) => fake.generations(reference),
    hasResult: (operation) => fake.tasks().some((task) => task.id === operation),
    close: async () => {
      await provider.close?.();
      await fake.close();
    },
  };
}

const upstreamStates: Record<UpstreamState, (fake: FakeModelArk, id: string) => void> = {
  running: (fake, id) => fake.advance(id, 'running'),
  completed: (fake, id) => fake.advance(id, 'succeeded'),
  'completed-without-video': (fake, id) => fake.advance(id, 'succeeded', { video: false }),
  failed: (fake, id) => fake.advance(id, 'failed'),
  'content-rejected': (fake, id) =>
    fake.advance(id, 'failed', { code: 'OutputVideoSensitiveContentDetected' }),
  expired: (fake, id) => fake.advance(id, 'expired'),
  vanished: (fake, id) => fake.vanish(id),
  'unknown-status': (fake, id) => fake.advance(id, 'paused'),
};

function toReceivedStart(body: ModelArkCreateBody): ReceivedStart {
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
  open: ({ shortTimeouts: useShortTimeouts }) => openFixture(create, useShortTimeouts),
});
export const modelArkHarness = harnessWith(adapterFor);

export type WithFakeModelArk = {
  readonly adapter?: Partial<ModelArkOptions>;
  readonly fake?: FakeModelArkOptions;
};

/** Runs one test with a fresh double and adapter; lists are not limited unless asked for. */
export async function withFake(
  run: (fake: FakeModelArk, provider: Provider) => Promise<void>,
  change: WithFakeModelArk = {},
): Promise<void> {
  await using fake = await FakeModelArk.start({ listPerSecond: 0, ...change.fake });
  const provider = adapterFor(fake, { listPerSecond: 1_000, ...change.adapter });
  try {
    await run(fake, provider);
  } finally {
    await provider.close?.();
  }
}

/** Starts a generation that must be accepted. */
export async function startAccepted(provider: Provider, start = sampleStart()): Promise<string> {
  const result = await provider.start(start);
  assert.ok(result.outcome === 'accepted', JSON.stringify(result));
  return result.operation;
}
