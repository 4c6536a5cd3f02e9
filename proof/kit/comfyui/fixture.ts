/** The ComfyUI adapter on its fake: the conformance harness, and shortcuts for tests. */
import { type ComfyUiOptions, createComfyUi } from '../../../server/providers/comfyui/comfyui.ts';
import { operationOf } from '../../../server/providers/comfyui/values.ts';
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
import { json } from '../fake-upstream.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { FakeComfyUi, type FakeComfyUiOptions } from './fake.ts';
import { errorResponse, noRoute } from './rules.ts';
import { writeWorkflows } from './workflows.ts';

const responses: FaultResponses = {
  serverError: { status: 500, body: '500 Internal Server Error' },
  // Both come from a proxy: ComfyUI has neither keys nor limits.
  throttled: json(429, { error: 'Too Many Requests' }, { 'retry-after': '7' }),
  accountRejected: json(401, { error: 'Unauthorized' }),
  // ComfyUI checks no content before a prompt runs; the case is listed as unsupported.
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
  // An animated image is not a video.
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

/** The start of a PNG of 640 by 480. */
const frameHead = Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e0', 'hex');

function toReceivedStart(fake: FakeComfyUi): ReceivedStart {
  const graph = fake.lastGraph();
  const length = graph['5']!.inputs.length;
  const files = (from: number, to: number, input: string): string[] =>
    Object.entries(graph)
      .filter(([id]) => Number(id) >= from && Number(id) < to)
      .map(([, { inputs }]) => urlInSample(fake.inputFiles.get(String(inputs[input]))!));
  const images = files(20, 30, 'image');
  const videos = files(30, 40, 'file');
  const audios = files(40, 50, 'audio');
  const areFrames = videos.length + audios.length === 0;
  return {
    prompt: String(graph['6']!.inputs.text),
    seed: Number(graph['3']!.inputs.seed),
    durationSeconds: typeof length === 'number' ? (length - 1) / 16 : undefined,
    images: areFrames
      ? [...materialsOf(images[0], 'first'), ...materialsOf(images[1], 'last')]
      : materialsOf(images),
    videos: materialsOf(videos),
    audios: materialsOf(audios),
  };
}

async function open(change: FixtureChange<ComfyUiOptions, FakeComfyUiOptions>) {
  const workflows = await writeWorkflows();
  const fake = await FakeComfyUi.start(change.fake);
  const provider = createComfyUi({
    name: 'comfy',
    baseUrl: fake.baseUrl,
    apiKey: () => '',
    workflows: { 'vidgen-2-0': workflows, 'vidgen-2-5': workflows },
    fetchMaterial: fetchSamples({ image: frameHead }),
    materialBytesMax: { image: 1_000_000, video: 1_000_000, audio: 1_000_000 },
    tempFolder: makeTemporaryFolder('comfyui'),
    ...timing(),
    ...(await change.reach?.(fake.baseUrl)),
    ...change.adapter,
  });
  return { fake, provider };
}

const kitOf = (reach?: Reach) =>
  createKit({
    reach,
    unsupported: {
      'seed-none': 'a workflow always has a seed: one is drawn for a task without a seed',
      'content-rejected-at-start': 'nothing checks content before a prompt runs',
      expired: 'a prompt has no deadline at the upstream, and its files stay',
    },
    open,
    responses,
    operations: { start: 'prompt', status: 'queue' },
    setState: (fake, operation, state) =>
      upstreamStates[state as keyof typeof upstreamStates](fake, operation),
    received: toReceivedStart,
    generations: (fake, reference) =>
      fake.queuedIds.filter((id) => id === operationOf(reference)).length,
    hasResult: (fake, operation) => fake.hasResult(operation),
  });

export const { harness, withFake } = kitOf();
export const harnessThrough = (reach: Reach) => kitOf(reach).harness;
