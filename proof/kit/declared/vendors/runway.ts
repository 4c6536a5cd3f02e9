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

const taskId = (route: string) => idIn(/^\/tasks\/([^/]+)$/, route);
const uris = (list: readonly { uri: string }[] | undefined) => list?.map(({ uri }) => uri);

export const runwayWire: VendorWire = {
  preset: runway,
  basePath: '/v1',
  headers: { 'x-runway-version': '2024-11-06' },
  isStart: (route) => ['/text_to_video', '/image_to_video'].includes(route),
  problem: ({ ratio, promptImage, references, promptText }, { route }) => {
    if (promptText.length > 3_500) return 'promptText is too long';
    if (!/^\d+:\d+$/.test(ratio)) return 'ratio must be like 1280:720';
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
