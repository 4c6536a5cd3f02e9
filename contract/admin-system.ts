/** Admin API: what needs manual work, and the state of the installation. */
import { z } from 'zod';

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
