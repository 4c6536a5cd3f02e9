/** The Replicate adapter on its double: the conformance harness, and short cuts for tests. */
import type { Provider } from '../../../server/providers/provider.ts';
import {
  createReplicate,
  type ReplicateOptions,
} from '../../../server/providers/replicate/replicate.ts';
import type { Harness } from '../conformance.ts';
import {
  type FaultResponses,
  faultSwitches,
  timing,
  withCallbacks,
} from '../conformance-faults.ts';
import type { AdapterFixture, ReceivedStart, UpstreamState } from '../conformance-fixture.ts';
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

export const callbackUrlOf = (reference: string): string =>
  `https://svc.example.test/callbacks/replicate/${reference}`;

async function openFixture(options: { shortTimeouts: boolean }): Promise<AdapterFixture> {
  const results = await startResultServer();
  const fake = await FakeReplicate.start({ outputUrl: results.videoUrl });
  const provider = withCallbacks(adapterFor(fake, timing(options)), callbackUrlOf);
  return {
    provider,
    ...faultSwitches(fake, responses, { start: 'create', status: 'get' }),
    setState: (operation, state) => upstreamStates[state](fake, operation),
    received: () => toReceivedStart(fake.predictions().at(-1)!.input),
    generations: (reference) =>
      fake.predictions().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
    hasResult: (operation) => fake.prediction(operation).output !== null,
    close: async () => {
      await provider.close?.();
      await fake.close();
      await results.close();
    },
  };
}

function toReceivedStart(input: Input): ReceivedStart {
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

export const replicateHarness: Harness = { open: openFixture };

export type WithFakeReplicate = {
  readonly adapter?: Partial<ReplicateOptions>;
  readonly fake?: FakeReplicateOptions;
};

/** Runs one test with a fresh double and adapter. */
export async function withFake(
  run: (fake: FakeReplicate, provider: Provider) => Promise<void>,
  change: WithFakeReplicate = {},
): Promise<void> {
  await using fake = await FakeReplicate.start(change.fake);
  const provider = withCallbacks(adapterFor(fake, change.adapter), callbackUrlOf);
  try {
    await run(fake, provider);
  } finally {
    await provider.close?.();
  }
}
