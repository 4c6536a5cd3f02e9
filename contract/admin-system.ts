/** Admin API: the installation: what needs manual work, its state, its findings, and its days. */
import { z } from 'zod';
import { ModelId } from './model-name.ts';
import { keyModes } from './models.ts';

const count = (description: string) => z.int().min(0).describe(description);

export const SummaryResponse = z
  .object({
    refunds_waiting: count('Refunds that wait for a person.'),
    queued: count('Tasks not yet at a provider.'),
    generating: count('Tasks at a provider.'),
    calls_waiting: count('Webhook calls that are due or to be tried again.'),
    no_provider: z
      .boolean()
      .describe('No provider is connected: the preview makes live tasks of all models.'),
  })
  .meta({ id: 'Summary' });
export type SummaryResponse = z.infer<typeof SummaryResponse>;

export const SystemResponse = z
  .object({
    version: z.string(),
    node: z.string(),
    platform: z.string(),
    started_at: z.int().min(0).describe('This process: Unix seconds.'),
    role: z.string(),
    public_url: z.string(),
    engine: z.enum(['embedded', 'postgres']),
    database: z.object({ version: z.string(), bytes: z.int().min(0) }),
    tables: z
      .array(
        z.object({
          name: z.string(),
          bytes: z.int().min(0).describe('With its indexes.'),
          rows: count('About how many.'),
          dead_rows: count('About how many were deleted or replaced, and not vacuumed yet.'),
          oldest_at: z
            .int()
            .min(0)
            .nullable()
            .describe('Of the oldest row, in tables that grow with use: Unix seconds.'),
        }),
      )
      .describe('Of the database, largest first.'),
    memory_bytes: z.int().min(0).describe('Of this process.'),
    queue: z
      .array(
        z.object({
          kind: z.string(),
          due: count('Could run now.'),
          scheduled: count('Will run later.'),
          running: count('Leased to a worker.'),
          oldest_due_seconds: z.number().min(0).nullable(),
        }),
      )
      .describe('By kind of job.'),
    storage: z.object({
      place: z.string(),
      results: count('Results that can be downloaded.'),
      bytes: z.int().min(0).nullable().describe('What they take; null where it is not known.'),
      free_bytes: z.int().min(0).nullable(),
    }),
    settings: z.array(
      z.object({ name: z.string(), value: z.string().describe('Never a secret.') }),
    ),
  })
  .meta({ id: 'System' });
export type SystemResponse = z.infer<typeof SystemResponse>;

const areas = [
  'settings',
  'database',
  'storage',
  'clock',
  'disk',
  'providers',
  'public URL',
  'preview',
  'process',
  'files',
] as const;

export const Finding = z
  .object({
    area: z.enum(areas),
    level: z.enum(['ok', 'warning', 'error']),
    message: z.string().describe('Never has a secret.'),
    remedy: z.string().nullable().describe('What to do; null if nothing.'),
  })
  .meta({ id: 'Finding' });
export type Finding = z.infer<typeof Finding>;

export const DoctorResponse = z
  .object({ findings: z.array(Finding).describe('In the order of the checks.') })
  .meta({ id: 'Doctor' });
export type DoctorResponse = z.infer<typeof DoctorResponse>;

const overviewDays = ['7', '30', '90'] as const;

export const OverviewQuery = z.strictObject({
  mode: z.enum(keyModes).default('live').describe('Which of the two balances. Default `live`.'),
  days: z.enum(overviewDays).default('30').describe('How many days, today included. Default 30.'),
});

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
              model: ModelId,
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
