/** The adapter on its double, in each dialect: the conformance harness, short cuts for tests. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import {
  createOpenAiVideos,
  type OpenAiVideosOptions,
} from '../../../server/providers/openai-videos/openai-videos.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { FetchMaterial } from '../../../server/providers/toolkit/fetch-material.ts';
import type { CaseName, Harness } from '../conformance.ts';
import type { Bench, ReceivedStart, Turn } from '../conformance-bench.ts';
import { type TroubledAnswers, timing, troubles } from '../conformance-faults.ts';
import { type DoubleOptions, servedModel, VideosDouble } from './double.ts';
import { openAiSeconds } from './rules.ts';
import type { DoubleVideo } from './videos.ts';
import { failures, wordsOf } from './words.ts';

const answersOf = (dialect: DialectName): TroubledAnswers => ({
  serverError: wordsOf(dialect, 'server error'),
  throttled: wordsOf(dialect, 'throttled'),
  contentRejected: wordsOf(dialect, 'content refused'),
  inputRefused: wordsOf(dialect, 'input refused'),
  accountRefused: wordsOf(dialect, 'wrong key'),
  garbage: { status: 200, body: '{"id": 17' },
  wrongTypes: { status: 200, body: '{"id":{},"status":["queued"],"error":3}' },
});

/** Before 1970 was over: long past by any clock. */
const longAgoSeconds = 1_000;

const turns: Record<Turn, (double: VideosDouble, id: string, dialect: DialectName) => void> = {
  // SGLang's videos stay queued while they are made.
  running: (double, id, dialect) =>
    double.advance(id, dialect === 'sglang' ? 'queued' : 'in_progress'),
  completed: (double, id) => double.advance(id, 'completed'),
  'completed-without-video': (double, id) => double.advance(id, 'completed', { hasFile: false }),
  failed: (double, id) => double.advance(id, 'failed'),
  'content-rejected': (double, id, dialect) =>
    double.advance(id, 'failed', { error: failures['content-rejected'][dialect] }),
  expired: (double, id) =>
    double.advance(id, 'completed', { hasFile: false, expiresSeconds: longAgoSeconds }),
  vanished: (double) => double.restart(),
  'unknown-status': (double, id) => double.advance(id, 'deleted'),
};

/** A picture of one pixel that says where it came from. */
const pixel = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/',
    'HwADAgH/5ncoPAAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
);
const origin = 'came from ';
export const fetchPixel: FetchMaterial = async ({ url, into }) => {
  await writeFile(into, Buffer.concat([pixel, Buffer.from(origin + url)]));
  return { saved: true };
};

function understood({ create }: DoubleVideo): ReceivedStart {
  const { fields, file } = create;
  const url = file?.bytes.toString('latin1').split(origin)[1];
  return {
    prompt: String(fields.prompt),
    seed: fields.seed === undefined ? undefined : Number(fields.seed),
    durationSeconds: Number(fields.seconds),
    images: url === undefined ? [] : [{ url, role: 'first' }],
    videos: [],
    audios: [],
  };
}

export const doubleModels = {
  openai: { 'vidgen-2-0': 'sora-2', 'vidgen-2-5': 'sora-2-pro' },
  vllm: { 'vidgen-2-0': servedModel },
  sglang: { 'vidgen-2-0': servedModel },
  gateway: { 'vidgen-2-0': 'wan-2-2' },
} as const;

function adapterFor(
  double: VideosDouble,
  options: { readonly dialect: DialectName; readonly scratchFolder: string },
  change: Partial<OpenAiVideosOptions> = {},
): Provider {
  return createOpenAiVideos({
    name: 'videos',
    baseUrl: double.baseUrl,
    apiKey: () => double.apiKey ?? '',
    models: doubleModels[options.dialect],
    fetchMaterial: fetchPixel,
    materialBytesMax: { image: 1_000_000, video: 0, audio: 0 },
    read: () => () => 'unused',
    ...timing(),
    ...options,
    ...change,
  });
}

async function openBench(dialect: DialectName, hurried: boolean): Promise<Bench> {
  const scratchFolder = await mkdtemp(join(tmpdir(), 'vidgen-uploads-'));
  const generations = new Map<string, number>();
  let reference = '';
  const onCreate = () => generations.set(reference, (generations.get(reference) ?? 0) + 1);
  // OpenAI's own lengths leave out the five seconds of the suite's samples.
  const seconds = [...openAiSeconds, '5'];
  const double = await VideosDouble.start({ dialect, seconds, onCreate });
  const change = {
    seconds: seconds.map(Number),
    // Not every upstream behind a gateway has a seed: there it is sent when configured.
    ...(dialect === 'gateway' ? { forwardSeed: true } : {}),
    ...timing({ impatient: hurried }),
  };
  const adapter = adapterFor(double, { dialect, scratchFolder }, change);
  const provider: Provider = {
    ...adapter,
    // Only one dialect carries our reference, so the bench keeps in mind whose start it is.
    start(request) {
      reference = request.reference;
      return adapter.start(request);
    },
  };
  return {
    provider,
    ...troubles(double, answersOf(dialect), { start: 'create', status: 'get' }),
    turn: (operation, turn) => turns[turn](double, operation, dialect),
    received: () => understood(double.videos().at(-1)!),
    generations: (wanted) => generations.get(wanted) ?? 0,
    holds: (operation) => double.videos().some(({ id, hasFile }) => id === operation && hasFile),
    close: async () => {
      await provider.close?.();
      await double.close();
      await rm(scratchFolder, { recursive: true });
    },
  };
}

/** What `cannot` keeps from being asked for. */
const withoutWords: Partial<Record<CaseName, string>> = {
  'first-and-last-frame': 'the upstream takes one picture: `cannot` refuses a second',
  references: 'the upstream takes no references: `cannot` refuses them',
  editing: 'the upstream edits nothing: `cannot` refuses a duration of -1',
};

const cannotArise: Record<DialectName, Partial<Record<CaseName, string>>> = {
  openai: { ...withoutWords, 'seed-zero': 'the upstream has no seed' },
  vllm: withoutWords,
  sglang: { ...withoutWords, expired: 'its files stay until the server ends' },
  gateway: withoutWords,
};

export const harnessOf = (dialect: DialectName): Harness => ({
  open: ({ impatient: hurried }) => openBench(dialect, hurried),
  cannot: cannotArise[dialect],
});

export type WithDouble = {
  readonly adapter?: Partial<OpenAiVideosOptions>;
  readonly double?: Partial<DoubleOptions>;
};

/** Runs one test with a fresh double and adapter. */
export async function withDouble(
  dialect: DialectName,
  run: (double: VideosDouble, provider: Provider) => Promise<void>,
  change: WithDouble = {},
): Promise<void> {
  const scratchFolder = await mkdtemp(join(tmpdir(), 'vidgen-uploads-'));
  await using double = await VideosDouble.start({ dialect, ...change.double });
  const provider = adapterFor(double, { dialect, scratchFolder }, change.adapter);
  try {
    await run(double, provider);
  } finally {
    await provider.close?.();
    await rm(scratchFolder, { recursive: true });
  }
}
