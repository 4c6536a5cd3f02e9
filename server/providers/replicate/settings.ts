/** Settings of a Replicate provider in the configuration file. */
import { ModelId, ResolutionName } from '@vidgen/contract/model-name.ts';
import { z } from 'zod';
import { Credential, Credentials, FieldValue, httpUrl, sharedSettings } from '../settings.ts';
import { modelPattern } from './wire.ts';

const Model = z
  .string()
  .regex(modelPattern, 'must be owner/name, owner/name:version or deployments/owner/name');
const InputName = z.string().regex(/^\w{1,100}$/, 'must be the name of an input');
const OptionalInput = InputName.nullable();

/** Where requests go without `baseUrl`. */
export const replicateBaseUrl = 'https://api.replicate.com/v1';

export const ReplicateSettings = z.strictObject({
  kind: z.literal('replicate'),
  ...sharedSettings,
  apiKey: Credentials,
  models: z.record(ModelId, Model),
  /** Input names of the models that differ from Seedance's; null when a model has no such input. */
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
      watermark: OptionalInput,
    })
    .partial()
    .optional(),
  /** Maximums of the models that differ from Seedance's. */
  limits: z
    .strictObject({
      images: z.int().nonnegative(),
      videos: z.int().nonnegative(),
      audios: z.int().nonnegative(),
      seconds: z.int().positive(),
      promptCharacters: z.int().positive(),
      resolutions: z.array(ResolutionName).min(1),
    })
    .partial()
    .optional(),
  /** Sent with every start: `{ fps: 24 }`. */
  fields: z.record(InputName, FieldValue).optional(),
  /** What a task usually takes; one with less time left is not sent. */
  usualSeconds: z.number().positive().optional(),
  /** Verifies callbacks; fetched with the API key when it is not configured. */
  webhookSecret: Credential.optional(),
  /** For a proxy; ends with `/v1`. */
  baseUrl: httpUrl.optional(),
  /** How long after a start with a lost response its prediction may still appear in the list. */
  settleSeconds: z.number().positive().optional(),
});
