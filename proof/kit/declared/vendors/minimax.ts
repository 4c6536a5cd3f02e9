/** Fake MiniMax: every error with status 200, and a file that is looked up by its id. */
import { minimax } from '../../../../presets/minimax.ts';
import { materialsOf } from '../../conformance-fixture.ts';
import { type FakeResponse, json } from '../../fake-upstream.ts';
import {
  errorResponses,
  type Job,
  noEditing,
  noExpiry,
  noReferences,
  noSeed,
  type VendorWire,
} from '../fake-vendor.ts';

const states: Record<Job['state'], string> = {
  queued: 'Queueing',
  running: 'Processing',
  completed: 'Success',
  'completed-without-video': 'Success',
  failed: 'Fail',
  'content-rejected': 'Fail',
  expired: 'Fail',
  cancelled: 'Fail',
  'unknown-status': 'Paused',
};

const respond = (code: number, message: string, fields: object = {}): FakeResponse =>
  json(200, { ...fields, base_resp: { status_code: code, status_msg: message } });

export const minimaxWire: VendorWire = {
  preset: minimax,
  basePath: '/v1',
  isStart: (route) => route === '/video_generation',
  problem: ({ resolution, callback_url, ratio, prompt }) => {
    if (prompt.length > 2_000) return 'prompt must have at most 2000 characters';
    if (!/^(768|1080)P$/.test(resolution)) return 'resolution must be 768P or 1080P';
    return callback_url || ratio ? 'the callback URL did not echo the challenge' : undefined;
  },
  accepted: ({ id }) => respond(0, 'success', { task_id: id }),
  polled: ({ route, url }) =>
    route === '/query/video_generation' ? (url.searchParams.get('task_id') ?? '') : undefined,
  view: ({ id, state }) =>
    respond(...((state === 'content-rejected' ? [1027, 'sensitive output'] : [0, '']) as [0, '']), {
      task_id: id,
      status: states[state],
      file_id: state === 'completed' ? `file/${id}` : '',
    }),
  missing: respond(2013, 'invalid params, task_id'),
  other({ route, url }, fake) {
    if (route !== '/files/retrieve') return undefined;
    const job = fake.job(url.searchParams.get('file_id')?.replace('file/', '') ?? '');
    if (!job) return respond(2013, 'invalid params, file_id');
    return respond(0, 'success', { file: { download_url: job.videoUrl } });
  },
  responses: {
    ...errorResponses((status, _code, message) => json(status, { message })),
    throttled: respond(1002, 'rate limit'),
    contentRejected: respond(1026, 'input contains sensitive content'),
    inputRejected: respond(2013, 'invalid params, duration'),
    accountRejected: respond(1008, 'insufficient balance'),
  },
  received: ({ body }) => ({
    prompt: body.prompt,
    seed: undefined,
    durationSeconds: body.duration,
    images: [
      ...materialsOf(body.first_frame_image, 'first'),
      ...materialsOf(body.last_frame_image, 'last'),
    ],
    videos: [],
    audios: [],
  }),
  unsupported: {
    'seed-zero': noSeed,
    references: noReferences,
    editing: noEditing,
    expired: noExpiry,
    vanished: 'the response for an unknown task is not documented: it stays pending',
  },
};
