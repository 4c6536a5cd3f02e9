/** The Replicate adapter on its double: the conformance harness, and short cuts for tests. */
import type { Provider } from '../../../server/providers/provider.ts';
import {
  createReplicate,
  type ReplicateOptions,
} from '../../../server/providers/replicate/replicate.ts';
import type { Harness } from '../conformance.ts';
import type { Bench, ReceivedStart, Turn } from '../conformance-bench.ts';
import { type TroubledAnswers, timing, troubles, withCallbacks } from '../conformance-faults.ts';
import { startResultServer } from '../result-server.ts';
import { type DoubleOptions, doubleModels, ReplicateDouble } from './double.ts';
import { type Input, words } from './rules.ts';

const answers: TroubledAnswers = {
  serverError: words['server error'],
  errorAfterCreating: words['bad gateway'],
  throttled: words.throttled,
  contentRejected: words['content refused'],
  inputRefused: words['input refused'],
  accountRefused: words['no credit'],
  garbage: { status: 201, body: '{"id": 17' },
  wrongTypes: { status: 200, body: '{"id":{},"status":["starting"],"output":3}' },
};

const turns: Record<Turn, (double: ReplicateDouble, id: string) => void> = {
  running: (double, id) => double.advance(id, 'processing'),
  completed: (double, id) => double.advance(id, 'succeeded'),
  'completed-without-video': (double, id) => double.advance(id, 'succeeded', { output: null }),
  failed: (double, id) => double.advance(id, 'failed'),
  'content-rejected': (double, id) =>
    double.advance(id, 'failed', { error: 'Input flagged as sensitive (E005)' }),
  expired: (double, id) => double.advance(id, 'aborted'),
  vanished: (double, id) => double.vanish(id),
  'unknown-status': (double, id) => double.advance(id, 'queued'),
};

export function adapterFor(
  double: ReplicateDouble,
  change: Partial<ReplicateOptions> = {},
): Provider {
  return createReplicate({
    name: 'replicate',
    baseUrl: double.baseUrl,
    apiKey: () => double.apiKey,
    models: doubleModels,
    read: () => () => 'unused',
    ...timing(),
    ...change,
  });
}

export const callbackUrlOf = (reference: string): string =>
  `https://svc.example.test/callbacks/replicate/${reference}`;

async function openBench(options: { impatient: boolean }): Promise<Bench> {
  const results = await startResultServer();
  const double = await ReplicateDouble.start({ outputUrl: results.videoUrl });
  const provider = withCallbacks(adapterFor(double, timing(options)), callbackUrlOf);
  return {
    provider,
    ...troubles(double, answers, { start: 'create', status: 'get' }),
    turn: (operation, turn) => turns[turn](double, operation),
    received: () => understood(double.predictions().at(-1)!.input),
    generations: (reference) =>
      double.predictions().filter(({ webhook }) => webhook === callbackUrlOf(reference)).length,
    holds: (operation) => double.prediction(operation).output !== null,
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

export const replicateHarness: Harness = { open: openBench };

export type WithDouble = {
  readonly adapter?: Partial<ReplicateOptions>;
  readonly double?: DoubleOptions;
};

/** Runs one test with a fresh double and adapter. */
export async function withDouble(
  run: (double: ReplicateDouble, provider: Provider) => Promise<void>,
  change: WithDouble = {},
): Promise<void> {
  await using double = await ReplicateDouble.start(change.double);
  const provider = withCallbacks(adapterFor(double, change.adapter), callbackUrlOf);
  try {
    await run(double, provider);
  } finally {
    await provider.close?.();
  }
}
