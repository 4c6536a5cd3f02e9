/** Sample jobs for the examples of the OpenAPI document. */
import { completedTask, taskId } from '../../http/samples.ts';

export const pendingJob = {
  id: taskId,
  polling_url: `https://videos.example.com/api/v1/videos/${taskId}`,
  status: 'pending',
};

export const completedJob = {
  ...pendingJob,
  status: 'completed',
  unsigned_urls: completedTask.data.results,
  usage: { cost: 40 },
};

export const failedJob = {
  ...pendingJob,
  status: 'failed',
  error:
    'The provider couldn’t generate this video. Your credits were refunded. Try again. If it ' +
    'keeps failing, try different settings or contact support with the task ID.',
};
