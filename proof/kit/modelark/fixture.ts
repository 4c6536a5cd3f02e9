/** The ModelArk adapter on its fake: the conformance harness, and shortcuts for tests. */
import {
  createModelArk,
  type ModelArkOptions,
} from '../../../server/providers/modelark/modelark.ts';
import {
  createKit,
  type FaultResponses,
  type FixtureChange,
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

/** Lists are not rate limited by default. */
async function open(change: FixtureChange<ModelArkOptions, FakeModelArkOptions>) {
  const fake = await FakeModelArk.start({ listPerSecond: 0, ...change.fake });
  const provider = createModelArk({
    name: 'modelark',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey,
    models: fakeModels,
    listPerSecond: 1_000,
    ...timing(),
    ...change.adapter,
  });
  return { fake, provider };
}

export const { harness, withFake } = createKit({
  open,
  responses,
  operations: { start: 'create', status: 'get' },
  setState: (fake, operation, state) => upstreamStates[state](fake, operation),
  received: (fake) => toReceivedStart(fake.started().at(-1)!.body),
  generations: (fake, reference) => fake.generations(reference),
  hasResult: (fake, operation) => fake.started().some((task) => task.id === operation),
});
