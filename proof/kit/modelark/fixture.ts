/** The ModelArk adapter on its fake: the conformance harness, and shortcuts for tests. */
import {
  createModelArk,
  type ModelArkOptions,
} from '../../../server/providers/modelark/modelark.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import {
  createFixture,
  type FaultResponses,
  type FixtureChange,
  runWith,
  timing,
} from '../conformance-faults.ts';
import { materialsOf, type ReceivedStart, type UpstreamState } from '../conformance-fixture.ts';
import type { FakeResponse } from '../fake-upstream.ts';
import { documentedError } from './errors.ts';
import { FakeModelArk, type FakeModelArkOptions, fakeModels } from './fake.ts';
import type { ModelArkCreateBody } from './rules.ts';

export { shortTimeouts, startAccepted } from '../conformance-faults.ts';
export { declined, htmlPage } from '../fake-upstream.ts';

export const garbage: FakeResponse = { status: 200, body: '{"id": 17' };
export const internalError = documentedError('InternalServiceError');

const responses: FaultResponses = {
  serverError: internalError,
  throttled: documentedError('AccountRateLimitExceeded'),
  startThrottled: documentedError('ServerOverloaded'),
  contentRejected: documentedError('InputTextSensitiveContentDetected'),
  inputRejected: documentedError('InvalidParameter'),
  accountRejected: documentedError('AccountOverdueError'),
  garbage,
  wrongTypes: { status: 200, body: '{"id":{},"status":["queued"],"content":3}' },
};

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

function adapterFor(fake: FakeModelArk, change: Partial<ModelArkOptions> = {}): Provider {
  return createModelArk({
    name: 'modelark',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey,
    models: fakeModels,
    ...timing(),
    ...change,
  });
}

export const modelArkHarness: Harness = {
  async open(options) {
    const fake = await FakeModelArk.start();
    return createFixture({
      fake,
      responses,
      operations: { start: 'create', status: 'get' },
      provider: adapterFor(fake, timing(options)),
      setState: (operation, state) => upstreamStates[state](fake, operation),
      received: () => toReceivedStart(fake.tasks().at(-1)!.body),
      generations: (reference) => fake.generations(reference),
      hasResult: (operation) => fake.tasks().some((task) => task.id === operation),
    });
  },
};

function toReceivedStart({ content, seed, duration }: ModelArkCreateBody): ReceivedStart {
  const roles: Record<string, 'first' | 'last'> = { first_frame: 'first', last_frame: 'last' };
  const materials = (kind: 'image' | 'video' | 'audio') =>
    content
      .filter((item) => item.type === `${kind}_url`)
      .flatMap((item) => materialsOf(item[`${kind}_url`]!.url, roles[item.role ?? '']));
  return {
    prompt: content[0]?.text ?? '',
    seed,
    durationSeconds: duration,
    images: materials('image'),
    videos: materials('video'),
    audios: materials('audio'),
  };
}

/** Runs one test with a new fake and adapter; lists are not rate limited by default. */
export async function withFake(
  change: FixtureChange<ModelArkOptions, FakeModelArkOptions>,
  run: (fake: FakeModelArk, provider: Provider) => Promise<void>,
): Promise<void> {
  const fake = await FakeModelArk.start({ listPerSecond: 0, ...change.fake });
  const provider = adapterFor(fake, { listPerSecond: 1_000, ...change.adapter });
  await runWith(run, { fake, provider });
}
