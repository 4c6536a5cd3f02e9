/** The Replicate adapter on its fake: the conformance harness, and shortcuts for tests. */
import {
  createReplicate,
  type ReplicateOptions,
} from '../../../server/providers/replicate/replicate.ts';
import {
  callbackUrlAt,
  createKit,
  type FaultResponses,
  type FixtureChange,
  timing,
  withCallbacks,
} from '../conformance-faults.ts';
import { materialsOf, type ReceivedStart, type UpstreamState } from '../conformance-fixture.ts';
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

export const callbackUrlOf = callbackUrlAt('replicate');

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

async function open(change: FixtureChange<ReplicateOptions, FakeReplicateOptions>) {
  const fake = await FakeReplicate.start(change.fake);
  const provider = createReplicate({
    name: 'replicate',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey,
    models: fakeModels,
    read: () => () => 'unused',
    ...timing(),
    ...change.adapter,
  });
  return { fake, provider: withCallbacks(provider) };
}

export const { harness, withFake } = createKit({
  open,
  responses,
  operations: { start: 'create', status: 'get' },
  setState: (fake, operation, state) => upstreamStates[state](fake, operation),
  received: (fake) => toReceivedStart(fake.started().at(-1)!.input),
  generations: (fake, reference) =>
    fake.started().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
  hasResult: (fake, operation) => fake.item(operation).output !== null,
});
