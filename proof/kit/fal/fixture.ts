/** The fal adapter on its double: the conformance harness, and short cuts for tests. */
import { createFal, type FalOptions } from '../../../server/providers/fal/fal.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import {
  type FaultResponses,
  faultSwitches,
  timing,
  withCallbacks,
} from '../conformance-faults.ts';
import type { AdapterFixture, ReceivedStart, UpstreamState } from '../conformance-fixture.ts';
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

export function adapterFor(fake: FakeFal, change: Partial<FalOptions> = {}): Provider {
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

export const callbackUrlOf = (reference: string): string =>
  `https://svc.example.test/callbacks/fal/${reference}`;

/** The request that an operation speaks of. */
export const idOf = (operation: string): string =>
  /(?:^|\/requests\/)([\w-]+)(?:\/response)?$/.exec(operation)![1]!;

async function openFixture(options: { shortTimeouts: boolean }): Promise<AdapterFixture> {
  const results = await startResultServer();
  const fake = await FakeFal.start({ outputUrl: results.videoUrl });
  const provider = withCallbacks(adapterFor(fake, timing(options)), callbackUrlOf);
  return {
    provider,
    ...faultSwitches(fake, responses, { start: 'submit', status: 'status' }),
    setState: (operation, state) => upstreamStates[state](fake, idOf(operation)),
    received: () => toReceivedStart(fake.queued().at(-1)!.input),
    generations: (reference) =>
      fake.queued().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
    hasResult: (operation) => fake.request(idOf(operation)).status === 'COMPLETED',
    close: async () => {
      await provider.close?.();
      await fake.close();
      await results.close();
    },
  };
}

function toReceivedStart(input: FalInput): ReceivedStart {
  const list = (name: string) =>
    ((input[name] ?? []) as string[]).map((url) => ({ url, role: 'reference' as const }));
  const frame = (name: string, role: 'first' | 'last') =>
    name in input ? [{ url: String(input[name]), role }] : [];
  return {
    prompt: String(input.prompt),
    seed: input.seed as number | undefined,
    durationSeconds: input.duration === 'auto' ? -1 : Number(input.duration),
    images: [
      ...frame('image_url', 'first'),
      ...frame('end_image_url', 'last'),
      ...list('image_urls'),
    ],
    videos: list('video_urls'),
    audios: list('audio_urls'),
  };
}

export const falHarness: Harness = { open: openFixture };

export type WithFakeFal = {
  readonly adapter?: Partial<FalOptions>;
  readonly fake?: FakeFalOptions;
};

/** Runs one test with a fresh double and adapter. */
export async function withFake(
  run: (fake: FakeFal, provider: Provider) => Promise<void>,
  change: WithFakeFal = {},
): Promise<void> {
  await using fake = await FakeFal.start(change.fake);
  const provider = withCallbacks(adapterFor(fake, change.adapter), callbackUrlOf);
  try {
    await run(fake, provider);
  } finally {
    await provider.close?.();
  }
}
