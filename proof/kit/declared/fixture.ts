/** Lumen described by data, and the conformance harness over it. */
import {
  createDeclared,
  type DeclaredOptions,
} from '../../../server/providers/declared/declared.ts';
import { DeclaredSettings } from '../../../server/providers/declared/settings.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import { type FaultResponses, faultSwitches, timing } from '../conformance-faults.ts';
import type {
  AdapterFixture,
  ReceivedMaterial,
  ReceivedStart,
  UpstreamState,
} from '../conformance-fixture.ts';
import { json } from '../fake-upstream.ts';
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
  // With status 200: only the description knows what it means.
  startThrottled: problem(200, 'busy', 'Come back later.'),
  contentRejected: problem(422, 'unsafe_text', 'We do not make this.'),
  inputRejected: problem(422, 'bad_input', 'seconds is too long'),
  accountRejected: problem(402, 'no_money', 'Your account is empty.'),
  garbage: { status: 202, body: '{"result": [' },
  wrongTypes: json(200, { render: { phase: {}, share: 'half', assets: 7 } }),
};

const upstreamStates: Record<
  Exclude<UpstreamState, 'vanished'>,
  (render: Render) => Partial<Render>
> = {
  running: () => ({ phase: phases.working, percent: 40 }),
  completed: () => ({ phase: phases.done, percent: 100, hasFile: true }),
  'completed-without-video': () => ({ phase: phases.done }),
  failed: () => ({ phase: phases.broken, fault: { kind: 'crash', text: 'a fan fell off' } }),
  'content-rejected': () => ({
    phase: phases.broken,
    fault: { kind: 'unsafe_video', text: 'We do not show this.' },
  }),
  expired: () => ({ phase: phases.late }),
  'unknown-status': () => ({ phase: 77 }),
};

function toReceivedStart({ job }: Render): ReceivedStart {
  const list = (value: unknown): string[] => (Array.isArray(value) ? value : []);
  const references = (urls: string[]): ReceivedMaterial[] =>
    urls.map((url) => ({ url, role: 'reference' }));
  const { from, to } = job as { from?: string; to?: string };
  return {
    prompt: String(job.text),
    seed: (job.options as { seed?: number }).seed,
    durationSeconds: Number.parseInt(String(job.seconds), 10),
    images: [
      ...(from ? [{ url: from, role: 'first' as const }] : []),
      ...(to ? [{ url: to, role: 'last' as const }] : []),
      ...references(list(job.pictures)),
    ],
    videos: references((job.clips as { href: string }[]).map(({ href }) => href)),
    audios: references(list(job.sounds)),
  };
}

export function lumenAdapter(fake: FakeLumen, change: Partial<DeclaredOptions> = {}): Provider {
  const { kind: _, supports: __, ...settings } = DeclaredSettings.parse(declaredLumen);
  return createDeclared({
    ...settings,
    ...timing(),
    name: 'lumen',
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey,
    ...change,
  });
}

async function openFixture(useShortTimeouts: boolean): Promise<AdapterFixture> {
  const fake = await FakeLumen.start();
  const provider = lumenAdapter(fake, timing({ shortTimeouts: useShortTimeouts }));
  return {
    provider,
    ...faultSwitches(fake, responses, { start: 'create', status: 'get' }),
    setState: (operation, state) => {
      if (state === 'vanished') return fake.forget(operation);
      const render = fake.render(operation);
      Object.assign(render, upstreamStates[state](render));
    },
    received: () => toReceivedStart(fake.renders.at(-1)!),
    generations: (reference) => fake.renders.filter(({ key }) => key === reference).length,
    hasResult: (operation) => fake.render(operation).hasFile,
    close: async () => {
      await provider.close?.();
      await fake.close();
    },
  };
}

export const lumenHarness: Harness = {
  open: ({ shortTimeouts: useShortTimeouts }) => openFixture(useShortTimeouts),
  unsupported: { editing: 'the upstream edits nothing: `cannot` refuses a duration of -1' },
};
