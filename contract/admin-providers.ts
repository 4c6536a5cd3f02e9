/** Admin API: the state of each provider as seen by the responding process. */
import { z } from 'zod';
import { listOf } from './list.ts';
import { modelNames } from './models.ts';

const count = (description: string) => z.int().min(0).describe(description);

export const ProviderHealth = z
  .object({
    name: z.string(),
    models: z.array(z.enum(modelNames)).describe('Those whose route for live keys names it.'),
    breaker: z
      .enum(['closed', 'open', 'half-open'])
      .describe('`open`: it gets no new tasks; `half-open`: one at a time, to try it.'),
    seconds_until_trial: z.int().min(0),
    open_tasks: count('Tasks it has at the moment, of all processes.'),
    concurrency: z
      .int()
      .min(1)
      .nullable()
      .describe('The most it is given at once; null: no limit.'),
    starts: z
      .object({
        accepted: count('Taken.'),
        refused: count('Declined for good.'),
        throttled: count('Not now, or not reached.'),
        unknown: count('The answer was lost.'),
      })
      .describe('Since this process started.'),
    status_troubles: count('Looks at a task that came to nothing.'),
    start_ms: z
      .object({ p50: z.int().min(0), p95: z.int().min(0) })
      .nullable()
      .describe('Time to answer a start; null before the first.'),
    last_trouble: z
      .object({ detail: z.string(), at: z.int().min(0).describe('Unix time in whole seconds.') })
      .nullable(),
  })
  .meta({ id: 'ProviderHealth' });
export type ProviderHealth = z.infer<typeof ProviderHealth>;

export const ListProvidersResponse = listOf(ProviderHealth).meta({ id: 'ProviderHealthList' });
