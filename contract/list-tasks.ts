/**
 * Extensions of the status endpoint: long polling (`?wait=`, `?until=`), the list, and the response
 * of cancel. A task always has the form of docs/spec.md 2.1.
 */
import { z } from 'zod';
import { createdQuery, idParams, integerParam, listOf, pageQuery } from './list.ts';
import { Metadata } from './metadata.ts';
import { ModelId } from './model-name.ts';
import { TaskResponse, taskStatuses } from './task-status.ts';

export const TaskParams = idParams('The `taskId` of the create response.');

export const waitSecondsMax = 60;
/** What ends a wait: any change of the status, or a final status. */
const waitEnds = ['change', 'final'] as const;
export type WaitEnd = (typeof waitEnds)[number];

/** Not strict: the contract defines no query here, so parameters that a client adds are ignored. */
export const GetTaskQuery = z.object({
  wait: integerParam({ min: 0, max: waitSecondsMax })
    .optional()
    .describe(
      'Extension. Waits up to this many seconds for the status to change. Counts as one request.',
    ),
  until: z
    .enum(waitEnds)
    .optional()
    .describe(
      'Extension. `final` waits until the task has completed or failed, for `wait` seconds or ' +
        '60. Repeat the request while the task is `queued` or `generating`.',
    ),
});
export type GetTaskQuery = z.infer<typeof GetTaskQuery>;

export const ListTasksQuery = z.strictObject({
  status: z.enum(taskStatuses).optional().describe('Only tasks with this status.'),
  model: ModelId.optional().describe('Only tasks of this model.'),
  metadata: Metadata.optional().describe(
    'Only tasks with all of these pairs: `metadata[order]=42`.',
  ),
  ...createdQuery,
  ...pageQuery,
});
export type ListTasksQuery = z.infer<typeof ListTasksQuery>;

export const ListTasksResponse = listOf(TaskResponse).meta({ id: 'TaskList' });
export type ListTasksResponse = z.infer<typeof ListTasksResponse>;
