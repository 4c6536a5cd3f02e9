/** Fake Runway: a header on every call, sizes instead of ratios, DELETE to cancel. */
import { runway } from '../../../../presets/runway.ts';
import { materialsOf, type ReceivedMaterial } from '../../conformance-fixture.ts';
import { json } from '../../fake-upstream.ts';
import {
  errorResponses,
  idIn,
  type Job,
  lateModeration,
  noEditing,
  noExpiry,
  type VendorWire,
} from '../fake-vendor.ts';

const states: Record<Job['state'], string> = {
  queued: 'THROTTLED',
  running: 'RUNNING',
  completed: 'SUCCEEDED',
  'completed-without-video': 'SUCCEEDED',
  failed: 'FAILED',
  'content-rejected': 'FAILED',
  expired: 'FAILED',
  cancelled: 'CANCELLED',
  'unknown-status': 'DREAMING',
};

const failures: Partial<Record<Job['state'], string>> = {
  failed: 'INTERNAL.BAD_OUTPUT.CODE01',
  'content-rejected': 'SAFETY.OUTPUT.VIDEO',
};

const taskOf = ({ id, state, videoUrl }: Job) => ({
  id,
  status: states[state],
  ...(state === 'running' ? { progress: 0.4 } : {}),
  ...(state === 'completed' ? { output: [videoUrl] } : {}),
  ...(failures[state] ? { failure: 'An error occurred.', failureCode: failures[state] } : {}),
});

/** As the types of @runwayml/sdk list them. */
const shared =
  '992:432 752:560 640:640 560:752 1470:630 1280:720 1112:834 960:960 834:1112 720:1280';
const larger = '2206:946 1920:1080 1664:1248 1440:1440 1248:1664 1080:1920';
const largest = '3840:1646 3840:2160 3840:2880 3840:3840 2880:3840 2160:3840';
const ratios: Readonly<Record<string, readonly string[]>> = {
  seedance2: `${shared} ${larger} ${largest} 864:496 496:864`.split(' '),
  seedance2_fast: `${shared} 864:496 496:864`.split(' '),
  seedance2_mini: `${shared} 864:496 496:864`.split(' '),
  seedance2_5: `${shared} ${larger} 854:480 480:854`.split(' '),
};
const promptMax: Readonly<Record<string, number>> = {
  ...{ seedance2: 3_500, seedance2_fast: 3_500, seedance2_mini: 3_500, seedance2_5: 15_000 },
};

const taskId = (route: string) => idIn(/^\/tasks\/([^/]+)$/, route);
const uris = (list: readonly { uri: string }[] | undefined) => list?.map(({ uri }) => uri);

export const runwayWire: VendorWire = {
  preset: runway,
  basePath: '/v1',
  headers: { 'x-runway-version': '2024-11-06' },
  isStart: (route) => ['/text_to_video', '/image_to_video'].includes(route),
  problem: ({ model, ratio, duration, promptImage, references, promptText }, { route }) => {
    if (promptText.length > promptMax[model]!) return 'promptText is too long';
    if (!ratios[model]!.includes(ratio)) return `ratio must be one of ${ratios[model]}`;
    if (duration > (model === 'seedance2_5' ? 30 : 15)) return 'duration is too long';
    const isImage = route === '/image_to_video';
    if (isImage !== (promptImage !== undefined)) return 'promptImage is wrong';
    return references?.length === 0 ? 'references is empty' : undefined;
  },
  accepted: ({ id }) => json(200, { id, estimatedCost: { credits: 25 } }),
  polled: ({ method, route }) => (method === 'GET' ? taskId(route) : undefined),
  view: (job) => json(200, taskOf(job)),
  missing: json(404, { error: 'Task not found' }),
  other({ method, route }, fake) {
    if (method !== 'DELETE') return undefined;
    const job = fake.job(taskId(route) ?? '');
    // It also deletes a finished task.
    if (job) job.state = 'cancelled';
    return { status: 204, body: '' };
  },
  responses: errorResponses((status, _code, error) => json(status, { error })),
  received: ({ body }) => ({
    prompt: body.promptText,
    seed: body.seed,
    durationSeconds: body.duration,
    images: [
      ...(body.promptImage ?? []).map(
        ({ uri: url, position: role }: { uri: string; position: ReceivedMaterial['role'] }) => ({
          url,
          role,
        }),
      ),
      ...materialsOf(uris(body.references)),
    ],
    videos: materialsOf(uris(body.referenceVideos)),
    audios: materialsOf(uris(body.referenceAudio)),
  }),
  unsupported: {
    editing: noEditing,
    expired: noExpiry,
    'content-rejected-at-start': lateModeration,
  },
};
