/** Fake DashScope: a header that makes a start asynchronous, and errors in two places. */
import { wan } from '../../../../presets/wan.ts';
import { materialsOf } from '../../conformance-fixture.ts';
import { json } from '../../fake-upstream.ts';
import {
  errorResponses,
  idIn,
  type Job,
  noEditing,
  noExpiry,
  type VendorWire,
} from '../fake-vendor.ts';

const states: Record<Job['state'], string> = {
  queued: 'PENDING',
  running: 'RUNNING',
  completed: 'SUCCEEDED',
  'completed-without-video': 'SUCCEEDED',
  failed: 'FAILED',
  'content-rejected': 'FAILED',
  expired: 'FAILED',
  cancelled: 'CANCELED',
  'unknown-status': 'SUSPENDED',
};

const codes: Partial<Record<Job['state'], string>> = {
  failed: 'InternalError',
  'content-rejected': 'DataInspectionFailed',
};

const outputOf = ({ id, state, videoUrl }: Job) => ({
  task_id: id,
  task_status: states[state],
  ...(state === 'completed' ? { video_url: videoUrl } : {}),
  ...(codes[state] ? { code: codes[state], message: 'It did not work.' } : {}),
});

type Media = { readonly type: string; readonly url: string };
const ofType = (media: readonly Media[] | undefined, type: string) =>
  media?.filter((one) => one.type === type).map(({ url }) => url);

export const wanWire: VendorWire = {
  preset: wan({ workspace: 'ws-1' }),
  basePath: '/api/v1',
  isStart: (route) => route === '/services/aigc/video-generation/video-synthesis',
  problem: ({ input, parameters }, { headers }) => {
    if (headers['x-dashscope-async'] !== 'enable') return 'only asynchronous calls are supported';
    if (!Number.isInteger(parameters.duration)) return 'duration must be a number';
    if ((parameters.seed ?? 0) > 2_147_483_647) return 'seed must be at most 2147483647';
    if (!/^(480|720|1080)P$/.test(parameters.resolution)) return 'resolution must be like 720P';
    return input.media?.length === 0 ? 'media is empty' : undefined;
  },
  accepted: (job) => json(200, { output: outputOf(job), request_id: 'r-1' }),
  polled: ({ route }) => idIn(/^\/tasks\/([^/]+)$/, route),
  view: (job) =>
    json(200, { output: outputOf(job), usage: { output_video_duration: 5 }, request_id: 'r-1' }),
  missing: json(200, { output: { task_status: 'UNKNOWN' }, request_id: 'r-1' }),
  other({ method, route }, fake) {
    const id = idIn(/^\/tasks\/([^/]+)\/cancel$/, route);
    const job = method === 'POST' && id !== undefined ? fake.job(id) : undefined;
    if (!job) return undefined;
    if (job.state !== 'queued') return json(400, { code: 'UnsupportedOperation', message: 'No.' });
    job.state = 'cancelled';
    return json(200, { request_id: 'r-1' });
  },
  responses: errorResponses((status, code, message) => json(status, { code, message }), {
    rejected: 'DataInspectionFailed',
  }),
  received: ({ body: { input, parameters } }) => ({
    prompt: input.prompt,
    seed: parameters.seed,
    durationSeconds: parameters.duration,
    images: [
      ...materialsOf(ofType(input.media, 'first_frame'), 'first'),
      ...materialsOf(ofType(input.media, 'last_frame'), 'last'),
      ...materialsOf(ofType(input.media, 'reference_image')),
    ],
    videos: materialsOf(ofType(input.media, 'reference_video')),
    audios: materialsOf(ofType(input.media, 'reference_audio')),
  }),
  unsupported: {
    editing: noEditing,
    expired: noExpiry,
    vanished:
      'an unknown task has the state UNKNOWN, which can also be temporary: it stays pending',
  },
};
