/** The catalog as `GET /v1/models` shows it: served models only, with every limit as a number. */
import {
  generationDefaults,
  promptCharactersMax,
  seedMax,
} from '@vidgen/contract/create-generation.ts';
import { aspectRatios, generationTypes, type ModelName } from '@vidgen/contract/models.ts';
import type {
  ModelsResponse,
  Model as ModelView,
  NamedModelsResponse,
} from '@vidgen/contract/models-response.ts';
import { type Catalog, servedModels } from './catalog.ts';
import { imageToVideoImages, type LengthLimits, models } from './models.ts';

export const modelsView = (catalog: Catalog): ModelsResponse => ({
  items: servedModels(catalog).map((model) => modelView(model, catalog)),
  next_cursor: null,
});

/** Clients of OpenAI expect a time; models have none here. */
const modelsCreatedAt = 1_767_225_600;

/** OpenAI's list of `served` models, with the operator's aliases of them. */
export function namedModels(
  { aliases }: Catalog,
  served: readonly ModelName[],
): Pick<NamedModelsResponse, 'object' | 'data'> {
  const aliasNames = [...aliases].filter(([, model]) => served.includes(model));
  return {
    object: 'list',
    data: [...served, ...aliasNames.map(([name]) => name)].map((id) => ({
      id,
      object: 'model',
      created: modelsCreatedAt,
      owned_by: 'vidgen',
    })),
  };
}

function modelView(model: ModelName, catalog: Catalog): ModelView {
  const { limits } = models[model];
  const { reference } = limits;
  return {
    id: model,
    generation_types: [...generationTypes],
    duration: {
      ...limits.durationSeconds,
      default: generationDefaults.duration,
      editing: limits.editing
        ? { value: -1, source_seconds: { ...limits.editing.sourceSeconds } }
        : null,
    },
    resolutions: [...limits.resolutions],
    aspect_ratios: {
      'text-to-video': [...aspectRatios],
      'image-to-video': [...limits.imageToVideoAspectRatios],
      'reference-to-video': [...aspectRatios],
      'video-editing': limits.editing ? ['adaptive'] : [],
    },
    seed: limits.seed ? { min: 0, max: seedMax, random: -1 } : null,
    prompt_characters_max: promptCharactersMax,
    image_to_video: { images_min: imageToVideoImages.min, images_max: imageToVideoImages.max },
    reference_to_video: {
      images_max: reference.imagesMax,
      videos_max: reference.videosMax,
      audios_max: reference.audiosMax,
      total_max: reference.totalMax,
      video_seconds: secondsView(reference.video),
      audio_seconds: secondsView(reference.audio),
      audio_alone: reference.audioAlone,
    },
    prices: limits.resolutions.flatMap((resolution) => {
      const rate = catalog.prices[model][resolution];
      if (!rate) return [];
      return {
        resolution,
        credits_per_second: rate.perSecond,
        credits_per_second_with_video: rate.perSecondWithVideo,
      };
    }),
  };
}

const secondsView = (limits: LengthLimits) => ({
  each: limits.eachSeconds ? { ...limits.eachSeconds } : null,
  combined_max: limits.combinedSecondsMax,
});
