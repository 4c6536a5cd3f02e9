/** Sample videos for the examples of the OpenAPI document. */
import type { Video } from '@vidgen/contract/openai-videos.ts';
import { createdAt, taskId } from '../../http/samples.ts';

export const queuedVideo: Video = {
  id: taskId,
  object: 'video',
  model: 'vidgen-2-5',
  status: 'queued',
  progress: 0,
  created_at: createdAt,
  completed_at: null,
  expires_at: null,
  seconds: '8',
  size: '1280x720',
  prompt: 'A paper boat drifts across a lake at dusk',
  error: null,
  remixed_from_video_id: null,
};

export const completedVideo = {
  ...queuedVideo,
  status: 'completed',
  progress: 100,
  completed_at: createdAt + 94,
  expires_at: createdAt + 86_494,
};

export const failedVideo = {
  ...queuedVideo,
  status: 'failed',
  error: {
    code: 'provider_failed',
    message:
      'The provider couldn’t generate this video. Your credits were refunded. Try again. If it ' +
      'keeps failing, try different settings or contact support with the task ID.',
  },
};
