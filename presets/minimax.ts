/**
 * MiniMax Hailuo: text-to-video, and image-to-video with a first and a last frame. MiniMax-H3 is
 * made by version 2 of the API only, and these models by version 1 only: see `minimax-h3.ts`.
 * Source: https://platform.minimax.io/docs/api-reference/video-generation-intro and its pages.
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';

export const minimax: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api.minimax.io/v1',
  apiKey: { env: 'MINIMAX_API_KEY' },
  // A last frame needs Hailuo-02.
  models: { 'vidgen-2-0': 'MiniMax-Hailuo-02' },
  // 10 seconds at 1080P are refused, and the next provider is tried.
  resolutions: { '720p': '768P', '768p': '768P', '1080p': '1080P' },
  // There is no field for the ratio: videos are 16:9, or have the shape of the first frame.
  ratios: { '16:9': null, adaptive: null },
  followsFirstFrame: true,
  seconds: [6, 10],
  supports: { promptCharactersMax: 2_000 },
  start: {
    path: '/video_generation',
    // No `callback_url`: MiniMax wants a challenge echoed before it accepts one.
    body: {
      model: '{{model}}',
      prompt: '{{prompt}}',
      duration: '{{seconds}}',
      resolution: '{{resolution}}',
      first_frame_image: '{{first_frame}}',
      last_frame_image: '{{last_frame}}',
      aigc_watermark: '{{watermark}}',
    },
    operation: 'task_id',
  },
  status: {
    path: '/query/video_generation?task_id={{operation}}',
    state: 'status',
    states: {
      Preparing: 'queued',
      Queueing: 'queued',
      Processing: 'running',
      Success: 'completed',
      Fail: 'failed',
    },
    file: {
      id: 'file_id',
      path: '/files/retrieve?file_id={{file}}',
      video: 'file.download_url',
    },
  },
  errors: {
    code: 'base_resp.status_code',
    message: 'base_resp.status_msg',
    reasons: { '1026': 'rejected-input', '1027': 'rejected-output' },
    // MiniMax sends 200 with every error. A code that is not listed proves nothing.
    start: {
      '1002': 'throttled',
      '1004': 'try-another',
      '1008': 'try-another',
      '1026': 'refused',
      '1039': 'throttled',
      '2013': 'try-another',
      '2049': 'try-another',
    },
  },
};

/** 10 seconds are made at 768P only, which a declaration cannot say. */
const limits = { resolutions: ['768p', '1080p'], seconds: [6] };

export const minimaxModels = modelsOf(minimax, {
  'hailuo-02': { upstream: 'MiniMax-Hailuo-02', title: 'Hailuo 02', ...limits },
  'hailuo-2.3': {
    upstream: 'MiniMax-Hailuo-2.3',
    title: 'Hailuo 2.3',
    ...limits,
    frames: { last: false },
  },
});
