/** Fake Luma: keyframes that must be complete, moderation after the start, a list. */
import { luma } from '../../../../presets/luma.ts';
import { materialsOf } from '../../conformance-fixture.ts';
import { json } from '../../fake-upstream.ts';
import {
  errorResponses,
  idIn,
  type Job,
  lateModeration,
  noEditing,
  noExpiry,
  noReferences,
  noSeed,
  type VendorWire,
} from '../fake-vendor.ts';

const states: Record<Job['state'], string> = {
  queued: 'queued',
  running: 'dreaming',
  completed: 'completed',
  'completed-without-video': 'completed',
  failed: 'failed',
  'content-rejected': 'failed',
  expired: 'failed',
  cancelled: 'failed',
  'unknown-status': 'awake',
};

const reasons: Partial<Record<Job['state'], string>> = {
  failed: 'Job failed with an internal error',
  'content-rejected': 'Advanced prompt moderation failed',
};

const generationOf = ({ id, state, body, videoUrl }: Job) => ({
  id,
  state: states[state],
  failure_reason: reasons[state] ?? null,
  assets: state === 'completed' ? { video: videoUrl } : null,
  request: body,
});

export const lumaWire: VendorWire = {
  preset: luma,
  basePath: '/dream-machine/v1',
  isStart: (route) => route === '/generations/video',
  problem: ({ duration, keyframes, prompt }) => {
    if (prompt.length < 3) return 'Prompt is too short, minimum length is 3 characters';
    if (prompt.length > 5_000) return 'Prompt is too long, maximum length is 5000 characters';
    if (!/^\d+s$/.test(duration)) return 'duration must be like 5s';
    const frames = Object.values(keyframes ?? { none: { url: 'x' } }) as { url?: string }[];
    const isComplete = frames.length > 0 && frames.every(({ url }) => url !== undefined);
    return isComplete ? undefined : 'No keyframes provided';
  },
  accepted: (job) => json(201, generationOf(job)),
  polled: ({ route }) => idIn(/^\/generations\/([^/]+)$/, route),
  view: (job) => json(200, generationOf(job)),
  missing: json(404, { detail: 'Generation not found' }),
  other: ({ route, url }, fake) =>
    route === '/generations'
      ? json(200, {
          generations: fake
            .known()
            .slice(-Number(url.searchParams.get('limit')))
            .map(generationOf),
          has_more: false,
        })
      : undefined,
  responses: errorResponses((status, _code, detail) => json(status, { detail })),
  received: ({ body }) => ({
    prompt: body.prompt,
    seed: undefined,
    durationSeconds: Number.parseInt(body.duration, 10),
    images: [
      ...materialsOf(body.keyframes?.frame0?.url, 'first'),
      ...materialsOf(body.keyframes?.frame1?.url, 'last'),
    ],
    videos: [],
    audios: [],
  }),
  unsupported: {
    'seed-zero': noSeed,
    references: noReferences,
    editing: noEditing,
    expired: noExpiry,
    'content-rejected-at-start': lateModeration,
    'error-without-creating': 'the list may be incomplete and proves no absence, so `find` waits',
  },
};
