/** The fal adapter on its double: the conformance harness, and short cuts for tests. */
import { createFal, type FalOptions } from '../../../server/providers/fal/fal.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import type { Bench, ReceivedStart, Turn } from '../conformance-bench.ts';
import { type TroubledAnswers, timing, troubles, withCallbacks } from '../conformance-faults.ts';
import { startResultServer } from '../result-server.ts';
import { json } from '../upstream-double.ts';
import { type DoubleOptions, doubleModels, FalDouble } from './double.ts';
import { type Input, words } from './rules.ts';

const answers: TroubledAnswers = {
  serverError: words['server error'],
  errorAfterCreating: words['bad gateway'],
  throttled: words.throttled,
  contentRejected: words['content refused'],
  inputRefused: words['input refused'],
  accountRefused: words['no balance'],
  garbage: { status: 200, body: '{"request_id": 17' },
  wrongTypes: { status: 200, body: '{"request_id":{},"status":["IN_QUEUE"]}' },
};

const turns: Record<Turn, (double: FalDouble, id: string) => void> = {
  running: (double, id) => double.advance(id, 'IN_PROGRESS'),
  completed: (double, id) => double.complete(id),
  'completed-without-video': (double, id) => double.complete(id, json(200, { seed: 42 })),
  failed: (double, id) => double.complete(id, words['runner lost']),
  'content-rejected': (double, id) => double.complete(id, words['content refused']),
  expired: (double, id) => double.complete(id, words['not begun in time']),
  vanished: (double, id) => double.vanish(id),
  'unknown-status': (double, id) => double.advance(id, 'PAUSED'),
};

export function adapterFor(double: FalDouble, change: Partial<FalOptions> = {}): Provider {
  return createFal({
    name: 'fal',
    baseUrl: double.baseUrl,
    keySetUrl: double.keySetUrl,
    apiKey: () => double.apiKey,
    models: doubleModels,
    ...timing(),
    ...change,
  });
}

export const callbackUrlOf = (reference: string): string =>
  `https://svc.example.test/callbacks/fal/${reference}`;

/** The request that an operation speaks of. */
export const idOf = (operation: string): string =>
  /(?:^|\/requests\/)([\w-]+)(?:\/response)?$/.exec(operation)![1]!;

async function openBench(options: { impatient: boolean }): Promise<Bench> {
  const results = await startResultServer();
  const double = await FalDouble.start({ outputUrl: results.videoUrl });
  const provider = withCallbacks(adapterFor(double, timing(options)), callbackUrlOf);
  return {
    provider,
    ...troubles(double, answers, { start: 'submit', status: 'status' }),
    turn: (operation, turn) => turns[turn](double, idOf(operation)),
    received: () => understood(double.queued().at(-1)!.input),
    generations: (reference) =>
      double.queued().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
    holds: (operation) => double.request(idOf(operation)).status === 'COMPLETED',
    close: async () => {
      await provider.close?.();
      await double.close();
      await results.close();
    },
  };
}

function understood(input: Input): ReceivedStart {
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

export const falHarness: Harness = { open: openBench };

export type WithDouble = {
  readonly adapter?: Partial<FalOptions>;
  readonly double?: DoubleOptions;
};

/** Runs one test with a fresh double and adapter. */
export async function withDouble(
  run: (double: FalDouble, provider: Provider) => Promise<void>,
  change: WithDouble = {},
): Promise<void> {
  await using double = await FalDouble.start(change.double);
  const provider = withCallbacks(adapterFor(double, change.adapter), callbackUrlOf);
  try {
    await run(double, provider);
  } finally {
    await provider.close?.();
  }
}
