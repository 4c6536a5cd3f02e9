/** OpenAI-compatible `/v1/videos` servers in the configuration file. */
import { modelNames, resolutions } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { Credential, Credentials, sharedSettings, upstreamModels } from '../settings.ts';
import { dialectNames, dialects } from './dialect.ts';
import { ratioNames } from './sizes.ts';
import { reservedFields } from './wire.ts';

const Size = z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must be written like 1280x720');

export const OpenAiVideosSettings = z
  .strictObject({
    kind: z.literal('openai-videos'),
    ...sharedSettings,
    /** Which kind of server it is. */
    dialect: z.enum(dialectNames),
    /** Up to and with `/v1`. */
    baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
    /** None for a server of one's own that asks for none. */
    apiKey: Credentials.optional(),
    /** What the server calls the model; one that serves a single model refuses other names. */
    models: upstreamModels,
    /** A model that is named here is made in these sizes and no others. */
    sizes: z
      .partialRecord(
        z.enum(modelNames),
        z.partialRecord(z.enum(resolutions), z.partialRecord(z.enum(ratioNames), Size)),
      )
      .optional(),
    /** The only lengths it makes. */
    seconds: z.array(z.int().positive()).min(1).optional(),
    /** Sent along with every start: `{ fps: 16, num_inference_steps: 40 }`. */
    fields: z
      .record(
        z.string().refine((name) => !reservedFields.includes(name), 'is set by each task'),
        z.union([z.string(), z.number(), z.boolean()]),
      )
      .optional(),
    /** The model makes sound when asked; a task that wants none then gets none. */
    sound: z.boolean().optional(),
    forwardSeed: z.boolean().optional(),
    /** Whether our reference travels in `model`; not where somebody routes by that name. */
    markModel: z.boolean().optional(),
    /** What a task usually takes; one with less time left is not sent. */
    usualSeconds: z.number().positive().optional(),
    /** What signed callbacks are verified with. */
    webhookSecret: Credential.optional(),
    /** Looks at tasks a second, by each process. */
    getPerSecond: z.number().positive().optional(),
    /** How long after a submit whose answer was lost its video may still appear in the list. */
    settleSeconds: z.number().positive().optional(),
  })
  .refine(({ sound, dialect }) => !sound || dialects[dialect].supportsSound, {
    path: ['sound'],
    message: 'cannot be asked for in this dialect',
  })
  .refine(({ markModel, dialect }) => !markModel || dialects[dialect].echoesModel, {
    path: ['markModel'],
    message: 'is of no use in this dialect, which does not show it again',
  });
