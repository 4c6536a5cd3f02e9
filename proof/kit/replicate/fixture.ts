/** The Replicate adapter on its fake: the conformance harness, and shortcuts for tests. */
import type { Provider } from '../../../server/providers/provider.ts';
import {
  createReplicate,
  type ReplicateOptions,
} from '../../../server/providers/replicate/replicate.ts';
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
import { startResultServer } from '../result-server.ts';
import { FakeReplicate, type FakeReplicateOptions, fakeModels } from './fake.ts';
import { errorResponses, type Input } from './rules.ts';

const responses: FaultResponses = {
  serverError: errorResponses['server error'],
  errorAfterCreating: errorResponses['bad gateway'],
  throttled: errorResponses.throttled,
  contentRejected: errorResponses['content refused'],
  inputRejected: errorResponses['input refused'],
  accountRejected: errorResponses['no credit'],
  garbage: { status: 201, body: '{"id": 17' },
  wrongTypes: { status: 200, body: '{"id":{},"status":["starting"],"output":3}' },
};

const upstreamStates: Record<UpstreamState, (fake: FakeReplicate, id: string) => void> = {
  running: (fake, id) => fake.advance(id, 'processing'),
  completed: (fake, id) => fake.advance(id, 'succeeded'),
  'completed-without-video': (fake, id) => fake.advance(id, 'succeeded', { output: null }),
  failed: (fake, id) => fake.advance(id, 'failed'),
  'content-rejected': (fake, id) =>
    fake.advance(id, 'failed', { error: 'Input flagged as sensitive (E005)' }),
  expired: (fake, id) => fake.advance(id, 'aborted'),
  vanished: (fake, id) => fake.vanish(id),
  'unknown-status': (fake, id) => fake.advance(id, 'queued'),
};

export function adapterFor(fake: FakeReplicate, change: Partial<ReplicateOptions> = {}): Provider {
  return createReplicate({
    name: 'replicate',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey,
    models: fakeModels,
    read: () => () => 'unused',
    ...timing(),
    ...change,
  });
}

export const callbackUrlOf = callbackUrlAt('replicate');

export const replicateHarness: Harness = {
  async open(options) {
    const results = await startResultServer();
    const fake = await FakeReplicate.start({ outputUrl: results.videoUrl });
    return createFixture({
      fake,
      responses,
      operations: { start: 'create', status: 'get' },
      provider: withCallbacks(adapterFor(fake, timing(options))),
      setState: (operation, state) => upstreamStates[state](fake, operation),
      received: () => toReceivedStart(fake.predictions().at(-1)!.input),
      generations: (reference) =>
        fake.predictions().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
      hasResult: (operation) => fake.prediction(operation).output !== null,
      onClose: results.close,
    });
  },
};

const toReceivedStart = (input: Input): ReceivedStart => ({
  prompt: String(input.prompt),
  seed: input.seed as number | undefined,
  durationSeconds: input.duration as number | undefined,
  images: [
    ...materialsOf(input.image, 'first'),
    ...materialsOf(input.last_frame_image, 'last'),
    ...materialsOf(input.reference_images),
  ],
  videos: materialsOf(input.reference_videos),
  audios: materialsOf(input.reference_audios),
});

/** Runs one test with a new fake and adapter. */
export async function withFake(
  change: FixtureChange<ReplicateOptions, FakeReplicateOptions>,
  run: (fake: FakeReplicate, provider: Provider) => Promise<void>,
): Promise<void> {
  const fake = await FakeReplicate.start(change.fake);
  await runWith(run, { fake, provider: withCallbacks(adapterFor(fake, change.adapter)) });
}
