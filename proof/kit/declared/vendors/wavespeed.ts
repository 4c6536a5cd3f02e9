/** Fake WaveSpeed: the model in the path, the callback URL as a parameter, signed callbacks. */
import { createHmac } from 'node:crypto';
import { wavespeed } from '../../../../presets/wavespeed.ts';
import type { CallbackRequest } from '../../../../server/providers/provider.ts';
import { materialsOf } from '../../conformance-fixture.ts';
import { type FakeResponse, json } from '../../fake-upstream.ts';
import { errorResponses, idIn, type Job, noEditing, type VendorWire } from '../fake-vendor.ts';

const states: Record<Job['state'], string> = {
  queued: 'created',
  running: 'processing',
  completed: 'completed',
  'completed-without-video': 'completed',
  failed: 'failed',
  'content-rejected': 'failed',
  expired: 'timeout',
  cancelled: 'cancelled',
  'unknown-status': 'sleeping',
};

const errors: Partial<Record<Job['state'], string>> = {
  failed: 'The model crashed.',
  'content-rejected': 'The output may contain sensitive information.',
};

const predictionOf = ({ id, state, videoUrl }: Job) => ({
  id,
  status: states[state],
  outputs: state === 'completed' ? [videoUrl] : [],
  error: errors[state] ?? '',
});

const success = (data: object): FakeResponse => json(200, { code: 200, message: 'success', data });

export const wavespeedWire: VendorWire = {
  preset: wavespeed,
  basePath: '/api/v3',
  isStart: (route) =>
    /^\/bytedance\/seedance-2\.0(-fast)?\/(text|image|reference)-to-video$/.test(route),
  problem: ({ image, reference_images }, { route, url }) => {
    if (route.includes('/image-to-video') !== (image !== undefined)) return 'image is wrong';
    if (!url.searchParams.get('webhook')?.startsWith('https:')) return 'webhook must be https';
    return reference_images?.length === 0 ? 'reference_images is empty' : undefined;
  },
  accepted: (job) => success(predictionOf(job)),
  polled: ({ route }) => idIn(/^\/predictions\/([^/]+)\/result$/, route),
  view: (job) => success(predictionOf(job)),
  missing: json(404, { code: 404, message: 'prediction not found' }),
  responses: errorResponses((status, _code, message) => json(status, { code: status, message }), {
    message: 'The prompt may contain sensitive information.',
  }),
  received: ({ body }) => ({
    prompt: body.prompt,
    seed: undefined,
    durationSeconds: body.duration,
    images: [
      ...materialsOf(body.image, 'first'),
      ...materialsOf(body.last_image, 'last'),
      ...materialsOf(body.reference_images),
    ],
    videos: materialsOf(body.reference_videos),
    audios: materialsOf(body.reference_audios),
  }),
  unsupported: {
    'seed-zero': 'each model has its own inputs, and the preset sends no seed',
    editing: noEditing,
  },
};

/** As https://wavespeed.ai/docs/verify-webhooks describes it: hexadecimal, the secret as text. */
export function wavespeedCallback(
  operation: string,
  { secret, atSeconds }: { readonly secret: string; readonly atSeconds: number },
): Omit<CallbackRequest, 'reference'> {
  const body = Buffer.from(JSON.stringify({ id: operation, status: 'completed', outputs: [] }));
  const id = '45b392b22c3b449fa935bd4dc';
  const signature = createHmac('sha256', secret.replace('whsec_', ''))
    .update(`${id}.${atSeconds}.${body}`)
    .digest('hex');
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(atSeconds),
      'webhook-signature': `v3,${signature}`,
    },
    body,
  };
}
