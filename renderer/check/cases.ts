/**
 * Every kind of clip the service can be asked for: each mode, resolution and ratio that the
 * catalogue allows, once. Where two models would get the same clip, one stands for both.
 */
import {
  type AspectRatio,
  aspectRatios,
  type ModelName,
  modelNames,
  type Resolution,
} from '@vidgen/contract/models.ts';
import { models } from '../../server/catalog/models.ts';
import { type Ratio, type Size, sizeOf } from '../size.ts';

export const checkModes = ['text', 'image', 'images', 'reference', 'edit', 'extension'] as const;
export type CheckMode = (typeof checkModes)[number];

export type CheckCase = {
  readonly mode: CheckMode;
  readonly model: ModelName;
  readonly resolution: Resolution;
  readonly aspectRatio: AspectRatio;
  /** The shape of what is given, which `adaptive` follows. */
  readonly given: Ratio;
  readonly size: Size;
};

export const ratios = aspectRatios.filter((ratio): ratio is Ratio => ratio !== 'adaptive');

export function allCases(): CheckCase[] {
  const cases = new Map<string, CheckCase>();
  for (const model of modelNames) {
    for (const resolution of models[model].limits.resolutions) {
      for (const mode of checkModes) {
        for (const aspectRatio of ratiosFor(mode, model)) {
          for (const given of shapesFor(mode, aspectRatio)) {
            const one = caseOf({ mode, model, resolution, aspectRatio, given });
            const key = [mode, resolution, aspectRatio, given, one.size.width].join();
            if (!cases.has(key)) cases.set(key, one);
          }
        }
      }
    }
  }
  return [...cases.values()];
}

export function caseOf(one: Omit<CheckCase, 'size'>): CheckCase {
  const aspectRatio = one.aspectRatio === 'adaptive' ? one.given : one.aspectRatio;
  return { ...one, size: sizeOf({ ...one, aspectRatio }, null) };
}

export function nameOf({ mode, resolution, aspectRatio, given, model }: CheckCase): string {
  const shape =
    aspectRatio === 'adaptive' && mode !== 'text' ? `adaptive to ${given}` : aspectRatio;
  return `${mode}, ${resolution}, ${shape} (${model})`;
}

/** Spec 4.3.2, 4.3.6 and 4.3.7. */
function ratiosFor(mode: CheckMode, model: ModelName): readonly AspectRatio[] {
  const { limits } = models[model];
  switch (mode) {
    case 'text':
    case 'reference':
      return aspectRatios;
    case 'image':
    case 'images':
      return limits.imageToVideoAspectRatios;
    case 'edit':
    case 'extension':
      return limits.editing ? ['adaptive'] : [];
  }
}

/** Where the ratio follows what is given, every shape is; elsewhere one that must be cut. */
function shapesFor(mode: CheckMode, aspectRatio: AspectRatio): readonly Ratio[] {
  if (mode === 'text') return ['16:9'];
  return aspectRatio === 'adaptive' ? ratios : ['4:3'];
}
