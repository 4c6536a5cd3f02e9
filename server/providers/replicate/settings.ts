/** Replicate in the configuration file. */
import { modelNames } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { Credential, Credentials, sharedSettings } from '../settings.ts';
import { modelPattern } from './wire.ts';

const Model = z
  .string()
  .regex(modelPattern, 'must be owner/name, owner/name:version or deployments/owner/name');
const InputName = z.string().regex(/^\w{1,100}$/, 'must be the name of an input');
const OptionalInput = InputName.nullable();

export const ReplicateSettings = z.strictObject({
  kind: z.literal('replicate'),
  ...sharedSettings,
  apiKey: Credentials,
  /** Our models to theirs: `bytedance/seedance-2.0`. */
  models: z.partialRecord(z.enum(modelNames), Model),
  /** What the models call their inputs, where it is not what Seedance calls them; null: none. */
  inputs: z
    .strictObject({
      prompt: InputName,
      duration: InputName,
      resolution: InputName,
      aspectRatio: InputName,
      firstFrame: OptionalInput,
      lastFrame: OptionalInput,
      images: OptionalInput,
      videos: OptionalInput,
      audios: OptionalInput,
      sound: OptionalInput,
      seed: OptionalInput,
    })
    .partial()
    .optional(),
  /** What the models take at most, where it is not what Seedance does. */
  limits: z
    .strictObject({
      images: z.int().nonnegative(),
      videos: z.int().nonnegative(),
      audios: z.int().nonnegative(),
      seconds: z.int().positive(),
      promptCharacters: z.int().positive(),
    })
    .partial()
    .optional(),
  /** Sent along with every start: `{ fps: 24 }`. */
  fields: z.record(InputName, z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** What a task usually takes; one with less time left is not sent. */
  usualSeconds: z.number().positive().optional(),
  /** What callbacks are verified with; fetched with our key where it is not given. */
  webhookSecret: Credential.optional(),
  /** A proxy of one's own, up to and with `/v1`. */
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** Looks at tasks a second, by each process; Replicate allows 50 over all. */
  getPerSecond: z.number().positive().optional(),
  /** How long after a submit whose answer was lost its prediction may still appear in the list. */
  settleSeconds: z.number().positive().optional(),
});
