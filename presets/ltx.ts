/**
 * LTX, by the asynchronous version 2 of its API: text-to-video, and image-to-video with a first
 * and, with LTX 2.3, a last frame.
 * Source: https://docs.ltx.video/async-jobs, https://docs.ltx.video/errors and
 * https://docs.ltx.video/api-documentation/api-reference/async-video-generation; sizes and lengths
 * as in Lightricks' own client, https://github.com/Lightricks/LTX-Desktop.
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';

const small = {
  '720p': { '16:9': '1280x720', '9:16': '720x1280' },
  '1080p': { '16:9': '1920x1080', '9:16': '1080x1920' },
};

export const ltx: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api.ltx.video/v2',
  apiKey: { env: 'LTX_API_KEY' },
  models: {
    'ltx-2.5-fast': 'ltx-2-5-fast',
    'ltx-2.5-pro': 'ltx-2-5-pro',
    'ltx-2.3-fast': 'ltx-2-3-fast',
    'ltx-2.3-pro': 'ltx-2-3-pro',
  },
  sizes: {
    ...small,
    '1440p': { '16:9': '2560x1440', '9:16': '1440x2560' },
    '4k': { '16:9': '3840x2160', '9:16': '2160x3840' },
  },
  byModel: { 'ltx-2.5-pro': { sizes: small } },
  // The fast models also make up to 20 seconds at 720p and 1080p.
  seconds: [2, 3, 4, 5, 6, 8, 10],
  supports: { promptCharactersMax: 5_000 },
  start: {
    path: { 'text-to-video': '/text-to-video', 'image-to-video': '/image-to-video' },
    body: {
      model: '{{model}}',
      prompt: '{{prompt}}',
      duration: '{{seconds}}',
      resolution: '{{size}}',
      generate_audio: '{{sound}}',
      image_uri: '{{first_frame}}',
      last_frame_uri: '{{last_frame}}',
    },
    operation: 'id',
  },
  status: {
    path: {
      'text-to-video': '/text-to-video/{{operation}}',
      'image-to-video': '/image-to-video/{{operation}}',
    },
    state: 'status',
    states: {
      pending: 'queued',
      processing: 'running',
      completed: 'completed',
      failed: 'failed',
    },
    video: 'result.video_url',
  },
  errors: {
    code: 'error.type',
    message: 'error.message',
    reasons: { content_filtered_error: 'rejected' },
  },
  // LTX asks for a poll every 5 seconds.
  askAgainSeconds: 5,
};

const frames = { last: false };

export const ltxModels = modelsOf(ltx, {
  'ltx-2.5-fast': { upstream: 'ltx-2-5-fast', title: 'LTX 2.5 Fast', frames },
  'ltx-2.5-pro': { upstream: 'ltx-2-5-pro', title: 'LTX 2.5 Pro', frames },
  'ltx-2.3-fast': { upstream: 'ltx-2-3-fast', title: 'LTX 2.3 Fast' },
  'ltx-2.3-pro': { upstream: 'ltx-2-3-pro', title: 'LTX 2.3 Pro' },
});
