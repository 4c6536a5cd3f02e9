/** Fake Kling: a number as text for lengths, `on` and `off` for sound, its own id by ours. */
import { kling } from '../../../../presets/kling.ts';
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

const error = (status: number, code: number, message: string): FakeResponse =>
  json(status, { code, message, request_id: 'r-1' });
const succeeded = (data: object): FakeResponse =>
  json(200, { code: 0, message: 'SUCCEED', request_id: 'r-1', data });

const states: Record<Job['state'], string> = {
  queued: 'submitted',
  running: 'processing',
  completed: 'succeed',
  'completed-without-video': 'succeed',
  failed: 'failed',
  'content-rejected': 'failed',
  expired: 'failed',
  cancelled: 'failed',
  'unknown-status': 'dancing',
};

const messages: Partial<Record<Job['state'], string>> = {
  failed: 'The task failed, please try again.',
  'content-rejected': 'Failure to pass the risk control system',
};

const dataOf = ({ id, state, reference, videoUrl }: Job) => ({
  task_id: id,
  task_status: states[state],
  task_status_msg: messages[state] ?? '',
  task_info: { external_task_id: reference },
  task_result:
    state === 'completed' ? { videos: [{ id: 'v-1', url: videoUrl, duration: '5.042' }] } : {},
});

/** The generation type in the path must be that of the task. */
const route = /^\/v1\/videos\/(text2video|image2video)\/([^/]+)$/;

export const klingWire: VendorWire = {
  preset: kling,
  basePath: '',
  isStart: (path) => /^\/v1\/videos\/(text2video|image2video)$/.test(path),
  problem: ({ duration, sound, mode, image, prompt }, { route: path }) => {
    if (prompt.length > 2_500) return 'prompt cannot exceed 2500 characters';
    if (typeof duration !== 'string') return 'duration must be text';
    if (!['on', 'off'].includes(sound)) return 'sound must be on or off';
    if (!['std', 'pro', '4k'].includes(mode)) return 'mode must be std, pro or 4k';
    return path.endsWith('image2video') !== (image !== undefined) ? 'image is wrong' : undefined;
  },
  accepted: (job) => succeeded(dataOf(job)),
  polled: () => undefined,
  view: (job) => succeeded(dataOf(job)),
  missing: error(404, 1203, 'Task not found'),
  other({ route: path }, fake) {
    const [, type, id] = route.exec(path) ?? [];
    if (type === undefined) return undefined;
    const job = fake.job(id!) ?? fake.known().find(({ body }) => body.external_task_id === id);
    const isOfType = job?.request.route.endsWith(type);
    return job && isOfType ? klingWire.view(job) : klingWire.missing;
  },
  responses: {
    ...errorResponses((status, _code, message) => error(status, 5000, message)),
    throttled: error(429, 1303, 'parallel task over resource pack limit'),
    contentRejected: error(400, 1301, 'Trigger the content security policy of the platform'),
    inputRejected: error(400, 1201, 'Invalid request parameters, such as an illegal value'),
    accountRejected: error(429, 1102, 'Resource pack depleted or expired'),
  },
  received: ({ body }) => ({
    prompt: body.prompt,
    seed: undefined,
    durationSeconds: Number(body.duration),
    images: [...materialsOf(body.image, 'first'), ...materialsOf(body.image_tail, 'last')],
    videos: [],
    audios: [],
  }),
  unsupported: {
    'seed-zero': noSeed,
    references: noReferences,
    editing: noEditing,
    expired: noExpiry,
    'error-without-creating': 'Kling documents no response that proves absence, so `find` waits',
    'cancel-vanished': 'Kling cannot cancel, and a cancel does not know the path of the task',
  },
};
