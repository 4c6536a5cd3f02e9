/**
 * Extension: `GET /v1/models`, the catalog of this installation with limits and prices as numbers.
 */
import { z } from 'zod';
import { listOf } from './list.ts';
import { ModelOption } from './model-declaration.ts';
import { ModelId, ResolutionName } from './model-name.ts';
import { aspectRatios, generationTypes } from './models.ts';

const count = (description: string) => z.int().min(0).describe(description);

const Seconds = z.object({ min: z.int(), max: z.int() });

const MaterialSeconds = z.object({
  each: Seconds.nullable().describe('Length of each; null where the model sets none.'),
  combined_max: count('All of the list together.'),
});

const ReferenceLimits = z.object({
  images_max: count('Entries of `image_urls`.'),
  videos_max: count('Entries of `video_urls`.'),
  audios_max: count('Entries of `audio_urls`.'),
  total_max: z.int().min(1).nullable().describe('Over all three lists; null where none is set.'),
  video_seconds: MaterialSeconds,
  audio_seconds: MaterialSeconds,
  audio_alone: z.boolean().describe('Whether audio may be the only reference.'),
});

const ModelPrice = z.object({
  resolution: ResolutionName,
  credits_per_second: z.number().min(0).describe('Credits per second of output.'),
  credits_per_second_silent: z.number().min(0).describe('The same without sound.'),
  credits_per_second_with_video: z
    .number()
    .min(0)
    .describe('The same for `reference-to-video` with at least one video.'),
  credits_per_input_second: z.number().min(0).describe('Credits per second of all videos.'),
  credits_per_task: z.number().min(0).describe('Credits per task, in addition.'),
});

export const Model = z
  .object({
    id: ModelId.describe('Send as `model`.'),
    title: z.string().describe('For people.'),
    generation_types: z.array(z.enum(generationTypes)),
    duration: z.object({
      min: z.int(),
      max: z.int(),
      default: z.int(),
      values: z.array(z.int()).nullable().describe('The only lengths; null for all of them.'),
      editing: z
        .object({ value: z.literal(-1), source_seconds: Seconds })
        .nullable()
        .describe(
          'The `duration` that selects video editing; null if the model does not support it.',
        ),
    }),
    resolutions: z.array(ResolutionName).describe('From the smallest on.'),
    default_resolution: ResolutionName,
    aspect_ratios: z
      .record(z.enum([...generationTypes, 'video-editing']), z.array(z.enum(aspectRatios)))
      .describe('The values allowed in each mode.'),
    sound: z
      .enum(['always', 'never', 'optional'])
      .describe('Which values of `generate_audio` the model takes.'),
    seed: z
      .object({ min: z.int(), max: z.int(), random: z.literal(-1) })
      .nullable()
      .describe('Null if the model rejects the field.'),
    prompt_characters_max: z.int(),
    image_to_video: z.object({ images_min: z.int(), images_max: z.int() }),
    reference_to_video: ReferenceLimits,
    options: z.record(z.string(), ModelOption).describe('What `input.options` may have.'),
    prices: z.array(ModelPrice).describe('Rounded up to a whole credit, at least 1 per task.'),
    retires: z.string().nullable().describe('The day from which it is not made any more.'),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

export const ModelsResponse = listOf(Model).meta({ id: 'ModelList' });
export type ModelsResponse = z.infer<typeof ModelsResponse>;

/** What OpenAI's clients read of a model. */
export const NamedModel = z
  .object({
    id: z.string().describe('A model, or an alias that the operator gave it.'),
    object: z.literal('model'),
    created: z.int().describe('Unix time in whole seconds.'),
    owned_by: z.string(),
  })
  .meta({ id: 'OpenAiModel' });

export const ModelParams = z.strictObject({
  id: z.string().describe('The name or an alias of the model.'),
});

/** `GET /v1/models`: our list, and OpenAI's list of the same models beside it. */
export const NamedModelsResponse = ModelsResponse.extend({
  object: z.literal('list'),
  data: z.array(NamedModel).describe('For clients of OpenAI: models and their aliases.'),
}).meta({ id: 'NamedModelList' });
export type NamedModelsResponse = z.infer<typeof NamedModelsResponse>;
