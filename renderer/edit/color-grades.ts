/** The color grades of an edit: for a time of day, a season, a film stock or a mood. */
import { type Color, mix } from '../color.ts';
import { clamp } from '../motion.ts';
import {
  type ColorTransform,
  chain,
  levels,
  luminance,
  saturated,
  toned,
} from './color-transform.ts';

export type ColorGrade = {
  readonly transform: ColorTransform;
  /** Film grain, glow around highlights and darkened corners, each from 0 to 1. */
  readonly grain: number;
  readonly bloom: number;
  readonly vignette: number;
  /** A light that moves across the frame; `low` keeps it near the horizon, like the sun. */
  readonly light: { readonly hex: string; readonly strength: number; readonly low: boolean } | null;
};

type Recipe = Partial<Omit<ColorGrade, 'transform' | 'light'>> & {
  readonly saturation?: number;
  /** Above 1 darkens the midtones. */
  readonly gamma?: number;
  readonly contrast?: number;
  readonly from?: number;
  readonly to?: number;
  readonly tones?: string;
  readonly strength?: number;
  readonly light?: readonly [hex: string, strength: number, low?: 'low'];
  /** Applied before, and around, all other steps. */
  readonly first?: ColorTransform;
  readonly around?: (transform: ColorTransform) => ColorTransform;
};

const identity: ColorTransform = (color) => color;

function createGrade(recipe: Recipe): ColorGrade {
  const { grain = 0.1, bloom = 0.2, vignette = 0.35, light, tones, strength = 0.5 } = recipe;
  const { saturation = 1, first = identity, around = (transform) => transform } = recipe;
  return {
    ...{ grain, bloom, vignette },
    light: light ? { hex: light[0], strength: light[1], low: light[2] === 'low' } : null,
    transform: around(
      chain(
        first,
        saturated(saturation),
        levels(recipe),
        tones ? toned(tones, strength) : identity,
      ),
    ),
  };
}

const keepLamps =
  (transform: ColorTransform): ColorTransform =>
  (color) => {
    const [red, green, blue] = color;
    const bright = clamp((luminance(color) - 0.55) / 0.2);
    const share = 0.75 * bright * clamp((red - blue - 50) / 80);
    return mix(transform(color), [red, green * 0.9, blue * 0.8], share);
  };

const recolorLeaves =
  (target: Color): ColorTransform =>
  (color) => {
    const [red, green, blue] = color;
    const share = clamp((green - Math.max(blue, red * 0.86)) / 50);
    const level = Math.max(red, green);
    return mix(color, [level * target[0], level * target[1], level * target[2]], share);
  };

export const colorGrades = {
  night: createGrade({
    ...{ saturation: 0.62, gamma: 1.25, contrast: 0.25, to: 0.82, around: keepLamps },
    ...{ tones: '02040c 0a1a3a 1d426f 4a7fb5 c4dcf5', strength: 0.68 },
    ...{ bloom: 0.3, vignette: 0.7, grain: 0.22, light: ['7fb0ff', 0.2] },
  }),
  dusk: createGrade({
    ...{ saturation: 1.12, gamma: 1.12, contrast: 0.35 },
    ...{ tones: '180c2c 4a1f4f b0484e f79350 ffe9bd', strength: 0.5 },
    ...{ bloom: 0.35, vignette: 0.45, light: ['ff9a4a', 0.5, 'low'] },
  }),
  dawn: createGrade({
    ...{ saturation: 0.9, gamma: 0.92, contrast: 0.12, from: 0.03 },
    ...{ tones: '2a2450 6f5a8c d08f95 fdd0a0 fff6e2', strength: 0.42 },
    ...{ bloom: 0.4, vignette: 0.2, light: ['ffd7a0', 0.45, 'low'] },
  }),
  neon: createGrade({
    ...{ saturation: 1.25, gamma: 1.2, contrast: 0.65 },
    ...{ tones: '05010f 23105e 8a1fa0 f0388f 38d6f0 eafcff', strength: 0.62 },
    ...{ bloom: 0.55, vignette: 0.55, light: ['ff2fa8', 0.5] },
  }),
  noir: createGrade({
    ...{ saturation: 0, gamma: 1.12, contrast: 0.75, from: 0.01 },
    ...{ grain: 0.55, vignette: 0.65, bloom: 0.25 },
  }),
  sepia: createGrade({
    ...{ saturation: 0, contrast: 0.2, from: 0.06, to: 0.95 },
    ...{ tones: '1f130a 6b4a28 a67d4a dcbb86 fbf0d6', strength: 0.92 },
    ...{ grain: 0.6, vignette: 0.65, light: ['ffdca0', 0.25] },
  }),
  film: createGrade({
    ...{ saturation: 0.85, contrast: 0.25, from: 0.07, to: 0.95 },
    ...{ tones: '17282f 59604e e0b47c fff0d0', strength: 0.38 },
    ...{ grain: 0.6, vignette: 0.5, light: ['ff7a3c', 0.55] },
  }),
  cinema: createGrade({
    ...{ saturation: 1.08, gamma: 1.05, contrast: 0.45 },
    ...{ tones: '04161c 1f5560 c98a5c fff0d4', strength: 0.4 },
    ...{ grain: 0.25, vignette: 0.5, light: ['ffb070', 0.3] },
  }),
  winter: createGrade({
    ...{ saturation: 0.5, gamma: 0.85, contrast: 0.2, from: 0.04 },
    ...{ tones: '16263c 5b7a9c c3d8ea ffffff', strength: 0.55 },
    ...{ bloom: 0.35, vignette: 0.25 },
  }),
  autumn: createGrade({
    ...{ first: recolorLeaves([1.32, 0.72, 0.3]), saturation: 1.1, contrast: 0.25 },
    ...{ tones: '1c0f0a 8a5a34 e8b87c fff2d8', strength: 0.22 },
    ...{ bloom: 0.3, light: ['ffb45a', 0.35] },
  }),
  spring: createGrade({
    ...{ saturation: 0.95, gamma: 0.78, from: 0.08 },
    ...{ tones: '4a4468 c493b0 f6d3dc fffaf6', strength: 0.38 },
    ...{ bloom: 0.6, vignette: 0.08, light: ['ffd9ec', 0.4] },
  }),
  fire: createGrade({
    ...{ saturation: 0.8, gamma: 1.3, contrast: 0.6 },
    ...{ tones: '0a0204 4a0c0a b8300e f4842a fff6cc', strength: 0.72 },
    ...{ bloom: 0.5, vignette: 0.6, light: ['ff5a1a', 0.55, 'low'] },
  }),
  storm: createGrade({
    ...{ saturation: 0.45, gamma: 1.25, contrast: 0.4, to: 0.85 },
    ...{ tones: '080f14 34453f a0b0ae e6eee6', strength: 0.45 },
    ...{ vignette: 0.65, grain: 0.25 },
  }),
  vivid: createGrade({ saturation: 1.5, gamma: 0.92, contrast: 0.4, vignette: 0.15, bloom: 0.3 }),
  pastel: createGrade({ saturation: 0.7, gamma: 0.7, from: 0.16, vignette: 0.05, bloom: 0.5 }),
  pencil: createGrade({
    ...{ saturation: 0, gamma: 4.2, contrast: 0.3 },
    ...{ tones: '1f1e24 77747a f3eee3', strength: 1 },
    vignette: 0.04,
  }),
} as const satisfies Record<string, ColorGrade>;

export const gradeOf = (tones: string, light: string): ColorGrade =>
  createGrade({
    ...{ saturation: 0.95, gamma: 1.05, contrast: 0.35, tones, strength: 0.5 },
    ...{ bloom: 0.3, vignette: 0.45, grain: 0.15, light: [light, 0.4] },
  });
