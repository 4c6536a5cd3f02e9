/**
 * Deletes a video in progress: it is cancelled and refunded. A finished one is not deleted before
 * its files expire, and the response says so.
 */
import { VideoDeleted } from '@vidgen/contract/openai-videos.ts';
import { ApiError } from '../../../api-error.ts';
import { cancel } from '../../../lifecycle/cancel.ts';
import { isFinal, type Task } from '../../../tasks/task.ts';
import { endpoint } from '../../http/endpoint.ts';
import { taskId } from '../../http/samples.ts';
import { findOwnTask } from '../../v1/get-task.ts';
import { openAiDefinition } from './definition.ts';

export const deleteVideo = endpoint({
  ...openAiDefinition,
  operationId: 'deleteVideo',
  method: 'DELETE',
  path: '/v1/videos/:id',
  summary: 'Delete a video in progress, in OpenAI’s format',
  description:
    'Cancels the task and refunds it, as `POST /v1/tasks/:id/cancel` does. The task stays in the ' +
    'list as failed. A completed video cannot be deleted; its files are, at `expires_at`.',
  permission: 'tasks:cancel',
  responses: {
    200: {
      description: 'It is cancelled and refunded.',
      schema: VideoDeleted,
      examples: {
        deleted: ['Cancelled', { id: taskId, object: 'video.deleted', deleted: true }],
      },
    },
  },
  errors: {
    invalid_request:
      'The video is completed and cannot be deleted; its files are deleted at expires_at.',
  },
  async handler(services, request) {
    // A test key must not stop what live credits pay for.
    const task = await findOwnTask(services, request, { ofKeyMode: true });
    // A repeated request finds what the first one did.
    if (task.failedReason !== 'cancelled') {
      if (isFinal(task)) throw alreadyFinal(task);
      await cancel(services.lifecycle, task, request);
    }
    const body: VideoDeleted = { id: task.id, object: 'video.deleted', deleted: true };
    return { body };
  },
});

function alreadyFinal({ status }: Task): ApiError {
  const files = status === 'completed' ? 'its files are deleted at expires_at' : 'it has no files';
  return new ApiError('invalid_request', `The video is ${status} and cannot be deleted; ${files}.`);
}
