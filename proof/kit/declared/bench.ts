/** Lumen described by data, and the conformance harness over it. */
import {
  createDeclared,
  type DeclaredOptions,
} from '../../../server/providers/declared/declared.ts';
import { DeclaredSettings } from '../../../server/providers/declared/settings.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import type { Bench, ReceivedMaterial, ReceivedStart, Turn } from '../conformance-bench.ts';
import { type TroubledAnswers, timing, troubles } from '../conformance-faults.ts';
import { json } from '../upstream-double.ts';
import { LumenDouble, phases, problem, type Render } from './lumen.ts';

export const describedLumen = {
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

const answers: TroubledAnswers = {
  serverError: problem(500, 'internal', 'Sorry.'),
  throttled: problem(429, 'busy', 'Come back later.'),
  // With status 200: only the description knows what it means.
  startThrottled: problem(200, 'busy', 'Come back later.'),
  contentRejected: problem(422, 'unsafe_text', 'We do not make this.'),
  inputRefused: problem(422, 'bad_input', 'seconds is too long'),
  accountRefused: problem(402, 'no_money', 'Your account is empty.'),
  garbage: { status: 202, body: '{"result": [' },
  wrongTypes: json(200, { render: { phase: {}, share: 'half', assets: 7 } }),
};

const turns: Record<Exclude<Turn, 'vanished'>, (render: Render) => Partial<Render>> = {
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

function understood({ job }: Render): ReceivedStart {
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

export function lumenAdapter(double: LumenDouble, change: Partial<DeclaredOptions> = {}): Provider {
  const { kind: _, supports: __, ...settings } = DeclaredSettings.parse(describedLumen);
  return createDeclared({
    ...settings,
    ...timing(),
    name: 'lumen',
    baseUrl: double.baseUrl,
    apiKey: () => double.apiKey,
    ...change,
  });
}

async function openBench(hurried: boolean): Promise<Bench> {
  const double = await LumenDouble.start();
  const provider = lumenAdapter(double, timing({ impatient: hurried }));
  return {
    provider,
    ...troubles(double, answers, { start: 'create', status: 'get' }),
    turn: (operation, turn) => {
      if (turn === 'vanished') return double.forget(operation);
      const render = double.render(operation);
      Object.assign(render, turns[turn](render));
    },
    received: () => understood(double.renders.at(-1)!),
    generations: (reference) => double.renders.filter(({ key }) => key === reference).length,
    holds: (operation) => double.render(operation).hasFile,
    close: async () => {
      await provider.close?.();
      await double.close();
    },
  };
}

export const lumenHarness: Harness = {
  open: ({ impatient: hurried }) => openBench(hurried),
  cannot: { editing: 'the upstream edits nothing: `cannot` refuses a duration of -1' },
};
