/** The catalog as `GET /v1/models` shows it: what is served, with every limit as a number. */
import { seedMax } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type {
  ModelsResponse,
  Model as ModelView,
  NamedModelsResponse,
} from '@vidgen/contract/models-response.ts';
import type { CustomerPrices, Rate } from '@vidgen/contract/price.ts';
import type { Catalog } from './catalog.ts';
import { withPrices } from './customer-prices.ts';
import type { LengthLimits, Model } from './models.ts';

export const modelsView = (
  catalog: Catalog,
  prices?: CustomerPrices | null | undefined,
): ModelsResponse => ({
  items: catalog.list().map((model) => modelView(withPrices(model, prices))),
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

export function modelView({ name, title, limits, rates, retires }: Model): ModelView {
  const { reference, imageToVideoImages: frames, durationSeconds, editing } = limits;
  return {
    id: name,
    title,
    generation_types: [...limits.generationTypes],
    duration: {
      ...durationSeconds,
      values: limits.durations && [...limits.durations],
      editing: editing ? { value: -1, source_seconds: { ...editing.sourceSeconds } } : null,
    },
    resolutions: [...limits.resolutions],
    default_resolution: limits.defaultResolution,
    aspect_ratios: {
      'text-to-video': [...limits.aspectRatios['text-to-video']],
      'image-to-video': [...limits.aspectRatios['image-to-video']],
      'reference-to-video': [...limits.aspectRatios['reference-to-video']],
      'video-editing': editing ? ['adaptive'] : [],
    },
    sound: limits.sound,
    seed: limits.seed ? { min: 0, max: seedMax, random: -1 } : null,
    prompt_characters_max: limits.promptCharactersMax,
    image_to_video: { images_min: frames.min, images_max: frames.max },
    reference_to_video: {
      images_max: reference.imagesMax,
      videos_max: reference.videosMax,
      audios_max: reference.audiosMax,
      total_max: reference.totalMax,
      video_seconds: secondsView(reference.video),
      audio_seconds: secondsView(reference.audio),
      audio_alone: reference.audioAlone,
    },
    options: { ...limits.options },
    prices: limits.resolutions.flatMap((resolution) => {
      const rate = rates[resolution];
      return rate ? [rateView(resolution, rate)] : [];
    }),
    retires,
  };
}

const rateView = (resolution: string, rate: Rate) => ({
  resolution,
  credits_per_second: rate.perSecond,
  credits_per_second_silent: rate.perSecondSilent,
  credits_per_second_with_video: rate.perSecondWithVideo,
  credits_per_input_second: rate.perInputSecond,
  credits_per_task: rate.perTask,
});

const secondsView = (limits: LengthLimits) => ({
  each: limits.eachSeconds ? { ...limits.eachSeconds } : null,
  combined_max: limits.combinedSecondsMax,
});
