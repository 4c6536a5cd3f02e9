/**
 * Deletes a final video as `DELETE /v1/tasks/:id` does. One in progress is cancelled and refunded,
 * and stays in the list as failed.
 */
import { VideoDeleted } from '@vidgen/contract/openai-videos.ts';
import { requirePermission } from '../../../accounts/keys/authenticate.ts';
import { cancel } from '../../../lifecycle/cancel.ts';
import { isFinal } from '../../../tasks/task.ts';
import { endpoint } from '../../http/endpoint.ts';
import { taskId } from '../../http/samples.ts';
import { deleteFor } from '../../v1/delete-task.ts';
import { findOwnTask } from '../../v1/get-task.ts';
import { openAiDefinition } from './definition.ts';

export const deleteVideo = endpoint({
  ...openAiDefinition,
  operationId: 'deleteVideo',
  method: 'DELETE',
  path: '/v1/videos/:id',
  summary: 'Delete a video',
  description:
    'Deletes a completed or failed video as `DELETE /v1/tasks/:id` does, which takes the ' +
    'permission `tasks:delete`, too. One in progress is cancelled and refunded, and stays in the ' +
    'list as failed; `DELETE /v1/tasks/:id` deletes it then.',
  permission: 'tasks:cancel',
  responses: {
    200: {
      description: 'It is deleted, or cancelled and refunded.',
      schema: VideoDeleted,
      examples: {
        deleted: ['Deleted', { id: taskId, object: 'video.deleted', deleted: true }],
      },
    },
  },
  errors: {
    invalid_request:
      'The task is already generating at a provider that cannot stop it: wait until it has ' +
      'completed or failed.',
  },
  async handler(services, request) {
    // A test key must not stop what live credits pay for.
    const task = await findOwnTask(services, request, { ofKeyMode: true });
    if (!isFinal(task)) await cancel(services.lifecycle, task, request);
    // A repeated request finds what the first one did.
    else if (task.failedReason !== 'cancelled') {
      requirePermission(request.identity!, 'tasks:delete');
      await deleteFor(services, request, task);
    }
    const body: VideoDeleted = { id: task.id, object: 'video.deleted', deleted: true };
    return { body };
  },
});
