/** Settings of a fal provider in the configuration file. */
import { ModelId } from '@vidgen/contract/model-name.ts';
import { generationTypes } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { Credentials, FieldValue, httpUrl, sharedSettings } from '../settings.ts';

const Endpoint = z
  .string()
  .regex(/^\w[\w.-]*(\/\w[\w.-]*){1,5}$/, 'must be an endpoint like bytedance/seedance-2.0');

/** Where requests go without `baseUrl`. */
export const falBaseUrl = 'https://queue.fal.run';

export const FalSettings = z.strictObject({
  kind: z.literal('fal'),
  ...sharedSettings,
  apiKey: Credentials,
  /** An app with one endpoint per generation type below it, or the endpoint of each type. */
  models: z.record(
    ModelId,
    z.union([Endpoint, z.partialRecord(z.enum(generationTypes), Endpoint)]),
  ),
  /** False for models that refuse a seed. */
  forwardSeed: z.boolean().optional(),
  /** Sent with every start: `{ bitrate_mode: 'high' }`. */
  fields: z.record(z.string().regex(/^\w{1,100}$/), FieldValue).optional(),
  /** False: fal does not run a request again when its runner was lost. Lost runs are not billed. */
  retries: z.boolean().optional(),
  /** How long fal keeps the video, which is downloaded as soon as it is complete. */
  keepSeconds: z.int().min(60).optional(),
  /** What a task usually takes; one with less time left is not sent. */
  usualSeconds: z.number().positive().optional(),
  baseUrl: httpUrl.optional(),
  /** Where the keys of callbacks are published. */
  keySetUrl: httpUrl.optional(),
});
