/**
 * Fake xAI: 202 without a body while it waits, no status when it is done, and 400 to a poll of
 * rejected content.
 */
import { xai } from '../../../../presets/xai.ts';
import { materialsOf } from '../../conformance-fixture.ts';
import { type FakeResponse, json } from '../../fake-upstream.ts';
import {
  errorResponses,
  idIn,
  type Job,
  noEditing,
  noReferences,
  noSeed,
  type VendorWire,
} from '../fake-vendor.ts';

const urlsIn = (list: readonly { url: string }[] | undefined) => list?.map(({ url }) => url);

function view({ state, videoUrl }: Job): FakeResponse {
  switch (state) {
    case 'queued':
      return { status: 202, body: '' };
    case 'running':
      return json(202, { status: 'pending', progress: 40 });
    case 'completed':
      return json(200, { video: { url: videoUrl, duration: 5, respect_moderation: true } });
    case 'completed-without-video':
      return json(200, { status: 'done', video: { respect_moderation: true } });
    case 'content-rejected':
      return json(400, {
        code: 'Client specified an invalid argument',
        error: 'Generated video rejected by content moderation.',
      });
    case 'unknown-status':
      return json(200, { status: 'paused' });
    default:
      return json(200, { status: state, error: { code: 'internal', message: 'It broke.' } });
  }
}

export const xaiWire: VendorWire = {
  preset: xai,
  basePath: '/v1',
  isStart: (route) => route === '/videos/generations',
  problem: ({ duration, image, last_frame, reference_images, resolution }) => {
    if (reference_images && resolution === '1080p') return 'references are limited to 720p';
    if (!Number.isInteger(duration)) return 'duration must be a number';
    const isEmpty = [image, last_frame].some((frame) => frame && !frame.url);
    return isEmpty || reference_images?.length === 0 ? 'an image has no URL' : undefined;
  },
  accepted: ({ id }) => json(200, { request_id: id }),
  polled: ({ route }) => idIn(/^\/videos\/([^/]+)$/, route),
  view,
  missing: json(404, { code: 'not-found', error: 'Request not found' }),
  responses: errorResponses((status, code, error) => json(status, { code, error }), {
    rejected: 'The caller does not have permission to execute the specified operation',
    message: 'Content violates usage guidelines.',
  }),
  received: ({ body }) => ({
    prompt: body.prompt,
    seed: undefined,
    durationSeconds: body.duration,
    images: [
      ...materialsOf(body.image?.url, 'first'),
      ...materialsOf(body.last_frame?.url, 'last'),
      ...materialsOf(urlsIn(body.reference_images)),
    ],
    videos: [],
    audios: materialsOf(urlsIn(body.reference_audios)),
  }),
  unsupported: { 'seed-zero': noSeed, references: noReferences, editing: noEditing },
};
