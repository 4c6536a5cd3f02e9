/**
 * Kling: text-to-video, and image-to-video with a first and a last frame.
 * Source: https://app.klingai.com/global/dev/document-api (Text to Video, Image to Video, Callback
 * Protocol, General Information).
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';

/** Kling's endpoints by generation type; references need another model. */
const paths = (end: string) => ({
  'text-to-video': `/v1/videos/text2video${end}`,
  'image-to-video': `/v1/videos/image2video${end}`,
});

export const kling: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api-singapore.klingai.com',
  // The API key that Kling issues since July 2026. A pair of access key and secret key, which
  // signs a JWT for every call, cannot be used: create an API key in the console.
  apiKey: { env: 'KLING_API_KEY' },
  models: { 'vidgen-2-0': 'kling-v3' },
  resolutions: { '720p': 'std', '1080p': 'pro', '4k': '4k' },
  ratios: { '16:9': '16:9', '9:16': '9:16', '1:1': '1:1', adaptive: null },
  followsFirstFrame: true,
  // Those of kling-v3; older models make 5 and 10.
  seconds: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  sound: { on: 'on', off: 'off' },
  supports: { promptCharactersMax: 2_500 },
  start: {
    path: paths(''),
    body: {
      model_name: '{{model}}',
      prompt: '{{prompt}}',
      mode: '{{resolution}}',
      duration: '{{seconds|text}}',
      aspect_ratio: '{{aspect_ratio}}',
      sound: '{{sound}}',
      image: '{{first_frame}}',
      image_tail: '{{last_frame}}',
      callback_url: '{{callback_url}}',
      // Unique within the account.
      external_task_id: '{{reference}}',
    },
    operation: 'data.task_id',
  },
  status: {
    path: paths('/{{operation}}'),
    state: 'data.task_status',
    states: { submitted: 'queued', processing: 'running', succeed: 'completed', failed: 'failed' },
    video: 'data.task_result.videos[0].url',
    outputSeconds: 'data.task_result.videos[0].duration',
  },
  errors: {
    code: 'code',
    message: 'message',
    // `code` is 0 and `message` is SUCCEED for a task that failed.
    status: { message: 'data.task_status_msg' },
    reasons: {
      '1300': 'rejected-input',
      '1301': 'rejected-input',
      // The message of a rejected task is not documented beyond "content risk control".
      '*risk control*': 'rejected',
      'Image *': 'material',
    },
    // Kling also sends 429 for accounts without a balance and for forbidden IP addresses.
    start: {
      '1100': 'try-another',
      '1101': 'try-another',
      '1102': 'try-another',
      '1304': 'try-another',
    },
  },
  find: {
    path: paths('/{{reference}}'),
    reference: 'data.task_info.external_task_id',
    operation: 'data.task_id',
    // The response for an unknown reference is not documented, so nothing proves absence.
  },
  callbacks: { operation: 'task_id' },
};

export const klingModels = modelsOf(kling, {
  'kling-3': { upstream: 'kling-v3', title: 'Kling 3' },
});
