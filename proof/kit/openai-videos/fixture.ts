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
import type { FetchMaterial } from '../../../server/providers/toolkit/materials.ts';
import type { CaseName, Harness } from '../conformance.ts';
import { type FaultResponses, faultSwitches, timing } from '../conformance-faults.ts';
import type { AdapterFixture, ReceivedStart, UpstreamState } from '../conformance-fixture.ts';
import { errorResponse, failures } from './error-responses.ts';
import { FakeOpenAiVideos, type FakeOpenAiVideosOptions, servedModel } from './fake.ts';
import { openAiSeconds } from './rules.ts';
import type { FakeVideo } from './videos.ts';

const faultResponses = (dialect: DialectName): FaultResponses => ({
  serverError: errorResponse(dialect, 'server error'),
  throttled: errorResponse(dialect, 'throttled'),
  contentRejected: errorResponse(dialect, 'content refused'),
  inputRejected: errorResponse(dialect, 'input refused'),
  accountRejected: errorResponse(dialect, 'wrong key'),
  garbage: { status: 200, body: '{"id": 17' },
  wrongTypes: { status: 200, body: '{"id":{},"status":["queued"],"error":3}' },
});

/** Before 1970 was over: long past by any clock. */
const longAgoSeconds = 1_000;

const upstreamStates: Record<
  UpstreamState,
  (fake: FakeOpenAiVideos, id: string, dialect: DialectName) => void
> = {
  // SGLang's videos stay queued while they are made.
  running: (fake, id, dialect) => fake.advance(id, dialect === 'sglang' ? 'queued' : 'in_progress'),
  completed: (fake, id) => fake.advance(id, 'completed'),
  'completed-without-video': (fake, id) => fake.advance(id, 'completed', { hasFile: false }),
  failed: (fake, id) => fake.advance(id, 'failed'),
  'content-rejected': (fake, id, dialect) =>
    fake.advance(id, 'failed', { error: failures['content-rejected'][dialect] }),
  expired: (fake, id) =>
    fake.advance(id, 'completed', { hasFile: false, expiresSeconds: longAgoSeconds }),
  vanished: (fake) => fake.restart(),
  'unknown-status': (fake, id) => fake.advance(id, 'deleted'),
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

function toReceivedStart({ create }: FakeVideo): ReceivedStart {
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

export const fakeModels = {
  openai: { 'vidgen-2-0': 'sora-2', 'vidgen-2-5': 'sora-2-pro' },
  vllm: { 'vidgen-2-0': servedModel },
  sglang: { 'vidgen-2-0': servedModel },
  gateway: { 'vidgen-2-0': 'wan-2-2' },
} as const;

function adapterFor(
  fake: FakeOpenAiVideos,
  options: { readonly dialect: DialectName; readonly tempFolder: string },
  change: Partial<OpenAiVideosOptions> = {},
): Provider {
  return createOpenAiVideos({
    name: 'videos',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey ?? '',
    models: fakeModels[options.dialect],
    fetchMaterial: fetchPixel,
    materialBytesMax: { image: 1_000_000, video: 0, audio: 0 },
    read: () => () => 'unused',
    ...timing(),
    ...options,
    ...change,
  });
}

async function openFixture(
  dialect: DialectName,
  useShortTimeouts: boolean,
): Promise<AdapterFixture> {
  const tempFolder = await mkdtemp(join(tmpdir(), 'vidgen-uploads-'));
  const generations = new Map<string, number>();
  let reference = '';
  const onCreate = () => generations.set(reference, (generations.get(reference) ?? 0) + 1);
  // OpenAI's own lengths leave out the five seconds of the suite's samples.
  const seconds = [...openAiSeconds, '5'];
  const fake = await FakeOpenAiVideos.start({ dialect, seconds, onCreate });
  const change = {
    seconds: seconds.map(Number),
    // Not every upstream behind a gateway has a seed: there it is sent when configured.
    ...(dialect === 'gateway' ? { forwardSeed: true } : {}),
    ...timing({ shortTimeouts: useShortTimeouts }),
  };
  const adapter = adapterFor(fake, { dialect, tempFolder }, change);
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
    ...faultSwitches(fake, faultResponses(dialect), { start: 'create', status: 'get' }),
    setState: (operation, state) => upstreamStates[state](fake, operation, dialect),
    received: () => toReceivedStart(fake.videos().at(-1)!),
    generations: (wanted) => generations.get(wanted) ?? 0,
    hasResult: (operation) => fake.videos().some(({ id, hasFile }) => id === operation && hasFile),
    close: async () => {
      await provider.close?.();
      await fake.close();
      await rm(tempFolder, { recursive: true });
    },
  };
}

/** What `cannot` keeps from being asked for. */
const unsupportedInputs: Partial<Record<CaseName, string>> = {
  'first-and-last-frame': 'the upstream takes one picture: `cannot` refuses a second',
  references: 'the upstream takes no references: `cannot` refuses them',
  editing: 'the upstream edits nothing: `cannot` refuses a duration of -1',
};

const unsupportedCases: Record<DialectName, Partial<Record<CaseName, string>>> = {
  openai: { ...unsupportedInputs, 'seed-zero': 'the upstream has no seed' },
  vllm: unsupportedInputs,
  sglang: { ...unsupportedInputs, expired: 'its files stay until the server ends' },
  gateway: unsupportedInputs,
};

export const harnessOf = (dialect: DialectName): Harness => ({
  open: ({ shortTimeouts: useShortTimeouts }) => openFixture(dialect, useShortTimeouts),
  unsupported: unsupportedCases[dialect],
});

export type WithFakeOpenAiVideos = {
  readonly adapter?: Partial<OpenAiVideosOptions>;
  readonly fake?: Partial<FakeOpenAiVideosOptions>;
};

/** Runs one test with a fresh double and adapter. */
export async function withFake(
  dialect: DialectName,
  run: (fake: FakeOpenAiVideos, provider: Provider) => Promise<void>,
  change: WithFakeOpenAiVideos = {},
): Promise<void> {
  const tempFolder = await mkdtemp(join(tmpdir(), 'vidgen-uploads-'));
  await using fake = await FakeOpenAiVideos.start({ dialect, ...change.fake });
  const provider = adapterFor(fake, { dialect, tempFolder }, change.adapter);
  try {
    await run(fake, provider);
  } finally {
    await provider.close?.();
    await rm(tempFolder, { recursive: true });
  }
}
