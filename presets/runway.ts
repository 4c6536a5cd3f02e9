/**
 * Seedance 2.0 on Runway: all generation types. Seedance 2.5: text and references. Runway's
 * own Gen-4.5: text and a first frame, without sound.
 * Source: https://docs.dev.runwayml.com/api/, https://docs.dev.runwayml.com/errors/task-failures/,
 * and the types of @runwayml/sdk 4.20.1.
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';

const small = {
  '21:9': '992x432',
  '16:9': '864x496',
  '4:3': '752x560',
  '1:1': '640x640',
  '3:4': '560x752',
  '9:16': '496x864',
};
const medium = {
  '21:9': '1470x630',
  '16:9': '1280x720',
  '4:3': '1112x834',
  '1:1': '960x960',
  '3:4': '834x1112',
  '9:16': '720x1280',
};
const large = {
  '21:9': '2206x946',
  '16:9': '1920x1080',
  '4:3': '1664x1248',
  '1:1': '1440x1440',
  '3:4': '1248x1664',
  '9:16': '1080x1920',
};
const largest = {
  '21:9': '3840x1646',
  '16:9': '3840x2160',
  '4:3': '3840x2880',
  '1:1': '3840x3840',
  '3:4': '2880x3840',
  '9:16': '2160x3840',
};

export const runway: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api.dev.runwayml.com/v1',
  apiKey: { env: 'RUNWAYML_API_SECRET' },
  headers: { 'x-runway-version': '2024-11-06' },
  models: {
    'vidgen-2-0': 'seedance2',
    'vidgen-2-0-fast': 'seedance2_fast',
    'vidgen-2-0-mini': 'seedance2_mini',
    'vidgen-2-5': 'seedance2_5',
  },
  // Runway has no resolution beside the size, so `adaptive` is not supported: without a size, it
  // would choose what a customer has paid for.
  sizes: { '480p': small, '720p': medium, '1080p': large, '4k': largest },
  supports: { secondsMax: 15, promptCharactersMax: 3_500 },
  byModel: {
    'vidgen-2-5': {
      sizes: {
        '480p': { ...small, '16:9': '854x480', '9:16': '480x854' },
        '720p': medium,
        '1080p': large,
      },
      // Frames need `adaptive` with this model. Prompts may have 15,000 characters.
      supports: { generationTypes: ['text-to-video', 'reference-to-video'], secondsMax: 30 },
    },
    'runway-gen-4.5': {
      sizes: { '720p': { '16:9': '1280x720', '9:16': '720x1280' } },
      supports: {
        generationTypes: ['text-to-video', 'image-to-video'],
        secondsMax: 10,
        promptCharactersMax: 1_000,
      },
      // It has no field for it.
      sound: {},
    },
  },
  start: {
    path: {
      'text-to-video': '/text_to_video',
      'image-to-video': '/image_to_video',
      'reference-to-video': '/text_to_video',
    },
    body: {
      model: '{{model}}',
      promptText: '{{prompt}}',
      ratio: '{{width}}:{{height}}',
      duration: '{{seconds}}',
      audio: '{{sound}}',
      seed: '{{seed}}',
      promptImage: [
        { uri: '{{first_frame}}', position: 'first' },
        { uri: '{{last_frame}}', position: 'last' },
      ],
      references: [{ '{{each}}': '{{image_urls}}', uri: '{{item}}' }],
      referenceVideos: [{ '{{each}}': '{{video_urls}}', type: 'video', uri: '{{item}}' }],
      referenceAudio: [{ '{{each}}': '{{audio_urls}}', type: 'audio', uri: '{{item}}' }],
    },
    operation: 'id',
  },
  status: {
    path: '/tasks/{{operation}}',
    state: 'status',
    states: {
      PENDING: 'queued',
      THROTTLED: 'queued',
      RUNNING: 'running',
      SUCCEEDED: 'completed',
      FAILED: 'failed',
      CANCELLED: 'cancelled',
    },
    progress: 'progress',
    progressMax: 1,
    video: 'output[0]',
    units: { at: 'cost', unit: 'unit' },
  },
  errors: {
    message: 'error',
    status: { code: 'failureCode', message: 'failure' },
    // Runway calls the part after INPUT unreliable, so the input as a whole is named.
    reasons: {
      'SAFETY.INPUT.*': 'rejected-input',
      'INPUT_PREPROCESSING.SAFETY.*': 'rejected-input',
      'SAFETY.OUTPUT.*': 'rejected-output',
      'SAFETY*': 'rejected',
      'ASSET.*': 'material',
    },
  },
  // Runway does not say whether a running task that is canceled is billed. DELETE erases a
  // finished one.
  cancel: { method: 'DELETE', path: '/tasks/{{operation}}', from: ['queued'] },
  // Runway expects at least 5 seconds between two polls of a task.
  askAgainSeconds: 5,
};

export const runwayModels = modelsOf(runway, {
  'runway-gen-4.5': {
    upstream: 'gen4.5',
    title: 'Runway Gen-4.5',
    seconds: { min: 2, max: 10, default: 5 },
    frames: { last: false },
    sound: 'never',
  },
  'seedance-2': {
    upstream: 'seedance2',
    title: 'Seedance 2',
    references: { images: 9, videos: 3, audios: 3, total: 12, secondsMax: 15 },
  },
});
