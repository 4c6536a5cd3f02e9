/** The adapter on its fake in each dialect: the conformance harness, and shortcuts for tests. */
import { type DialectName, dialects } from '../../../server/providers/openai-videos/dialect.ts';
import {
  createOpenAiVideos,
  type OpenAiVideosOptions,
} from '../../../server/providers/openai-videos/openai-videos.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { CaseName } from '../conformance.ts';
import {
  createKit,
  type FaultResponses,
  type FixtureChange,
  fetchSamples,
  type Reach,
  timing,
  urlInSample,
} from '../conformance-faults.ts';
import { materialsOf, type ReceivedStart, type UpstreamState } from '../conformance-fixture.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { errorResponse, failures } from './error-responses.ts';
import { FakeOpenAiVideos, type FakeOpenAiVideosOptions, servedModel } from './fake.ts';
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

/** A Unix time long past by any clock. */
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
  expired: (fake, id, dialect) =>
    dialect === 'openrouter'
      ? fake.advance(id, 'expired')
      : fake.advance(id, 'completed', { hasFile: false, expiresSeconds: longAgoSeconds }),
  vanished: (fake) => fake.restart(),
  'unknown-status': (fake, id) => fake.advance(id, 'deleted'),
};

/** OpenRouter gets the URLs themselves. */
function toReceivedUrls({ fields }: FakeVideo['create']): ReceivedStart {
  type Part = { readonly type: string; readonly frame_type?: string };
  const urlsOf = (list: unknown, type: string) =>
    ((list ?? []) as readonly (Part & Record<string, { readonly url: string }>)[])
      .filter((part) => part.type === type)
      .map((part) => ({
        url: part[type]!.url,
        role:
          part.frame_type === 'first_frame'
            ? ('first' as const)
            : part.frame_type === 'last_frame'
              ? ('last' as const)
              : ('reference' as const),
      }));
  return {
    prompt: String(fields.prompt),
    seed: fields.seed as number | undefined,
    durationSeconds: Number(fields.duration),
    images: [
      ...urlsOf(fields.frame_images, 'image_url'),
      ...urlsOf(fields.input_references, 'image_url'),
    ],
    videos: urlsOf(fields.input_references, 'video_url'),
    audios: urlsOf(fields.input_references, 'audio_url'),
  };
}

function toReceivedStart({ create }: FakeVideo): ReceivedStart {
  if ('duration' in create.fields) return toReceivedUrls(create);
  const { fields, files } = create;
  const urlsOf = (kind: string) =>
    files.filter(({ type }) => type.startsWith(kind)).map(({ bytes }) => urlInSample(bytes));
  const isReference = files.some(({ field }) => field !== 'input_reference');
  return {
    prompt: String(fields.prompt),
    seed: fields.seed === undefined ? undefined : Number(fields.seed),
    durationSeconds: Number(fields.seconds),
    images: materialsOf(urlsOf('image/'), isReference ? 'reference' : 'first'),
    videos: materialsOf(urlsOf('video/')),
    audios: materialsOf(urlsOf('audio/')),
  };
}

const fakeModels = {
  openai: { 'vidgen-2-0': 'sora-2', 'vidgen-2-5': 'sora-2-pro' },
  vllm: { 'vidgen-2-0': servedModel, 'vidgen-2-5': servedModel },
  sglang: { 'vidgen-2-0': servedModel, 'vidgen-2-5': servedModel },
  gateway: { 'vidgen-2-0': 'wan-2-2' },
  openrouter: { 'vidgen-2-0': 'bytedance/seedance-2.0', 'vidgen-2-0-mini': 'alibaba/wan-3.0' },
  vidgen: { 'vidgen-2-0': 'vidgen-2-0', 'vidgen-2-5': 'vidgen-2-5' },
} as const;

async function open(
  dialect: DialectName,
  change: FixtureChange<OpenAiVideosOptions, FakeOpenAiVideosOptions>,
) {
  const tempFolder = makeTemporaryFolder('uploads');
  const fake = await FakeOpenAiVideos.start({ dialect, ...change.fake });
  const provider = createOpenAiVideos({
    name: 'videos',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey ?? '',
    models: fakeModels[dialect],
    fetchMaterial: fetchSamples(),
    materialBytesMax: { image: 1_000_000, video: 1_000_000, audio: 1_000_000 },
    read: () => () => 'unused',
    ...timing(),
    dialect,
    tempFolder,
    ...(await change.reach?.(fake.baseUrl)),
    ...change.adapter,
  });
  // Only one dialect carries the reference, so the fake is told whose start arrives.
  const start: Provider['start'] = (request) => {
    fake.reference = request.reference;
    return provider.start(request);
  };
  return { fake, provider: { ...provider, start } };
}

/** What `unsupportedReason` declines before a start. */
const unsupportedInputs = {
  'first-and-last-frame': 'the upstream takes one image: `unsupportedReason` declines a second',
  references: 'the upstream takes no references: `unsupportedReason` declines them',
  editing: 'the upstream edits nothing: `unsupportedReason` declines a duration of -1',
} satisfies Partial<Record<CaseName, string>>;

const { 'first-and-last-frame': oneImage } = unsupportedInputs;

const unsupportedCases: Record<DialectName, Partial<Record<CaseName, string>>> = {
  openai: { ...unsupportedInputs, 'seed-zero': 'the upstream has no seed' },
  vllm: { 'first-and-last-frame': oneImage },
  sglang: {
    'first-and-last-frame': oneImage,
    references: 'the upstream takes one video: `unsupportedReason` declines other references',
    expired: 'files stay until the server ends',
  },
  gateway: unsupportedInputs,
  openrouter: { editing: 'the upstream has no length of the source' },
  vidgen: {
    ...unsupportedInputs,
    'seed-zero': 'the format has no seed',
    'content-rejected-at-start': 'content is moderated after the start',
  },
};

const kitOf = (dialect: DialectName, adapter: Partial<OpenAiVideosOptions> = {}, reach?: Reach) =>
  createKit({
    reach,
    unsupported: unsupportedCases[dialect],
    open: (change: FixtureChange<OpenAiVideosOptions, FakeOpenAiVideosOptions>) =>
      open(dialect, { ...change, adapter: { ...adapter, ...change.adapter } }),
    responses: faultResponses(dialect),
    operations: { start: 'create', status: 'get' },
    setState: (fake, operation, state) => upstreamStates[state](fake, operation, dialect),
    received: (fake) => toReceivedStart(fake.started().at(-1)!),
    generations: (fake, wanted) => fake.createdFor.filter((one) => one === wanted).length,
    hasResult: (fake, operation) =>
      fake.started().some(({ id, hasFile }) => id === operation && hasFile),
  });

export const harnessOf = (dialect: DialectName, reach?: Reach) =>
  kitOf(
    dialect,
    {
      // OpenAI's own lengths leave out the five seconds of the suite's samples; engines make any.
      ...(dialects[dialect].seconds === null ? {} : { seconds: [4, 5, 8, 12, 16, 20] }),
      // Not every upstream behind a gateway has a seed: it is sent only when configured.
      ...(dialect === 'gateway' ? { forwardSeed: true } : {}),
    },
    reach,
  ).harness;

export async function withFake(
  server:
    | DialectName
    | ({ readonly dialect: DialectName } & FixtureChange<
        OpenAiVideosOptions,
        FakeOpenAiVideosOptions
      >),
  run: (fake: FakeOpenAiVideos, provider: Provider) => Promise<void>,
): Promise<void> {
  const { dialect, ...change } = typeof server === 'string' ? { dialect: server } : server;
  await kitOf(dialect).withFake(change, run);
}
