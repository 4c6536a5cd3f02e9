/**
 * Wan 3.0 on Alibaba Cloud Model Studio (DashScope): all generation types.
 * Source: https://www.alibabacloud.com/help/en/model-studio/wan3-video-generation-api-reference,
 * https://www.alibabacloud.com/help/en/model-studio/manage-asynchronous-tasks
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';
import { sameRatios } from './ratios.ts';

const upTo = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: `reference_${kind}`,
    url: `{{${kind}_${index + 1}}}`,
  }));

/** Everything but the host, which belongs to a workspace. */
export const wanDescription: Omit<DeclaredSettings, 'baseUrl'> = {
  kind: 'declared',
  apiKey: { env: 'DASHSCOPE_API_KEY' },
  models: { 'vidgen-2-0': 'wan3.0-video', 'vidgen-2-5': 'wan3.0-video-prime' },
  resolutions: { '480p': '480P', '720p': '720P', '1080p': '1080P' },
  // Whether 21:9 is accepted is not confirmed.
  ratios: sameRatios,
  seedMax: 2_147_483_647,
  supports: { secondsMax: 30, promptCharactersMax: 2_500 },
  start: {
    path: '/services/aigc/video-generation/video-synthesis',
    headers: { 'x-dashscope-async': 'enable' },
    body: {
      model: '{{model}}',
      input: {
        prompt: '{{prompt}}',
        media: [
          { type: 'first_frame', url: '{{first_frame}}' },
          { type: 'last_frame', url: '{{last_frame}}' },
          ...upTo('image', 10),
          ...upTo('video', 5),
          ...upTo('audio', 5),
        ],
      },
      parameters: {
        resolution: '{{resolution}}',
        ratio: '{{aspect_ratio}}',
        duration: '{{seconds}}',
        audio: '{{sound}}',
        seed: '{{seed}}',
        watermark: '{{watermark}}',
      },
    },
    operation: 'output.task_id',
  },
  status: {
    path: '/tasks/{{operation}}',
    state: 'output.task_status',
    // UNKNOWN means that a task does not exist or that its state is unknown, so it is not listed:
    // such a task stays pending until its deadline.
    states: {
      PENDING: 'queued',
      RUNNING: 'running',
      SUCCEEDED: 'completed',
      FAILED: 'failed',
      CANCELED: 'cancelled',
    },
    video: 'output.video_url',
    outputSeconds: 'usage.output_video_duration',
  },
  errors: {
    code: 'code',
    message: 'message',
    status: { code: 'output.code', message: 'output.message' },
    reasons: {
      // "Unable to download the media resource during the data inspection process".
      'InvalidParameter.DataInspection': 'material',
      'InvalidURL*': 'material',
      'DataInspectionFailed*': 'rejected',
    },
  },
  cancel: { path: '/tasks/{{operation}}/cancel', from: ['queued'] },
};

/**
 * The ID and the region of a workspace are on the page Workspace Details of the console; the API
 * key must be of the same region. For another host, such as the one that the workspaces of
 * Singapore share, add `baseUrl: 'https://dashscope-intl.aliyuncs.com/api/v1'` to `wanDescription`.
 */
export const wan = ({
  workspace,
  region = 'ap-southeast-1',
}: {
  readonly workspace: string;
  readonly region?: string;
}): DeclaredSettings => ({
  ...wanDescription,
  baseUrl: `https://${workspace}.${region}.maas.aliyuncs.com/api/v1`,
});

const seconds = { min: 2, max: 30, default: 5 };

export const wanModels = modelsOf(wanDescription, {
  'wan-3': { upstream: 'wan3.0-video', title: 'Wan 3', seconds },
  'wan-3-prime': { upstream: 'wan3.0-video-prime', title: 'Wan 3 Prime', seconds },
});
