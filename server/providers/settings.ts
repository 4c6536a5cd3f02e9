/**
 * Settings that providers of several kinds share in the configuration file, and the restrictions
 * that a provider's `supports` makes.
 */
import { Costs } from '@vidgen/contract/costs.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { ModelId, ResolutionName } from '@vidgen/contract/model-name.ts';
import { type GenerationType, generationTypes, type Resolution } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import type { CallOptions } from './toolkit/client.ts';
import { cannotMake, unsupportedPrompt } from './toolkit/generation-input.ts';
import { isOptionPlaceholder } from './toolkit/options.ts';
import { placeholdersIn } from './toolkit/placeholders.ts';

/** The name of an environment variable; the file never contains the credential itself. */
export const Credential = z.strictObject({ env: z.string().min(1) });
export type Credential = z.infer<typeof Credential>;

/**
 * With several, the first starts new tasks; the others only poll the tasks that were started with
 * them, and can be removed when the last of those has ended.
 */
export const Credentials = z.union([Credential, z.array(Credential).min(1)]);

const Resolutions = z.array(ResolutionName).min(1);

export const sharedSettings = {
  /** Tasks at the same time, over all processes. */
  concurrency: z.int().positive().optional(),
  /** New tasks per minute of each process. */
  startsPerMinute: z.number().positive().optional(),
  /** Restricts the provider to less than the models allow. */
  supports: z
    .strictObject({
      generationTypes: z.array(z.enum(generationTypes)).min(1).optional(),
      /** One list, or one for each generation type that has fewer than the others. */
      resolutions: z
        .union([Resolutions, z.partialRecord(z.enum(generationTypes), Resolutions)], {
          error: "must be a list such as ['480p', '720p'], or one for each generation type",
        })
        .optional(),
      secondsMax: z.number().positive().optional(),
      promptCharactersMin: z.int().positive().optional(),
      promptCharactersMax: z.int().positive().optional(),
    })
    .optional(),
  /** Status reads per second of each process. */
  getPerSecond: z.number().positive().optional(),
  /** What the upstream bills. */
  costs: Costs.optional(),
};

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

export const PixelSize = z
  .string()
  .regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must be written like 1280x720');

/** A value of an extra field that is sent with every start, or of an option where it was sent. */
export const FieldValue = z.union([
  z.string().refine((text) => [...placeholdersIn(text)].every(isOptionPlaceholder), {
    error: 'may contain no placeholder other than an option, such as {{options.cfg}}',
  }),
  z.number(),
  z.boolean(),
]);

/** Our model names to the upstream's. */
export const upstreamModels = z.record(ModelId, z.string().min(1));

/** Settings without undefined values, so that the defaults of an adapter apply. */
export type DefinedSettings<Settings> = {
  readonly [Name in keyof Settings]: Exclude<Settings[Name], undefined>;
};

/** What an adapter is created with: its settings, its name and its API key. */
export type AdapterOptions<Schema extends z.ZodType> = CallOptions &
  DefinedSettings<Omit<z.infer<Schema>, 'kind' | 'apiKey'>> & { readonly name: string };

/** Returns a function, so that no object that could be logged contains the credential. */
export type ReadCredential = (credential: Credential) => () => string;

type Supports = NonNullable<z.infer<z.ZodObject<typeof sharedSettings>>['supports']>;

/** Undefined: not restricted. */
export const supportedResolutions = (
  { resolutions: limits }: Supports,
  type: GenerationType,
): readonly Resolution[] | undefined => (Array.isArray(limits) ? limits : limits?.[type]);

/** Returns why `supports` excludes a generation, as a message for the customer, or null. */
export function unsupported(supports: Supports, generation: Generation): string | null {
  const { generationType, resolution, duration } = generation;
  if (supports.generationTypes && !supports.generationTypes.includes(generationType)) {
    return cannotMake('generation_type', generationType);
  }
  if (!(supportedResolutions(supports, generationType)?.includes(resolution) ?? true)) {
    const where = Array.isArray(supports.resolutions) ? '' : ` with ${generationType}`;
    return cannotMake('resolution', resolution) + where;
  }
  if (supports.secondsMax !== undefined && duration > supports.secondsMax) {
    return `${cannotMake('duration', duration)} (at most ${supports.secondsMax})`;
  }
  const { promptCharactersMin: min, promptCharactersMax: max } = supports;
  return unsupportedPrompt(generation, { min, max });
}
