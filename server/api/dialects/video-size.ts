/**
 * Widths and heights of other APIs as our resolutions and aspect ratios, and back. A size becomes
 * the nearest of ours; what is rendered is reported back, so that no client has to guess.
 */
import { type AspectRatio, aspectRatios, type Resolution } from '@vidgen/contract/models.ts';

type NamedRatio = Exclude<AspectRatio, 'adaptive'>;

/** The shorter side in pixels. */
const shortSides: Readonly<Record<Resolution, number>> = {
  '480p': 480,
  '720p': 720,
  '1080p': 1080,
  '4k': 2160,
};

export type VideoFormat = {
  readonly resolution: Resolution;
  readonly aspectRatio: AspectRatio;
};

/** Takes `1280x720`. Halfway between two resolutions it is the lower one, which costs less. */
export function formatOfSize(size: string): {
  readonly resolution: Resolution;
  readonly aspectRatio: NamedRatio;
} {
  const [width = 1, height = 1] = size.split('x').map(Number);
  const named = aspectRatios.filter((ratio) => ratio !== 'adaptive');
  return {
    resolution: nearestResolution(Math.min(width, height)),
    aspectRatio: nearest(named, (ratio) => Math.abs(Math.log(width / height / quotient(ratio)))),
  };
}

export const nearestResolution = (shortSide: number): Resolution =>
  nearest(Object.keys(shortSides) as Resolution[], (name) =>
    Math.abs(shortSides[name] - shortSide),
  );

/** Returns `1280x720`, or `720p` where the aspect ratio follows the prompt or the material. */
export function sizeOf({ resolution, aspectRatio }: VideoFormat): string {
  if (aspectRatio === 'adaptive') return resolution;
  const [short, ratio] = [shortSides[resolution], quotient(aspectRatio)];
  const long = Math.round((short * Math.max(ratio, 1 / ratio)) / 2) * 2;
  return ratio >= 1 ? `${long}x${short}` : `${short}x${long}`;
}

function quotient(ratio: NamedRatio): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}

function nearest<T>(values: readonly T[], distance: (value: T) => number): T {
  return values.reduce((best, value) => (distance(value) < distance(best) ? value : best));
}
