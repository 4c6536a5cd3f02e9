/** Cancels a task that is not final, and deletes a final one, as ModelArk's DELETE does. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { ModelArkErrorResponse, ModelArkParams } from '@vidgen/contract/modelark.ts';
import { z } from 'zod';
import { requirePermission } from '../../../accounts/keys/authenticate.ts';
import { cancel } from '../../../lifecycle/cancel.ts';
import { isFinal, type Task } from '../../../tasks/task.ts';
import { endpoint } from '../../http/endpoint.ts';
import { deleteFor } from '../../v1/delete-task.ts';
import { findOwnTask } from '../../v1/get-task.ts';
import { formatModelArkError, ModelArkError } from './errors.ts';
import { modelArkStatus } from './task-view.ts';

export const deleteModelArkTask = endpoint({
  operationId: 'deleteModelArkTask',
  method: 'DELETE',
  path: '/api/v3/contents/generations/tasks/:id',
  summary: 'Cancel or delete a task',
  description:
    'A queued task is cancelled and refunded. A running one only when its provider confirms that ' +
    'it stopped; otherwise the response is 409 `InvalidAction.RunningTaskDeletion`. A final one ' +
    'is deleted, which takes the permission `tasks:delete`, too. A key cancels and deletes tasks ' +
    'of its own mode.',
  auth: 'key',
  permission: 'tasks:cancel',
  params: ModelArkParams,
  responses: {
    200: {
      description: 'The task is cancelled or deleted.',
      schema: z.strictObject({}),
      examples: { cancelled: ['Cancelled', {}] },
    },
  },
  errors: {
    invalid_request: 'The refund of this task is not resolved yet; delete the task after that.',
  },
  formatError: formatModelArkError,
  errorSchema: ModelArkErrorResponse,
  async handler(services, request) {
    const found = await findOwnTask(services, request, { ofKeyMode: true });
    if (isFinal(found)) {
      requirePermission(request.identity!, 'tasks:delete');
      await deleteFor(services, request, found);
      return { body: {} };
    }
    await cancel(services.lifecycle, found, request).catch(async (error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error;
      const current = (await services.tasks.find(found.id)) ?? found;
      throw isFinal(current) ? alreadyFinal(current) : stillRunning(error.message);
    });
    return { body: {} };
  },
});

const alreadyFinal = (task: Task): ApiError =>
  new ApiError(
    'invalid_request',
    `The task is already ${modelArkStatus(task)}; only tasks in progress can be canceled.`,
  );

const stillRunning = (message: string): ApiError =>
  new ModelArkError('invalid_request', {
    modelArkCode: 'InvalidAction.RunningTaskDeletion',
    message,
    status: 409,
  });
