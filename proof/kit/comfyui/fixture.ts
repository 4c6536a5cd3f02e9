/**
 * The adapter on its double: the conformance harness, and short cuts for the adapter's own tests.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ComfyUiOptions, createComfyUi } from '../../../server/providers/comfyui/comfyui.ts';
import { operationOf } from '../../../server/providers/comfyui/values.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { FetchMaterial } from '../../../server/providers/toolkit/materials.ts';
import type { Harness } from '../conformance.ts';
import { type FaultResponses, faultSwitches, timing } from '../conformance-faults.ts';
import type {
  AdapterFixture,
  ReceivedMaterial,
  ReceivedStart,
  UpstreamState,
} from '../conformance-fixture.ts';
import { json } from '../fake-upstream.ts';
import { FakeComfyUi, type FakeComfyUiOptions } from './fake.ts';
import { errorResponse, noRoute } from './rules.ts';
import { writeWorkflows } from './workflows.ts';

const responses: FaultResponses = {
  serverError: { status: 500, body: '500 Internal Server Error' },
  // Both are of a proxy: ComfyUI has neither keys nor limits.
  throttled: json(429, { error: 'Too Many Requests' }, { 'retry-after': '7' }),
  accountRejected: json(401, { error: 'Unauthorized' }),
  // It judges no content before a prompt runs: the suite does not ask for this.
  contentRejected: noRoute,
  inputRejected: errorResponse(
    'prompt_outputs_failed_validation',
    'Prompt outputs failed validation',
    'length',
    [['5', { errors: [{ type: 'value_bigger_than_max', message: 'Value 9999 bigger than max' }] }]],
  ),
  garbage: { status: 200, body: '{"prompt_id": 17' },
  wrongTypes: json(200, { queue_running: 'none', queue_pending: [[7]] }),
};

const upstreamStates: Record<
  Exclude<UpstreamState, 'expired'>,
  (fake: FakeComfyUi, id: string) => void
> = {
  running: (fake, id) => fake.run(id),
  completed: (fake, id) => fake.finish(id),
  // A picture that moves is no video.
  'completed-without-video': (fake, id) =>
    fake.finish(id, {
      '9': { images: [{ filename: 'a.webp', type: 'output' }], animated: [true] },
    }),
  failed: (fake, id) => fake.fail(id),
  'content-rejected': (fake, id) =>
    fake.fail(id, {
      node_type: 'SafetyChecker',
      exception_message: 'The safety checker flagged the output as NSFW.',
    }),
  vanished: (fake) => fake.restart(),
  'unknown-status': (fake, id) => fake.end(id, { status_str: 'paused', completed: false }),
};

/** Tiny files that say where they came from, with the first bytes of their kind. */
const heads = {
  image: Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e0', 'hex'),
  video: Buffer.from('00000018667479706d703432', 'hex'),
  audio: Buffer.from('ID3\u0004'),
};
const origin = ' came from ';
export const fetchSample: FetchMaterial = async ({ url, kind, into }) => {
  await writeFile(into, Buffer.concat([heads[kind], Buffer.from(origin + url)]));
  return { saved: true };
};

function toReceivedStart(fake: FakeComfyUi): ReceivedStart {
  const graph = fake.lastGraph();
  const length = graph['5']!.inputs.length;
  const files = (from: number, to: number, input: string): string[] =>
    Object.entries(graph)
      .filter(([id]) => Number(id) >= from && Number(id) < to)
      .map(([, { inputs }]) => fake.inputFiles.get(String(inputs[input]))!.toString('latin1'))
      .map((content) => content.split(origin)[1]!);
  const references = (urls: string[]): ReceivedMaterial[] =>
    urls.map((url) => ({ url, role: 'reference' }));
  const images = files(20, 30, 'image');
  const [videos, audios] = [files(30, 40, 'file'), files(40, 50, 'audio')];
  const areFrames = videos.length + audios.length === 0;
  return {
    prompt: String(graph['6']!.inputs.text),
    seed: Number(graph['3']!.inputs.seed),
    durationSeconds: typeof length === 'number' ? (length - 1) / 16 : undefined,
    images: areFrames
      ? images.map((url, index) => ({ url, role: index === 0 ? 'first' : 'last' }))
      : references(images),
    videos: references(videos),
    audios: references(audios),
  };
}

type OpenedFake = {
  readonly fake: FakeComfyUi;
  readonly provider: Provider;
  close(): Promise<void>;
};

async function open(
  doubleOptions: FakeComfyUiOptions,
  change: Partial<ComfyUiOptions> = {},
): Promise<OpenedFake> {
  const { folder, workflows } = await writeWorkflows();
  const fake = await FakeComfyUi.start(doubleOptions);
  const provider = createComfyUi({
    name: 'comfy',
    baseUrl: fake.baseUrl,
    apiKey: () => doubleOptions.apiKey ?? '',
    workflows: { 'vidgen-2-0': workflows, 'vidgen-2-5': workflows },
    fetchMaterial: fetchSample,
    materialBytesMax: { image: 1_000_000, video: 1_000_000, audio: 1_000_000 },
    tempFolder: join(folder, 'scratch'),
    ...timing(),
    ...change,
  });
  const close = async () => {
    await provider.close?.();
    await fake.close();
    await rm(folder, { recursive: true });
  };
  return { fake, provider, close };
}

async function openFixture(useShortTimeouts: boolean): Promise<AdapterFixture> {
  const generations = new Map<string, number>();
  const onQueued = (id: string) => generations.set(id, (generations.get(id) ?? 0) + 1);
  const { fake, provider, close } = await open(
    { onQueued },
    timing({ shortTimeouts: useShortTimeouts }),
  );
  return {
    provider,
    close,
    ...faultSwitches(fake, responses, { start: 'prompt', status: 'queue' }),
    setState: (operation, state) =>
      upstreamStates[state as keyof typeof upstreamStates](fake, operation),
    received: () => toReceivedStart(fake),
    generations: (reference) => generations.get(operationOf(reference)) ?? 0,
    hasResult: (operation) => fake.hasResult(operation),
  };
}

export const harness: Harness = {
  open: ({ shortTimeouts: useShortTimeouts }) => openFixture(useShortTimeouts),
  unsupported: {
    'seed-none': 'a workflow always has a seed: one is drawn for a task that names none',
    'content-rejected-at-start': 'nothing judges content before a prompt runs',
    expired: 'a prompt has no deadline at the upstream, and its files stay',
  },
};

/** Runs one test with a fresh double and adapter. */
export async function withFake(
  run: (fake: FakeComfyUi, provider: Provider) => Promise<void>,
  change: { readonly adapter?: Partial<ComfyUiOptions>; readonly fake?: FakeComfyUiOptions } = {},
): Promise<void> {
  const { fake, provider, close } = await open(change.fake ?? {}, change.adapter);
  try {
    await run(fake, provider);
  } finally {
    await close();
  }
}
