/** Settings of an OpenAI-compatible `/v1/videos` server in the configuration file. */
import { ModelId, ResolutionName } from '@vidgen/contract/model-name.ts';
import { z } from 'zod';
import { TunnelUrl, tunnelUrlRule } from '../fleet/tunnel-provider.ts';
import {
  Credential,
  Credentials,
  FieldValue,
  httpUrl,
  PixelSize,
  sharedSettings,
  upstreamModels,
} from '../settings.ts';
import { dialectNames, dialects } from './dialect.ts';
import { ratioNames } from './sizes.ts';
import { reservedFields } from './wire.ts';

const fileCount = z.int().nonnegative();

export const OpenAiVideosSettings = z
  .strictObject({
    kind: z.literal('openai-videos'),
    ...sharedSettings,
    dialect: z.enum(dialectNames),
    /** Ends with `/v1`; `tunnel://` has no path. */
    baseUrl: z.union([httpUrl, TunnelUrl], tunnelUrlRule),
    /** Not needed for a self-hosted server without authentication. */
    apiKey: Credentials.optional(),
    /** A server that serves a single model refuses other names. */
    models: upstreamModels,
    /** The only sizes of a model. */
    sizes: z
      .record(ModelId, z.record(ResolutionName, z.partialRecord(z.enum(ratioNames), PixelSize)))
      .optional(),
    /** The only lengths it makes. */
    seconds: z.array(z.int().positive()).min(1).optional(),
    /** Sent with every start: `{ fps: 16, num_inference_steps: 40 }`. */
    fields: z
      .record(
        z.string().refine((name) => !reservedFields.includes(name), 'is set by each task'),
        FieldValue,
      )
      .optional(),
    /** Most references that the served model uses; kinds that are left out, none. */
    references: z
      .strictObject({ images: fileCount, videos: fileCount, audios: fileCount })
      .partial()
      .optional(),
    /** Requests audio as each task says. */
    sound: z.boolean().optional(),
    /** False: the seed is ignored. True: a server without seeds may refuse the task. */
    forwardSeed: z.boolean().optional(),
    /** Sends the reference in `model`; false for a server that routes by the model name. */
    markModel: z.boolean().optional(),
    /**
     * Sends the reference as `Idempotency-Key`. True only for a server that returns the first video
     * to a repeated start: otherwise it is paid for twice.
     */
    idempotencyKey: z.boolean().optional(),
    /** What a task usually takes; one with less time left is not sent. */
    usualSeconds: z.number().positive().optional(),
    /** Verifies signed callbacks. */
    webhookSecret: Credential.optional(),
    /** How long after a start with a lost response its video may still appear in the list. */
    settleSeconds: z.number().positive().optional(),
  })
  .refine(({ sound, dialect }) => !sound || dialects[dialect].supportsSound, {
    path: ['sound'],
    message: 'is not supported by this dialect',
  })
  .refine(({ references, dialect }) => !references || dialects[dialect].references, {
    path: ['references'],
    message: 'is not supported by this dialect, which takes no uploaded references',
  })
  .refine(({ markModel, dialect }) => !markModel || dialects[dialect].echoesModel, {
    path: ['markModel'],
    message: 'is not supported by this dialect, whose responses do not repeat the model',
  });
