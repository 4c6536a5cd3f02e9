/** The fal adapter on its fake: the conformance harness, and shortcuts for tests. */
import { createFal, type FalOptions } from '../../../server/providers/fal/fal.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import {
  callbackUrlAt,
  createFixture,
  type FaultResponses,
  type FixtureChange,
  runWith,
  timing,
  withCallbacks,
} from '../conformance-faults.ts';
import { materialsOf, type ReceivedStart, type UpstreamState } from '../conformance-fixture.ts';
import { json } from '../fake-upstream.ts';
import { startResultServer } from '../result-server.ts';
import { FakeFal, type FakeFalOptions, fakeModels } from './fake.ts';
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

function adapterFor(fake: FakeFal, change: Partial<FalOptions> = {}): Provider {
  return createFal({
    name: 'fal',
    baseUrl: fake.baseUrl,
    keySetUrl: fake.keySetUrl,
    apiKey: () => fake.apiKey,
    models: fakeModels,
    ...timing(),
    ...change,
  });
}

export const callbackUrlOf = callbackUrlAt('fal');

/** The id of the request that an operation names. */
export const idOf = (operation: string): string =>
  /(?:^|\/requests\/)([\w-]+)(?:\/response)?$/.exec(operation)![1]!;

const queuesAll = 'fal queues every input: the refusal is the result of the request';

export const falHarness: Harness = {
  unsupported: { 'input-refused': queuesAll, 'content-rejected-at-start': queuesAll },
  async open(options) {
    const results = await startResultServer();
    const fake = await FakeFal.start({ outputUrl: results.videoUrl });
    return createFixture({
      fake,
      responses,
      operations: { start: 'submit', status: 'status' },
      provider: withCallbacks(adapterFor(fake, timing(options))),
      setState: (operation, state) => upstreamStates[state](fake, idOf(operation)),
      received: () => toReceivedStart(fake.queued().at(-1)!.input),
      generations: (reference) =>
        fake.queued().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
      hasResult: (operation) => fake.request(idOf(operation)).status === 'COMPLETED',
      onClose: results.close,
    });
  },
};

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

/** Runs one test with a new fake and adapter. */
export async function withFake(
  change: FixtureChange<FalOptions, FakeFalOptions>,
  run: (fake: FakeFal, provider: Provider) => Promise<void>,
): Promise<void> {
  const fake = await FakeFal.start(change.fake);
  await runWith(run, { fake, provider: withCallbacks(adapterFor(fake, change.adapter)) });
}
