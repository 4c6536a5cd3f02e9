/**
 * Compares what a model declares with what its providers make, so that an operator learns of a
 * difference before a customer does. A create is checked in any case.
 */
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';
import type { AspectRatio, GenerationType, Resolution } from '@vidgen/contract/models.ts';
import type { Model, ModelLimits } from '../../catalog/models.ts';
import type { Registry } from '../../providers/registry.ts';

/** Enough to say what is wrong. */
const problemsMax = 5;

/** Returns why no provider of the route makes parts of the model; empty without a route. */
export function modelRouteProblems(
  model: Model,
  { routeNames, unsupportedReason }: Pick<Registry, 'routeNames' | 'unsupportedReason'>,
): string[] {
  if (routeNames(model.name).length === 0) return [];
  const reasons = samplesOf(model).flatMap((generation) => {
    const reason = unsupportedReason(generation, { mode: 'live', demo: false });
    return reason === null ? [] : `${generation.generationType}: ${reason}`;
  });
  return [...new Set(reasons)].slice(0, problemsMax);
}

/** Each type, resolution and aspect ratio, and the shortest and longest video. */
function samplesOf(model: Model): Generation[] {
  const { limits } = model;
  const { durationSeconds, defaultResolution } = limits;
  return limits.generationTypes.flatMap((type) => {
    const [ratio] = limits.aspectRatios[type] as [AspectRatio];
    const sample = (change: Partial<Generation>): Generation => ({
      ...sampleOf(model, { type, resolution: defaultResolution, ratio }),
      ...change,
    });
    const options = optionsOf(limits);
    const isEdit = type === 'reference-to-video' && limits.editing !== null;
    return [
      ...limits.resolutions.map((resolution) => sample({ resolution })),
      ...limits.aspectRatios[type].map((aspectRatio) => sample({ aspectRatio })),
      ...[durationSeconds.min, durationSeconds.max].map((duration) => sample({ duration })),
      ...(options ? [sample({ options })] : []),
      ...(isEdit ? [sample({ duration: editingDuration, aspectRatio: 'adaptive' })] : []),
    ];
  });
}

/** One allowed value of each; null without any. */
function optionsOf({ options }: ModelLimits): Generation['options'] | null {
  const values = Object.entries(options).map(([name, option]) => {
    if (option.type === 'text') return [name, 'sharp'] as const;
    if (option.type === 'number') return [name, option.min] as const;
    return [name, option.type === 'boolean' ? true : option.values[0]!] as const;
  });
  return values.length > 0 ? Object.fromEntries(values) : null;
}

/** With as many files as the model takes at most. */
function sampleOf(
  { name, limits }: Model,
  chosen: { type: GenerationType; resolution: Resolution; ratio: AspectRatio },
): Generation {
  const { type, resolution, ratio: aspectRatio } = chosen;
  return {
    model: name,
    prompt: 'A red paper boat drifts across a calm pond at sunrise',
    generationType: type,
    ...filesOf(limits, type),
    duration: limits.durationSeconds.default,
    aspectRatio,
    resolution,
    generateAudio: limits.sound !== 'never',
    watermark: false,
    webSearch: false,
    returnLastFrame: false,
    seed: null,
  };
}

function filesOf({ imageToVideoImages, reference }: ModelLimits, type: GenerationType) {
  const urls = (kind: string, count: number) =>
    Array.from({ length: count }, (_, at) => `https://files.example.com/${kind}-${at}`);
  const isReference = type === 'reference-to-video';
  const images = type === 'image-to-video' ? imageToVideoImages.max : reference.imagesMax;
  return {
    imageUrls: urls('image', type === 'text-to-video' ? 0 : images),
    videoUrls: urls('video', isReference ? reference.videosMax : 0),
    audioUrls: urls('audio', isReference ? reference.audiosMax : 0),
  };
}
