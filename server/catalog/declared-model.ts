/** A declaration as a model of the catalog, with every default filled in. */

import { generationDefaults, promptCharactersMax } from '@vidgen/contract/create-generation.ts';
import type { DeclaredModel } from '@vidgen/contract/model-declaration.ts';
import { type AspectRatio, aspectRatios, type GenerationType } from '@vidgen/contract/models.ts';
import { rateOf } from '@vidgen/contract/price.ts';
import { pixelsOf } from '@vidgen/contract/video-sizes.ts';
import {
  defaultOf,
  type Model,
  type ModelLimits,
  type Range,
  type ReferenceLimits,
} from './models.ts';

/** docs/spec.md 4.3.6, where a declaration says only that videos are edited. */
const usualSourceSeconds: Range = { min: 4, max: 30 };

/** `declaration` has been checked. */
export function modelOf(name: string, declaration: DeclaredModel, source: Model['source']): Model {
  const { title = name, resolutions, editing, retires = null } = declaration;
  const bySize = Object.keys(resolutions).toSorted((one, other) => pixelsOf(one) - pixelsOf(other));
  const limits: ModelLimits = {
    generationTypes: declaration.generationTypes,
    ...durationsOf(declaration),
    editing: editing ? { sourceSeconds: editing === true ? usualSourceSeconds : editing } : null,
    resolutions: bySize,
    defaultResolution:
      declaration.defaultResolution ?? defaultOf(bySize, generationDefaults.resolution),
    aspectRatios: ratiosOf(declaration),
    imageToVideoImages: { min: 1, max: declaration.frames?.last ? 2 : 1 },
    sound: declaration.sound ?? 'optional',
    seed: declaration.seed ?? false,
    promptCharactersMax: declaration.promptCharactersMax ?? promptCharactersMax,
    reference: referenceOf(declaration),
    options: declaration.options ?? {},
  };
  const rates = Object.fromEntries(bySize.map((size) => [size, rateOf(resolutions[size]!)]));
  return { name, title, limits, rates, retires, source, declaration };
}

function durationsOf({
  seconds,
}: DeclaredModel): Pick<ModelLimits, 'durations' | 'durationSeconds'> {
  const usual = generationDefaults.duration;
  if (!Array.isArray(seconds)) {
    const { min, max, default: declared = Math.min(Math.max(usual, min), max) } = seconds;
    return { durations: null, durationSeconds: { min, max, default: declared } };
  }
  const durations = [...new Set(seconds)].sort((one, other) => one - other);
  const min = durations[0]!;
  const max = durations.at(-1)!;
  return { durations, durationSeconds: { min, max, default: defaultOf(durations, usual) } };
}

function ratiosOf({ aspectRatios: given }: DeclaredModel): ModelLimits['aspectRatios'] {
  const of = (type: GenerationType): readonly AspectRatio[] =>
    (Array.isArray(given) ? given : given?.[type]) ?? aspectRatios;
  return {
    'text-to-video': of('text-to-video'),
    'image-to-video': of('image-to-video'),
    'reference-to-video': of('reference-to-video'),
  };
}

function referenceOf({ references }: DeclaredModel): ReferenceLimits {
  const { images = 0, videos = 0, audios = 0, secondsMax = 30, total } = references ?? {};
  const length = { eachSeconds: null, combinedSecondsMax: secondsMax };
  return {
    imagesMax: images,
    videosMax: videos,
    audiosMax: audios,
    totalMax: total ?? null,
    video: length,
    audio: length,
    audioAlone: references?.audioAlone ?? false,
  };
}
