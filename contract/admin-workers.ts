/** Admin API: GPU boxes, which connect to the service and run the engine of a provider. */
import { z } from 'zod';
import { listOf } from './list.ts';
import { secretFormat } from './schema-paths.ts';

const boxName = /^[a-z][a-z0-9-]{0,31}$/;
const nameRule = 'must be lower-case letters, digits and hyphens, at most 32';

export const WorkerParams = z.object({ name: z.string().describe('The name of the GPU box.') });

export const Worker = z
  .object({
    name: z.string(),
    label: z.string().nullable().describe('Boxes with one label are a pool, `tunnel://@label`.'),
    state: z
      .enum(['new', 'connected', 'draining', 'away'])
      .describe(
        '`new`: it has never connected. `draining`: it is connected, finishes its tasks and gets ' +
          'no new ones.',
      ),
    draining: z.boolean().describe('Whether it was told here to take no new tasks.'),
    engine: z.string().nullable().describe('What it reported when it connected, as below.'),
    slots: z.int().min(0).describe('Tasks at the same time.'),
    version: z.string().nullable().describe('Of `vidgen worker`.'),
    current_tasks: z.int().min(0),
    seconds_per_clip: z
      .number()
      .min(0)
      .nullable()
      .describe('Median of the tasks that it completed in 30 days; null without any.'),
    providers: z.array(z.string()).describe('Those with its name or label as base URL.'),
    created_at: z.int().min(0).describe('Unix time in whole seconds.'),
    last_seen_at: z.int().min(0).nullable().describe('Unix time in whole seconds.'),
  })
  .meta({ id: 'Worker' });
export type Worker = z.infer<typeof Worker>;

export const ListWorkersResponse = listOf(Worker).meta({ id: 'WorkerList' });
export type ListWorkersResponse = z.infer<typeof ListWorkersResponse>;

export const CreateWorkerRequest = z
  .strictObject({
    name: z
      .string()
      .regex(boxName, nameRule)
      .describe('A provider names it as `tunnel://name`; it cannot be changed later.'),
    label: z.string().regex(boxName, nameRule).optional(),
  })
  .meta({ id: 'CreateWorkerRequest' });

export const CreatedWorker = Worker.extend({
  token: z
    .string()
    .meta({ format: secretFormat })
    .describe('For `VIDGEN_WORKER_TOKEN` on the box. Shown this once.'),
}).meta({ id: 'CreatedWorker' });
export type CreatedWorker = z.infer<typeof CreatedWorker>;

export const UpdateWorkerRequest = z
  .strictObject({
    draining: z.boolean().describe('True: no new tasks.'),
  })
  .meta({ id: 'UpdateWorkerRequest' });
