/** fal in the configuration file. */
import { generationTypes, modelNames } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { Credentials, sharedSettings } from '../settings.ts';

const Endpoint = z
  .string()
  .regex(/^\w[\w.-]*(\/\w[\w.-]*){1,5}$/, 'must be an endpoint like bytedance/seedance-2.0');
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

export const FalSettings = z.strictObject({
  kind: z.literal('fal'),
  ...sharedSettings,
  apiKey: Credentials,
  /**
   * Our models to theirs: `bytedance/seedance-2.0`, with an endpoint for each mode below it, or the
   * endpoint of each mode by itself.
   */
  models: z.partialRecord(
    z.enum(modelNames),
    z.union([Endpoint, z.partialRecord(z.enum(generationTypes), Endpoint)]),
  ),
  /** Whether `seed` is sent on; not where a model refuses it. */
  forwardSeed: z.boolean().optional(),
  /** Sent along with every start: `{ bitrate_mode: 'high' }`. */
  fields: z
    .record(z.string().regex(/^\w{1,100}$/), z.union([z.string(), z.number(), z.boolean()]))
    .optional(),
  /** Lets fal run a request again whose runner was lost; what that costs is between fal and you. */
  retries: z.boolean().optional(),
  /** How long fal keeps the video; it is fetched as soon as it is there. */
  keepSeconds: z.int().min(60).optional(),
  /** What a task usually takes; one with less time left is not sent. */
  usualSeconds: z.number().positive().optional(),
  /** A proxy of one's own. */
  baseUrl: httpUrl.optional(),
  /** Where the keys for callbacks are published. */
  keySetUrl: httpUrl.optional(),
  /** Looks at tasks a second, by each process. */
  getPerSecond: z.number().positive().optional(),
});
