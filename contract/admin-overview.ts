/** Admin API: the whole installation by day. */
import { z } from 'zod';
import { keyModes, modelNames } from './models.ts';

const overviewDays = ['7', '30', '90'] as const;

export const OverviewQuery = z.strictObject({
  mode: z.enum(keyModes).default('live').describe('Which of the two balances. Default `live`.'),
  days: z.enum(overviewDays).default('30').describe('How many days, today included. Default 30.'),
});

const count = (description: string) => z.int().min(0).describe(description);
const seconds = (description: string) => z.number().min(0).nullable().describe(description);

const OverviewNumbers = z.object({
  sold: z
    .int()
    .describe(
      'Credits granted by operators, codes and payments, less those deducted: may be below 0.',
    ),
  spent: count('Credits that were charged.'),
  refunded: count('Credits of tasks that failed, given back.'),
  tasks: count('Created ones.'),
  completed: count('Of these, completed.'),
  failed: count('Of these, failed, without cancelled ones.'),
  cancelled: count('Of these, cancelled.'),
  p50_seconds: seconds('From creation to completion, half of them, within 2.5 %.'),
  p95_seconds: seconds('The same of 95 %.'),
});

const ProviderNumbers = z.object({
  attempts: count('Tasks that were sent to it.'),
  completed: count('Of these, completed.'),
  failed: count('Of these, failed, lost, timed out or rejected.'),
});

export const OverviewResponse = z
  .object({
    since: z.int().min(0).describe('Unix seconds: midnight in UTC.'),
    until: z.int().min(0),
    total: OverviewNumbers,
    days: z
      .array(
        OverviewNumbers.extend({
          day: z.string().describe('In UTC: `2026-01-31`.'),
          models: z.array(
            z.object({
              model: z.enum(modelNames),
              tasks: count('Created ones.'),
              credits: count('Charged ones.'),
            }),
          ),
        }),
      )
      .describe('Every day of the period, oldest first.'),
    providers: z
      .array(
        ProviderNumbers.extend({
          name: z.string(),
          days: z.array(ProviderNumbers.extend({ day: z.string() })).describe('Oldest first.'),
        }),
      )
      .describe('Those that were sent a task in the period, in both modes.'),
  })
  .meta({ id: 'Overview' });
export type OverviewResponse = z.infer<typeof OverviewResponse>;
