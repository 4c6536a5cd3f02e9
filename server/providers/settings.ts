/**
 * What every provider of the configuration file has, whatever its kind: credentials by name, limits
 * and what it may be asked for.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { generationTypes, modelNames, resolutions } from '@vidgen/contract/models.ts';
import { z } from 'zod';

/** The name of a variable of the environment; the credential itself stands nowhere in the file. */
export const Credential = z.strictObject({ env: z.string().min(1) });
export type Credential = z.infer<typeof Credential>;

/**
 * One, or several: the first starts tasks, the others only read what was started with them, until
 * the last of those has ended and the key can be taken out.
 */
export const Credentials = z.union([Credential, z.array(Credential).min(1)]);

export const sharedSettings = {
  /** Tasks it is given at the same time, over all processes. */
  concurrency: z.int().positive().optional(),
  /** New tasks a minute, by each process. */
  startsPerMinute: z.number().positive().optional(),
  /** Less than the models allow, where this generator can do less. */
  supports: z
    .strictObject({
      generationTypes: z.array(z.enum(generationTypes)).min(1).optional(),
      resolutions: z.array(z.enum(resolutions)).min(1).optional(),
      secondsMax: z.number().positive().optional(),
    })
    .optional(),
};

/** Our model names to whatever the upstream calls them. */
export const upstreamModels = z.partialRecord(z.enum(modelNames), z.string().min(1));

type Supports = NonNullable<z.infer<z.ZodObject<typeof sharedSettings>>['supports']>;

/** Why the settings do not let it make this, in words for the customer. */
export function unsupported(supports: Supports, generation: Generation): string | null {
  const { generationType, resolution, duration } = generation;
  if (supports.generationTypes && !supports.generationTypes.includes(generationType)) {
    return `input.generation_type ${generationType} cannot be made`;
  }
  if (supports.resolutions && !supports.resolutions.includes(resolution)) {
    return `input.resolution ${resolution} cannot be made`;
  }
  if (supports.secondsMax !== undefined && duration > supports.secondsMax) {
    return `input.duration ${duration} cannot be made, at most ${supports.secondsMax}`;
  }
  return null;
}
