/** The shape of a create request at this installation, so that messages list its names. */
import { CreateGenerationRequest, GenerationInput } from '@vidgen/contract/create-generation.ts';
import { modelNames, resolutions } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import type { Model } from './models.ts';

/** docs/spec.md 2.2, where no model makes longer videos. */
const contractSecondsMax = 30;

export type RequestSchema = ReturnType<typeof requestSchemaOf>;

/** Names of the contract are known also where they are not offered. */
export function requestSchemaOf(models: readonly Model[]) {
  const sizes = models.flatMap(({ limits }) => limits.resolutions);
  const lengths = models.map(({ limits }) => limits.durationSeconds.max);
  const { resolution, duration } = GenerationInput.shape;
  return CreateGenerationRequest.extend({
    model: z.enum([...new Set([...modelNames, ...models.map(({ name }) => name)])]),
    input: GenerationInput.extend({
      resolution: z
        .enum([...new Set([...resolutions, ...sizes])])
        .optional()
        .describe(resolution.description!),
      duration: z
        .int()
        .min(-1)
        .max(Math.max(contractSecondsMax, ...lengths))
        .optional()
        .describe(duration.description!),
    }),
  });
}
