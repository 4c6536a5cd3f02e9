/** Fake OpenRouter: errors as an object or as text, and a file behind the key that redirects. */
import { openrouter } from '../../../../presets/openrouter.ts';
import { materialsOf, type ReceivedMaterial } from '../../conformance-fixture.ts';
import { json } from '../../fake-upstream.ts';
import { errorResponses, idIn, type Job, noEditing, type VendorWire } from '../fake-vendor.ts';

const states: Record<Job['state'], string> = {
  queued: 'pending',
  running: 'in_progress',
  completed: 'completed',
  'completed-without-video': 'completed',
  failed: 'failed',
  'content-rejected': 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
  'unknown-status': 'paused',
};

const errors: Partial<Record<Job['state'], string>> = {
  failed: 'The provider failed.',
  'content-rejected': 'The output was blocked by moderation.',
};

type Reference = { readonly type: string } & Record<string, { readonly url: string }>;
const referencesIn = (list: readonly Reference[] | undefined, kind: string) =>
  list?.filter(({ type }) => type === `${kind}_url`).map((one) => one[`${kind}_url`]!.url);

const viewOf = ({ id, state, videoUrl }: Job) => ({
  id,
  polling_url: `/api/v1/videos/${id}`,
  status: states[state],
  ...(errors[state] ? { error: errors[state] } : {}),
  ...(state === 'completed'
    ? { unsigned_urls: [`${new URL(videoUrl).origin}/api/v1/videos/${id}/content?index=0`] }
    : {}),
});

export const openrouterWire: VendorWire = {
  preset: openrouter,
  basePath: '/api/v1',
  isStart: (route) => route === '/videos',
  problem: ({ frame_images, input_references, generate_audio, callback_url }) => {
    const isEmpty = [frame_images, input_references].some((list) => list?.length === 0);
    if (isEmpty) return 'a list is empty';
    if (generate_audio === true) return 'the model makes no sound';
    return callback_url?.startsWith('https:') ? undefined : 'callback_url must be https';
  },
  accepted: (job) => json(202, viewOf(job)),
  polled: ({ route }) => idIn(/^\/videos\/([^/]+)$/, route),
  view: (job) => json(200, viewOf(job)),
  missing: json(404, { error: { code: 404, message: 'Job not found' } }),
  other({ route }, fake) {
    const job = fake.job(idIn(/^\/videos\/([^/]+)\/content$/, route) ?? '');
    if (!job) return undefined;
    // Another host, which must not get the key.
    const location = job.videoUrl.replace('127.0.0.1', 'localhost');
    return { status: 302, body: '', headers: { location } };
  },
  responses: {
    ...errorResponses((status, _code, message) =>
      json(status, { error: { code: status, message } }),
    ),
    contentRejected: json(403, { error: { code: 403, message: 'Your input was flagged.' } }),
  },
  received: ({ body }) => ({
    prompt: body.prompt,
    seed: body.seed,
    durationSeconds: body.duration,
    images: [
      ...(body.frame_images ?? []).map(
        (frame: { image_url: { url: string }; frame_type: string }) => ({
          url: frame.image_url.url,
          role: frame.frame_type.replace('_frame', '') as ReceivedMaterial['role'],
        }),
      ),
      ...materialsOf(referencesIn(body.input_references, 'image')),
    ],
    videos: materialsOf(referencesIn(body.input_references, 'video')),
    audios: materialsOf(referencesIn(body.input_references, 'audio')),
  }),
  unsupported: { editing: noEditing },
};
