/** The fal adapter on its fake: the conformance harness, and shortcuts for tests. */
import { createFal, type FalOptions } from '../../../server/providers/fal/fal.ts';
import {
  callbackUrlAt,
  createKit,
  type FaultResponses,
  type FixtureChange,
  timing,
  withCallbacks,
} from '../conformance-faults.ts';
import { materialsOf, type ReceivedStart, type UpstreamState } from '../conformance-fixture.ts';
import { json } from '../fake-upstream.ts';
import { FakeFal, fakeModels } from './fake.ts';
import { errorResponses, type FalInput } from './rules.ts';

const responses: FaultResponses = {
  serverError: errorResponses['server error'],
  errorAfterCreating: errorResponses['bad gateway'],
  throttled: errorResponses.throttled,
  contentRejected: errorResponses['content refused'],
  inputRejected: errorResponses['input refused'],
  accountRejected: errorResponses['no balance'],
  garbage: { status: 200, body: '{"request_id": 17' },
  wrongTypes: { status: 200, body: '{"request_id":{},"status":["IN_QUEUE"]}' },
};

const upstreamStates: Record<UpstreamState, (fake: FakeFal, id: string) => void> = {
  running: (fake, id) => fake.advance(id, 'IN_PROGRESS'),
  completed: (fake, id) => fake.complete(id),
  'completed-without-video': (fake, id) => fake.complete(id, json(200, { seed: 42 })),
  failed: (fake, id) => fake.complete(id, errorResponses['runner lost']),
  'content-rejected': (fake, id) => fake.complete(id, errorResponses['content refused']),
  expired: (fake, id) => fake.complete(id, errorResponses['not begun in time']),
  vanished: (fake, id) => fake.vanish(id),
  'unknown-status': (fake, id) => fake.advance(id, 'PAUSED'),
};

export const callbackUrlOf = callbackUrlAt('fal');

export const idOf = (operation: string): string =>
  /(?:^|\/requests\/)([\w-]+)(?:\/response)?$/.exec(operation)![1]!;

const queuesAll = 'fal queues every input: the refusal is the result of the request';

const toReceivedStart = (input: FalInput): ReceivedStart => ({
  prompt: String(input.prompt),
  seed: input.seed as number | undefined,
  durationSeconds: input.duration === 'auto' ? -1 : Number(input.duration),
  images: [
    ...materialsOf(input.image_url, 'first'),
    ...materialsOf(input.end_image_url, 'last'),
    ...materialsOf(input.image_urls),
  ],
  videos: materialsOf(input.video_urls),
  audios: materialsOf(input.audio_urls),
});

async function open({ adapter }: FixtureChange<FalOptions, object>) {
  const fake = await FakeFal.start();
  const provider = createFal({
    name: 'fal',
    baseUrl: fake.baseUrl,
    keySetUrl: fake.keySetUrl,
    apiKey: () => fake.apiKey,
    models: fakeModels,
    ...timing(),
    ...adapter,
  });
  return { fake, provider: withCallbacks(provider) };
}

export const { harness, withFake } = createKit({
  unsupported: { 'input-refused': queuesAll, 'content-rejected-at-start': queuesAll },
  open,
  responses,
  operations: { start: 'submit', status: 'status' },
  setState: (fake, operation, state) => upstreamStates[state](fake, idOf(operation)),
  received: (fake) => toReceivedStart(fake.started().at(-1)!.input),
  generations: (fake, reference) =>
    fake.started().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
  hasResult: (fake, operation) => fake.item(idOf(operation)).status === 'COMPLETED',
});
