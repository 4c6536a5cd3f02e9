/** Usage of an account: tasks and credits by day, model, resolution, status and key. */
import { z } from 'zod';
import { createdQuery, formatQuery } from './list.ts';
import { ModelId, ResolutionName } from './model-name.ts';
import { keyModes } from './models.ts';
import { failedReasons, taskStatuses } from './task-status.ts';

export const UsageQuery = z.strictObject({
  mode: z.enum(keyModes).describe('Which of the two balances.'),
  model: ModelId.optional().describe('Only tasks of this model.'),
  key_id: z.string().optional().describe('Only tasks of this key.'),
  ...createdQuery,
  ...formatQuery,
});
export type UsageQuery = z.infer<typeof UsageQuery>;

const count = (description: string) => z.int().min(0).describe(description);
const seconds = z.number().min(0).nullable();

export const UsageRow = z
  .object({
    day: z.string().describe('Of creation, in UTC: `2026-01-31`.'),
    model: ModelId,
    resolution: ResolutionName,
    status: z.enum(taskStatuses),
    key_id: z.string(),
    tasks: count('How many.'),
    credits: count('Charged for them: only completed tasks are.'),
  })
  .meta({ id: 'UsageRow' });
export type UsageRow = z.infer<typeof UsageRow>;

export const UsageResponse = z
  .object({
    since: z.int().min(0).describe('Unix seconds: at most 92 days before `until`.'),
    until: z.int().min(0),
    rows: z.array(UsageRow).describe('One for each combination that occurred, by day.'),
    keys: z.array(z.object({ id: z.string(), name: z.string(), last_four: z.string() })),
    times: z
      .array(
        z.object({
          model: ModelId,
          resolution: ResolutionName,
          tasks: count('Completed ones.'),
          p50_seconds: z.number().min(0),
          p95_seconds: z.number().min(0),
        }),
      )
      .describe('From creation to completion.'),
    failures: z
      .array(z.object({ failed_reason: z.enum(failedReasons), tasks: count('How many.') }))
      .describe('Why tasks failed, the most frequent first. Deleted tasks are left out.'),
    total: z.object({
      tasks: count('All of them.'),
      completed: count('Of these, completed.'),
      failed: count('Of these, failed.'),
      credits: count('Charged.'),
      p50_seconds: seconds,
      p95_seconds: seconds,
    }),
  })
  .meta({ id: 'Usage' });
export type UsageResponse = z.infer<typeof UsageResponse>;
