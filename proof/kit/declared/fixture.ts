/** Lumen as a declared provider, and the conformance harness over its fake. */
import type { DeclaredOptions } from '../../../server/providers/declared/declared.ts';
import type { Provider, StatusResult } from '../../../server/providers/provider.ts';
import { createKit, type FaultResponses, type FixtureChange } from '../conformance-faults.ts';
import {
  materialsOf,
  type ReceivedStart,
  sampleStart,
  sampleStatus,
  type UpstreamState,
} from '../conformance-fixture.ts';
import { declined, type FakeResponse, json } from '../fake-upstream.ts';
import { declaredProvider } from './declared-provider.ts';
import { FakeLumen, phases, problem, type Render } from './fake-lumen.ts';

export const declaredLumen = {
  kind: 'declared',
  baseUrl: 'https://api.lumen.example/v2',
  apiKey: { env: 'LUMEN_KEY' },
  auth: { header: 'x-lumen-key', value: 'k:{{key}}' },
  models: { 'vidgen-2-0': 'lumen-large', 'vidgen-2-5': 'lumen-xl' },
  resolutions: { '480p': 'sd', '720p': 'hd' },
  start: {
    path: '/renders',
    body: {
      engine: '{{model}}',
      text: '{{prompt}}',
      seconds: '{{seconds}}s',
      quality: '{{resolution}}',
      shape: '{{aspect_ratio}}',
      options: { seed: '{{seed}}', sound: '{{sound}}' },
      from: '{{first_frame}}',
      to: '{{last_frame}}',
      pictures: '{{image_urls}}',
      clips: [{ '{{each}}': '{{video_urls}}', href: '{{item}}' }],
      sounds: '{{audio_urls}}',
    },
    operation: 'result.renders[0].id',
    idempotencyKeyHeader: 'x-once',
  },
  status: {
    path: '/renders/{{operation}}',
    state: 'render.phase',
    states: {
      '0': 'queued',
      '1': 'running',
      '2': 'completed',
      '3': 'failed',
      '4': 'expired',
      '5': 'cancelled',
    },
    progress: 'render.share',
    progressMax: 1,
    video: 'render.assets[1].href',
  },
  errors: {
    code: 'problem.kind',
    message: 'problem.text',
    reasons: {
      unsafe_text: 'rejected-prompt',
      unsafe_video: 'rejected-output',
      'unsafe_*': 'rejected',
      bad_file: 'material',
    },
    start: { busy: 'throttled' },
  },
  cancel: { path: '/renders/{{operation}}/stop', from: ['queued', 'running'] },
  results: 'with-key',
} as const;

const responses: FaultResponses = {
  serverError: problem(500, 'internal', 'Sorry.'),
  throttled: problem(429, 'busy', 'Come back later.'),
  // With status 200: only the settings say that it is an error.
  startThrottled: problem(200, 'busy', 'Come back later.'),
  contentRejected: problem(422, 'unsafe_text', 'We do not make this.'),
  inputRejected: problem(422, 'bad_input', 'seconds is too long'),
  accountRejected: problem(402, 'no_money', 'Your account is empty.'),
  garbage: { status: 202, body: '{"result": [' },
  wrongTypes: json(200, { render: { phase: {}, share: 'half', assets: 7 } }),
};

const upstreamStates: Record<Exclude<UpstreamState, 'vanished'>, Partial<Render>> = {
  running: { phase: phases.working, percent: 40 },
  completed: { phase: phases.done, percent: 100, hasFile: true },
  'completed-without-video': { phase: phases.done },
  failed: { phase: phases.broken, fault: { kind: 'crash', text: 'a fan fell off' } },
  'content-rejected': {
    phase: phases.broken,
    fault: { kind: 'unsafe_video', text: 'We do not show this.' },
  },
  expired: { phase: phases.late },
  'unknown-status': { phase: 77 },
};

const toReceivedStart = ({ job }: Render): ReceivedStart => ({
  prompt: String(job.text),
  seed: (job.options as { seed?: number }).seed,
  durationSeconds: Number.parseInt(String(job.seconds), 10),
  images: [
    ...materialsOf(job.from, 'first'),
    ...materialsOf(job.to, 'last'),
    ...materialsOf(job.pictures),
  ],
  videos: materialsOf((job.clips as { href: string }[] | undefined)?.map(({ href }) => href)),
  audios: materialsOf(job.sounds),
});

export const lumenAdapter = (fake: FakeLumen, change: Partial<DeclaredOptions> = {}): Provider =>
  declaredProvider(declaredLumen, { name: 'lumen', fake, change });

const kit = createKit({
  unsupported: {
    editing: 'the upstream edits nothing: `unsupportedReason` declines a duration of -1',
  },
  open: async ({ adapter }: FixtureChange<DeclaredOptions, object>) => {
    const fake = await FakeLumen.start();
    return { fake, provider: lumenAdapter(fake, adapter) };
  },
  responses,
  operations: { start: 'create', status: 'get' },
  setState: (fake, operation, state) => {
    if (state === 'vanished') fake.forget(operation);
    else Object.assign(fake.render(operation), upstreamStates[state]);
  },
  received: (fake) => toReceivedStart(fake.renders.at(-1)!),
  generations: (fake, reference) => fake.renders.filter(({ key }) => key === reference).length,
  hasResult: (fake, operation) => fake.render(operation).hasFile,
});

export const { harness } = kit;

export const withLumen = (
  adapter: Partial<DeclaredOptions>,
  run: (fake: FakeLumen, provider: Provider) => Promise<void>,
) => kit.withFake({ adapter }, run);

/** Polls any operation; the calls of the poll get `responses` in turn. */
export async function pollLumen(
  fake: FakeLumen,
  provider: Provider,
  ...responses: readonly FakeResponse[]
): Promise<StatusResult> {
  const request = sampleStart();
  fake.next('get', ...responses.map(declined));
  return await provider.status(sampleStatus('1000', request));
}
