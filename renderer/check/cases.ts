/**
 * The clips to check: every kind, resolution and aspect ratio that the catalog allows, once. Where
 * two models give the same clip, only the first is checked.
 */

import {
  type AspectRatio,
  aspectRatios,
  type ModelName,
  modelNames,
  type Resolution,
} from '@vidgen/contract/models.ts';
import type { NamedRatio } from '@vidgen/contract/video-sizes.ts';
import { models } from '../../server/catalog/models.ts';
import type { MaterialKind } from '../render-job.ts';
import { type Size, sizeOf } from '../size.ts';

type ClipKind = {
  readonly generationType: 'text-to-video' | 'image-to-video' | 'reference-to-video';
  readonly prompt: string;
  readonly materials: readonly MaterialKind[];
};

const kindOf = (
  generationType: ClipKind['generationType'],
  prompt: string,
  ...materials: readonly MaterialKind[]
): ClipKind => ({ generationType, prompt, materials });

const [image, reference] = ['image-to-video', 'reference-to-video'] as const;
export const clipKinds = {
  text: kindOf('text-to-video', 'A lighthouse by the sea at sunrise'),
  image: kindOf(image, 'The camera moves slowly closer', 'image'),
  images: kindOf(image, 'One place becomes the other', 'image', 'image'),
  reference: kindOf(reference, 'All in one city at night', 'image', 'image', 'video', 'audio'),
  edit: kindOf(reference, 'The same in the light of a winter evening', 'video'),
  extension: kindOf(reference, 'Continue the shot: the camera goes on along the coast', 'video'),
};

export type CheckCase = {
  readonly kind: keyof typeof clipKinds;
  readonly model: ModelName;
  readonly resolution: Resolution;
  readonly aspectRatio: AspectRatio;
  /** The ratio of the materials, which `adaptive` follows. */
  readonly given: NamedRatio;
  readonly size: Size;
};

const ratios = aspectRatios.filter((ratio): ratio is NamedRatio => ratio !== 'adaptive');

export function allCases(): CheckCase[] {
  const cases = new Map<string, CheckCase>();
  for (const model of modelNames) {
    for (const resolution of models[model].limits.resolutions) {
      for (const kind of Object.keys(clipKinds) as CheckCase['kind'][]) {
        for (const aspectRatio of ratiosFor(kind, model)) {
          const isAdaptive = aspectRatio === 'adaptive' && kind !== 'text';
          for (const given of isAdaptive ? ratios : (['4:3'] as const)) {
            const one = caseOf({ kind, model, resolution, aspectRatio, given });
            const key = [kind, resolution, aspectRatio, given, one.size.width].join();
            if (!cases.has(key)) cases.set(key, one);
          }
        }
      }
    }
  }
  return [...cases.values()];
}

export function caseOf(one: Omit<CheckCase, 'size'>): CheckCase {
  const given = one.kind === 'text' ? '16:9' : one.given;
  const aspectRatio = one.aspectRatio === 'adaptive' ? given : one.aspectRatio;
  return { ...one, size: sizeOf({ ...one, aspectRatio }, null) };
}

export function nameOf({ kind, resolution, aspectRatio, given, model }: CheckCase): string {
  const ratio =
    aspectRatio === 'adaptive' && kind !== 'text' ? `adaptive to ${given}` : aspectRatio;
  return `${kind}, ${resolution}, ${ratio} (${model})`;
}

/** docs/spec.md 4.3.2, 4.3.6 and 4.3.7. */
function ratiosFor(kind: CheckCase['kind'], model: ModelName): readonly AspectRatio[] {
  const { limits } = models[model];
  if (kind === 'text' || kind === 'reference') return aspectRatios;
  if (kind === 'image' || kind === 'images') return limits.imageToVideoAspectRatios;
  return limits.editing ? ['adaptive'] : [];
}
