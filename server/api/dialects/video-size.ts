/**
 * Widths and heights of other APIs as our resolutions and aspect ratios, and back. A size becomes
 * the nearest resolution, and the size of that one is reported, so that no client has to guess.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { type ModelName, type Resolution, resolutions } from '@vidgen/contract/models.ts';
import {
  type NamedRatio,
  namedRatios,
  shortSideOf,
  videoSize,
} from '@vidgen/contract/video-sizes.ts';
import type { ModelLimits } from '../../catalog/models.ts';

/** `limits` are missing if the model is not known. */
export type SizedModel = {
  readonly model: ModelName;
  readonly limits: Pick<ModelLimits, 'resolutions'> | undefined;
};

/**
 * Those of the model, and those of the contract: a size that the model lacks is rejected by its
 * name, instead of becoming one with another price.
 */
export const resolutionsOf = ({ limits }: SizedModel): readonly Resolution[] =>
  [...new Set([...(limits?.resolutions ?? []), ...resolutions])].toSorted(
    (one, other) => shortSideOf(one) - shortSideOf(other),
  );

export type VideoFormat = { readonly resolution: Resolution; readonly aspectRatio: NamedRatio };

/** Takes `1280x720`: the nearest aspect ratio first, then the nearest size that it has. */
export function formatOfSize(size: string, of: SizedModel): VideoFormat {
  const [width = 1, height = 1] = size.split('x').map(Number);
  const aspectRatio = nearest(namedRatios, (ratio) => factor(width / height, quotient(ratio)));
  const pixels = width * height;
  const pixelsOf = (resolution: Resolution): number => {
    const rendered = videoSize({ model: of.model, resolution }, aspectRatio);
    return rendered.width * rendered.height;
  };
  return {
    resolution: nearest(resolutionsOf(of), (name) => factor(pixels, pixelsOf(name))),
    aspectRatio,
  };
}

export const nearestResolution = (shortSide: number, of: SizedModel): Resolution =>
  nearest(resolutionsOf(of), (name) => Math.abs(shortSideOf(name) - shortSide));

/** Returns `1280x720`: where the aspect ratio follows the material, that of 16:9. */
export function sizeOf(format: Pick<Generation, 'model' | 'resolution' | 'aspectRatio'>): string {
  const ratio = format.aspectRatio === 'adaptive' ? '16:9' : format.aspectRatio;
  const { width, height } = videoSize(format, ratio);
  return `${width}x${height}`;
}

function quotient(ratio: NamedRatio): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}

const factor = (one: number, other: number): number => Math.abs(Math.log(one / other));

/** Of two that are as near, the first: the lower resolution costs less. */
function nearest<T>(values: readonly T[], distance: (value: T) => number): T {
  return values.reduce((best, value) => (distance(value) < distance(best) ? value : best));
}
