/** As `preset-exchanges.ts`, of the presets that name models of their own only. */
import { geminiOmni } from '../../../presets/gemini-omni.ts';
import { ltx } from '../../../presets/ltx.ts';
import { minimaxH3 } from '../../../presets/minimax-h3.ts';
import { json } from '../fake-upstream.ts';
import {
  audioUrl,
  type Exchanges,
  first,
  frames,
  last,
  prompt,
  references,
  resultUrl,
  videoUrl,
} from './preset-exchanges.ts';

const h3Body = (content: readonly object[], change: object = {}) => ({
  model: 'MiniMax-H3',
  resolution: '2K',
  duration: 5,
  aigc_watermark: false,
  content: [{ type: 'text', text: prompt }, ...content],
  ...change,
});
const h3File = (kind: string, url: string, role: string) => ({
  type: `${kind}_url`,
  [`${kind}_url`]: { url },
  role,
});
const h3Task = (task: object) => json(200, { task: { id: 'job-1', ...task } });
const h3Error = (status: number, type: string, message: string) =>
  json(status, { type: 'error', error: { type, message, http_code: String(status) } });
const ltxBody = {
  model: 'ltx-2-5-fast',
  prompt,
  duration: 6,
  resolution: '1920x1080',
  generate_audio: true,
};
const ltxStart = { duration: 6, resolution: '1080p' };
const ltxError = (type: string) => ({ error: { type, message: 'x' } });
/** What every URL of a material has, for upstreams that get the content. */
export const material = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000080000000808020000',
  'hex',
);
const omniImage = { type: 'image', data: material.toString('base64'), mime_type: 'image/png' };
const omniBody = (task: string, images: readonly object[]) => ({
  model: 'gemini-omni-1.1-flash',
  input: [...images, { type: 'text', text: prompt }],
  generation_config: { video_config: { task } },
  response_format: {
    type: 'video',
    delivery: 'uri',
    aspect_ratio: '16:9',
    resolution: '720p',
    duration: '5s',
  },
  background: true,
});
const omniStart = 'POST /v1beta/interactions';
const omniSteps = (content: readonly object[]) => [
  { type: 'user_input', content: [{ type: 'text', text: prompt }, omniImage] },
  { type: 'thought', summary: [] },
  { type: 'model_output', content },
];

export const namedVendors: Readonly<Record<string, Exchanges>> = {
  'MiniMax H3': {
    preset: minimaxH3,
    model: 'minimax-h3',
    starts: [
      [{ resolution: '2k' }, 'POST /v2/video_generation', h3Body([], { ratio: '16:9' })],
      [
        { ...frames, resolution: '2k' },
        'POST /v2/video_generation',
        h3Body([h3File('image', first, 'first_frame'), h3File('image', last, 'last_frame')]),
      ],
      [
        { ...references, resolution: '768p' },
        'POST /v2/video_generation',
        h3Body(
          [
            h3File('image', first, 'reference_image'),
            h3File('video', videoUrl, 'reference_video'),
            h3File('audio', audioUrl, 'reference_audio'),
          ],
          { resolution: '768P', ratio: '16:9' },
        ),
      ],
    ],
    accepted: json(200, { task_id: 'job-1' }),
    declined: [
      [h3Error(400, 'bad_request_error', 'invalid params (2013)'), 'failed'],
      [h3Error(402, 'insufficient_balance_error', 'insufficient balance (1008)'), 'failed'],
      [h3Error(422, 'unprocessable_entity_error', 'sensitive content (1026)'), 'rejected prompt'],
      [h3Error(429, 'rate_limit_error', 'rate limit (1002)'), 'throttled'],
    ],
    poll: 'GET /v2/query/video_generation/job-1',
    polls: [
      [h3Task({ status: 'queued' }), 'pending'],
      [h3Task({ status: 'running' }), 'pending'],
      [h3Task({ status: 'succeeded', content: { url: resultUrl } }), 'completed'],
      [h3Task({ status: 'failed', error: { code: '1000', message: 'x' } }), 'failed'],
      [h3Task({ status: 'failed', error: { code: '1026', message: 'x' } }), 'rejected input'],
      [h3Task({ status: 'cancelled' }), 'failed'],
    ],
  },
  LTX: {
    preset: ltx,
    model: 'ltx-2.5-fast',
    starts: [
      [ltxStart, 'POST /v2/text-to-video', ltxBody],
      [
        { ...frames, ...ltxStart, model: 'ltx-2.3-pro', aspectRatio: '9:16', resolution: '4k' },
        'POST /v2/image-to-video',
        {
          ...ltxBody,
          model: 'ltx-2-3-pro',
          resolution: '2160x3840',
          image_uri: first,
          last_frame_uri: last,
        },
      ],
    ],
    accepted: json(202, { id: 'job-1', created_at: '2026-01-15T10:00:00.000Z' }),
    declined: [
      [json(400, { type: 'error', ...ltxError('invalid_request_error') }), 'failed'],
      [json(402, { type: 'error', ...ltxError('insufficient_funds_error') }), 'failed'],
      [json(422, { type: 'error', ...ltxError('content_filtered_error') }), 'rejected prompt'],
      [json(429, { type: 'error', ...ltxError('concurrency_limit_error') }), 'throttled'],
    ],
    poll: 'GET /v2/text-to-video/job-1',
    polls: [
      [json(200, { status: 'pending' }), 'pending'],
      [json(200, { status: 'processing' }), 'pending'],
      [json(200, { status: 'completed', result: { video_url: resultUrl } }), 'completed'],
      [json(200, { status: 'failed', ...ltxError('api_error') }), 'failed'],
      [json(200, { status: 'failed', ...ltxError('content_filtered_error') }), 'rejected'],
      [json(404, { type: 'error', ...ltxError('not_found_error') }), 'lost'],
    ],
  },
  'Gemini Omni': {
    preset: geminiOmni,
    model: 'gemini-omni-1.1-flash',
    authHeader: { 'x-goog-api-key': 'vendor-key' },
    starts: [
      [{}, omniStart, omniBody('text_to_video', [])],
      [
        { ...frames, aspectRatio: '16:9' },
        omniStart,
        omniBody('image_to_video', [omniImage, omniImage]),
      ],
      [
        { ...references, videoUrls: [], audioUrls: [] },
        omniStart,
        omniBody('reference_to_video', [omniImage]),
      ],
    ],
    accepted: json(200, { id: 'job-1', status: 'in_progress', object: 'interaction' }),
    poll: 'GET /v1beta/interactions/job-1',
    polls: [
      [json(200, { status: 'in_progress' }), 'pending'],
      [
        json(200, {
          status: 'completed',
          steps: omniSteps([{ type: 'video', uri: '/v1beta/files/f-1:download?alt=media' }]),
        }),
        'completed',
      ],
      [json(200, { status: 'completed', steps: omniSteps([]) }), 'failed'],
      [json(200, { status: 'failed', errors: [{ code: 'x', message: 'x' }] }), 'failed'],
    ],
  },
};
