/** ModelArk as a declared provider: the settings that an operator could write for it. */
import { fakeModels } from '../modelark/fake.ts';
import { harnessWith } from '../modelark/fixture.ts';
import { declaredProvider } from './declared-provider.ts';

const reference = (kind: 'image' | 'video' | 'audio') => ({
  '{{each}}': `{{${kind}_urls}}`,
  type: `${kind}_url`,
  [`${kind}_url`]: { url: '{{item}}' },
  role: `reference_${kind}`,
});
const frame = (name: 'first_frame' | 'last_frame') => ({
  type: 'image_url',
  image_url: { url: `{{${name}}}` },
  role: name,
});

export const declaredModelArk = {
  kind: 'declared',
  baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
  apiKey: { env: 'ARK_API_KEY' },
  models: fakeModels,
  takesSourceLength: true,
  start: {
    path: '/contents/generations/tasks',
    body: {
      model: '{{model}}',
      content: [
        { type: 'text', text: '{{prompt}}' },
        frame('first_frame'),
        frame('last_frame'),
        reference('image'),
        reference('video'),
        reference('audio'),
      ],
      resolution: '{{resolution}}',
      ratio: '{{aspect_ratio}}',
      duration: '{{seconds}}',
      seed: '{{seed}}',
      generate_audio: '{{sound}}',
      watermark: '{{watermark}}',
      return_last_frame: '{{return_last_frame}}',
      safety_identifier: '{{reference}}',
      callback_url: '{{callback_url}}',
    },
    operation: 'id',
  },
  status: {
    path: '/contents/generations/tasks/{{operation}}',
    state: 'status',
    states: {
      queued: 'queued',
      running: 'running',
      succeeded: 'completed',
      failed: 'failed',
      expired: 'expired',
      cancelled: 'cancelled',
    },
    video: 'content.video_url',
    lastFrame: 'content.last_frame_url',
    outputSeconds: 'duration',
  },
  errors: {
    code: 'error.code',
    message: 'error.message',
    reasons: {
      'InputTextSensitiveContentDetected*': 'rejected-prompt',
      'Input*SensitiveContentDetected*': 'rejected-material',
      'Output*SensitiveContentDetected*': 'rejected-output',
      '*SensitiveContentDetected*': 'rejected',
      'InvalidImage*': 'material',
      'InvalidVideo*': 'material',
      'InvalidAudio*': 'material',
    },
    // Only the operator can resolve these two.
    start: { QuotaExceeded: 'try-another', SetLimitExceeded: 'try-another' },
  },
  // DELETE erases a finished task.
  cancel: {
    method: 'DELETE',
    path: '/contents/generations/tasks/{{operation}}',
    from: ['queued'],
  },
} as const;

export const declaredModelArkHarness = harnessWith((fake, options) =>
  declaredProvider(declaredModelArk, { name: 'described', fake, change: options }),
);
