/** Admin API: the state of each provider. */
import { z } from 'zod';
import { Costs } from './costs.ts';
import { listOf, nullableText } from './list.ts';
import { ModelId } from './model-name.ts';
import { providerDialects, providerKinds, providerPresets } from './provider-kinds.ts';
import { secretFormat } from './schema-paths.ts';

const count = (description: string) => z.int().min(0).describe(description);

export const ProviderHealth = z
  .object({
    name: z.string(),
    source: z
      .enum(['built-in', 'file', 'dashboard'])
      .describe('`file`: from vidgen.config.ts, and changed only there.'),
    kind: z.enum(providerKinds).nullable().describe('Null for the built-in preview.'),
    base_url: z.string().nullable().describe('Where its upstream is.'),
    key_last_four: nullableText(
      'Of the key that starts new tasks; null if it was not given in the dashboard.',
    ),
    state: z
      .enum(['active', 'removing', 'locked'])
      .describe(
        '`removing`: it finishes its tasks and gets no new ones. `locked`: its key was encrypted ' +
          'with another VIDGEN_SECRET; send the key again.',
      ),
    serves: z.array(ModelId).describe('The models that it has a name for.'),
    models: z.array(ModelId).describe('Those whose route for live keys names it.'),
    breaker: z
      .enum(['closed', 'open', 'half-open'])
      .describe(
        '`open`: a process sends it no new tasks; `half-open`: one at a time, to try it. What ' +
          'other processes report, here and below, is at most 10 seconds old.',
      ),
    seconds_until_trial: count('Until a process with an open breaker tries it again.'),
    open_tasks: count('Tasks it has at the moment, of all processes.'),
    concurrency: z
      .int()
      .min(0)
      .nullable()
      .describe('The most it is given at once; null: no limit, 0: its GPU boxes are away.'),
    last_30_days: z
      .object({
        attempts: count('Tasks sent to it, each as often as it was.'),
        completed: count('With a video.'),
        failed: count(
          'Through its fault: not those that were canceled, or that it had no room for.',
        ),
        median_seconds: z
          .number()
          .min(0)
          .nullable()
          .describe('Of those completed among its newest 500; null without any.'),
        cost_per_second: z
          .object({ amount: z.number().min(0), currency: z.string() })
          .nullable()
          .describe('Of output: of the same that have a known cost; null without any.'),
      })
      .describe('Of all processes, days in UTC and today; at most a minute old.'),
    starts: z
      .object({
        accepted: count('Taken.'),
        refused: count('Declined for good.'),
        throttled: count('Not now, or not reached.'),
        unknown: count('The response was lost.'),
      })
      .describe('Of the processes that run, since each of them started.'),
    status_troubles: count('Polls that failed, of the same processes.'),
    start_ms: z
      .object({ p50: z.int().min(0), p95: z.int().min(0) })
      .nullable()
      .describe('Response time of the latest 100 submits of each process; null before the first.'),
    last_trouble: z
      .object({ detail: z.string(), at: z.int().min(0).describe('Unix time in whole seconds.') })
      .nullable(),
  })
  .meta({ id: 'ProviderHealth' });
export type ProviderHealth = z.infer<typeof ProviderHealth>;

export const ProviderRoute = z
  .object({
    model: ModelId,
    providers: z.array(z.string()).describe('Of live tasks, first choice first.'),
    steps: z
      .array(
        z.object({ providers: z.array(z.string()), by: z.enum(['weight', 'cost']).nullable() }),
      )
      .describe('The same in steps. `by` decides which provider of a step is first for a task.'),
    source: z
      .enum(['file', 'dashboard', 'default'])
      .describe('`file`: from vidgen.config.ts, and changed only there.'),
  })
  .meta({ id: 'ProviderRoute' });
export type ProviderRoute = z.infer<typeof ProviderRoute>;

export const ListProvidersResponse = listOf(ProviderHealth)
  .extend({ routes: z.array(ProviderRoute).describe('One for each model.') })
  .meta({ id: 'ProviderHealthList' });
export type ListProvidersResponse = z.infer<typeof ListProvidersResponse>;

export const ProviderParams = z.object({ name: z.string().describe('The name of the provider.') });

const apiKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4,096 printable characters without spaces')
  .meta({ format: secretFormat });

/** Longer texts are no name of an upstream's model. */
const UpstreamModel = z.string().min(1).max(300);

export const ConnectProviderRequest = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and hyphens, at most 32')
      .describe('Tasks store it; it cannot be changed later.'),
    kind: z.enum(providerKinds),
    api_key: apiKey.optional().describe('Encrypted, and never returned.'),
    base_url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('Not needed where the kind or the preset has one; `wan` has none.'),
    dialect: z.enum(providerDialects).optional().describe('With `openai-videos`.'),
    preset: z.enum(providerPresets).optional().describe('With `declared`.'),
    declaration: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('With `declared` and without `preset`: the settings, as in vidgen.config.ts.'),
    models: z
      .record(ModelId, UpstreamModel)
      .optional()
      .describe('Our models, with the upstream’s name of each.'),
    workflows: z
      .record(
        ModelId,
        z
          .array(
            z.strictObject({
              graph: z.record(z.string(), z.unknown()),
              fps: z.number().positive().max(240).optional(),
              output_node: z.string().min(1).max(100).optional(),
            }),
          )
          .min(1)
          .max(8),
      )
      .optional()
      .describe('With `comfyui`: exported in API format, for each model.'),
    concurrency: z.int().min(1).max(10_000).optional().describe('Tasks at the same time.'),
    costs: Costs.optional().describe('What it bills, in place of those of its declaration.'),
    dial: z
      .boolean()
      .optional()
      .describe('Reject an address where no server answers within 5 seconds. Its key is not sent.'),
  })
  .meta({ id: 'ConnectProviderRequest' });
export type ConnectProviderRequest = z.infer<typeof ConnectProviderRequest>;

/** What can be corrected later. Its kind, its preset and its name stay. */
const connectionFields = ConnectProviderRequest.pick({
  base_url: true,
  dialect: true,
  declaration: true,
  models: true,
  workflows: true,
  concurrency: true,
  costs: true,
});

export const ChangeProviderRequest = connectionFields
  .extend({
    concurrency: connectionFields.shape.concurrency.nullable().describe('Null: no limit.'),
    costs: connectionFields.shape.costs.nullable().describe('Null: none of its own.'),
    dial: ConnectProviderRequest.shape.dial,
  })
  .meta({ id: 'ChangeProviderRequest' });

export const ProviderConnection = connectionFields
  .extend({
    name: z.string(),
    kind: ConnectProviderRequest.shape.kind,
    preset: ConnectProviderRequest.shape.preset,
  })
  .meta({ id: 'ProviderConnection' });
export type ProviderConnection = z.infer<typeof ProviderConnection>;

export const ReplaceProviderKeyRequest = z
  .strictObject({ api_key: apiKey })
  .meta({ id: 'ReplaceProviderKeyRequest' });

export const RouteParams = z.object({ model: ModelId });

export const SetRouteRequest = z
  .strictObject({
    providers: z
      .array(z.string().min(1).max(32))
      .max(16)
      .describe('First choice first. Empty: the model has no route of its own.'),
  })
  .meta({ id: 'SetRouteRequest' });

export const ProviderTestParams = z.object({ id: z.string().describe('The test.') });

export const StartProviderTestRequest = z
  .strictObject({
    model: ModelId.optional().describe('One that it serves; its first by default.'),
  })
  .meta({ id: 'StartProviderTestRequest' });

export const ProviderTest = z
  .object({
    id: z.string(),
    provider: z.string(),
    model: ModelId,
    resolution: z.string(),
    duration: z.int(),
    state: z.enum(['running', 'completed', 'failed']),
    progress: z.number().min(0).max(1).nullable().describe('0 to 1, if the provider says so.'),
    detail: z.string().nullable().describe('What went wrong, with the provider’s own message.'),
    video_url: z.string().nullable().describe('Signed; deleted after two days.'),
    created_at: z.int().min(0).describe('Unix time in whole seconds.'),
    seconds: z.number().min(0).describe('From the start until its end, or until now.'),
  })
  .meta({ id: 'ProviderTest' });
export type ProviderTest = z.infer<typeof ProviderTest>;
