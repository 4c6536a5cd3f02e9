/**
 * The looks an edit can give a video: of a time of day, a season, a place, a film, a mood. Each is
 * a grade of its colors and the light that goes with it.
 */
import { type Color, mix } from '../color.ts';
import { clamp } from '../motion.ts';
import { brightness, chain, type Grade, levels, saturated, toned } from './grade.ts';

export type ColorGrade = {
  readonly grade: Grade;
  /** From 0 to 1: that of film, the glow around what is bright, how dark the corners are. */
  readonly grain: number;
  readonly bloom: number;
  readonly vignette: number;
  /** A light that passes slowly over the picture, or stands low as the sun does. */
  readonly light: { readonly hex: string; readonly strength: number; readonly low: boolean } | null;
};

type Recipe = Partial<Omit<ColorGrade, 'grade' | 'light'>> & {
  readonly saturation?: number;
  /** Above 1 the middle gets darker. */
  readonly gamma?: number;
  readonly contrast?: number;
  /** Where black and white end up. */
  readonly from?: number;
  readonly to?: number;
  /** Colors from the darkest to the brightest, and how much of them is taken. */
  readonly tones?: string;
  readonly strength?: number;
  readonly light?: readonly [hex: string, strength: number, low?: 'low'];
  /** Before and after all else. */
  readonly first?: Grade;
  readonly around?: (grade: Grade) => Grade;
};

const same: Grade = (color) => color;

function look(recipe: Recipe): ColorGrade {
  const { saturation = 1, tones, strength = 0.5, first = same, around = (grade) => grade } = recipe;
  const { grain = 0.1, bloom = 0.2, vignette = 0.35 } = recipe;
  const [hex, lightStrength, low] = recipe.light ?? [];
  return {
    ...{ grain, bloom, vignette },
    light:
      hex === undefined ? null : { hex, strength: lightStrength ?? 0.4, low: low !== undefined },
    grade: around(
      chain(first, saturated(saturation), levels(recipe), tones ? toned(tones, strength) : same),
    ),
  };
}

/** Lamps, windows and flames stay warm in a picture that turns cold. */
const keepingLamps =
  (grade: Grade): Grade =>
  (color) => {
    const [red, green, blue] = color;
    const bright = clamp((brightness(color) - 0.55) / 0.2);
    const kept = 0.75 * bright * clamp((red - blue - 50) / 80);
    return mix(grade(color), [red, green * 0.9, blue * 0.8], kept);
  };

/** Greens, and what is near them, become another color: leaves in autumn, or in infrared. */
const leaves =
  (towards: Color): Grade =>
  (color) => {
    const [red, green, blue] = color;
    const share = clamp((green - Math.max(blue, red * 0.86)) / 50);
    const level = Math.max(red, green);
    return mix(color, [level * towards[0], level * towards[1], level * towards[2]], share);
  };

export const colorGrades = {
  night: look({
    ...{ saturation: 0.62, gamma: 1.25, contrast: 0.25, to: 0.82, around: keepingLamps },
    ...{ tones: '02040c 0a1a3a 1d426f 4a7fb5 c4dcf5', strength: 0.68 },
    ...{ bloom: 0.3, vignette: 0.7, grain: 0.22, light: ['7fb0ff', 0.2] },
  }),
  dusk: look({
    ...{ saturation: 1.12, gamma: 1.12, contrast: 0.35 },
    ...{ tones: '180c2c 4a1f4f b0484e f79350 ffe9bd', strength: 0.5 },
    ...{ bloom: 0.35, vignette: 0.45, light: ['ff9a4a', 0.5, 'low'] },
  }),
  dawn: look({
    ...{ saturation: 0.9, gamma: 0.92, contrast: 0.12, from: 0.03 },
    ...{ tones: '2a2450 6f5a8c d08f95 fdd0a0 fff6e2', strength: 0.42 },
    ...{ bloom: 0.4, vignette: 0.2, light: ['ffd7a0', 0.45, 'low'] },
  }),
  day: look({
    ...{ saturation: 1.25, gamma: 0.86, contrast: 0.3 },
    ...{ tones: '101820 5a6a6a c8c0a0 fff4d8', strength: 0.12 },
    ...{ vignette: 0.12, bloom: 0.25, light: ['fff6d8', 0.4] },
  }),
  neon: look({
    ...{ saturation: 1.25, gamma: 1.2, contrast: 0.65 },
    ...{ tones: '05010f 23105e 8a1fa0 f0388f 38d6f0 eafcff', strength: 0.62 },
    ...{ bloom: 0.55, vignette: 0.55, light: ['ff2fa8', 0.5] },
  }),
  noir: look({
    ...{ saturation: 0, gamma: 1.12, contrast: 0.75, from: 0.01 },
    ...{ grain: 0.55, vignette: 0.65, bloom: 0.25 },
  }),
  sepia: look({
    ...{ saturation: 0, contrast: 0.2, from: 0.06, to: 0.95 },
    ...{ tones: '1f130a 6b4a28 a67d4a dcbb86 fbf0d6', strength: 0.92 },
    ...{ grain: 0.6, vignette: 0.65, light: ['ffdca0', 0.25] },
  }),
  film: look({
    ...{ saturation: 0.85, contrast: 0.25, from: 0.07, to: 0.95 },
    ...{ tones: '17282f 59604e e0b47c fff0d0', strength: 0.38 },
    ...{ grain: 0.6, vignette: 0.5, light: ['ff7a3c', 0.55] },
  }),
  winter: look({
    ...{ saturation: 0.5, gamma: 0.85, contrast: 0.2, from: 0.04 },
    ...{ tones: '16263c 5b7a9c c3d8ea ffffff', strength: 0.55 },
    ...{ bloom: 0.35, vignette: 0.25 },
  }),
  autumn: look({
    ...{ first: leaves([1.32, 0.72, 0.3]), saturation: 1.1, contrast: 0.25 },
    ...{ tones: '1c0f0a 8a5a34 e8b87c fff2d8', strength: 0.22 },
    ...{ bloom: 0.3, light: ['ffb45a', 0.35] },
  }),
  spring: look({
    ...{ saturation: 0.95, gamma: 0.78, from: 0.08 },
    ...{ tones: '4a4468 c493b0 f6d3dc fffaf6', strength: 0.38 },
    ...{ bloom: 0.5, vignette: 0.08, light: ['ffd9ec', 0.4] },
  }),
  forest: look({
    ...{ saturation: 0.85, gamma: 1.08, contrast: 0.3 },
    ...{ tones: '03140f 1d5a3c 8ec07a f6ffdc', strength: 0.5 },
    ...{ bloom: 0.3, vignette: 0.5, light: ['d8ffa0', 0.35] },
  }),
  deep: look({
    ...{ saturation: 0.55, gamma: 1.15, contrast: 0.25 },
    ...{ tones: '011320 06486a 2fb0bd dcfff6', strength: 0.72 },
    ...{ bloom: 0.4, vignette: 0.6, light: ['7ffff0', 0.4] },
  }),
  fire: look({
    ...{ saturation: 0.8, gamma: 1.3, contrast: 0.6 },
    ...{ tones: '0a0204 4a0c0a b8300e f4842a fff6cc', strength: 0.72 },
    ...{ bloom: 0.5, vignette: 0.6, light: ['ff5a1a', 0.55, 'low'] },
  }),
  desert: look({
    ...{ saturation: 0.85, contrast: 0.35, from: 0.03 },
    ...{ tones: '2b130c 9a5530 eab36a fff3d0', strength: 0.55 },
    ...{ vignette: 0.35, light: ['ffc070', 0.4] },
  }),
  cosmic: look({
    ...{ saturation: 1.1, gamma: 1.3, contrast: 0.5 },
    ...{ tones: '03020c 241a5e 7a3fb8 7fc4ff ffffff', strength: 0.6 },
    ...{ bloom: 0.45, vignette: 0.6, light: ['8a6bff', 0.45] },
  }),
  dream: look({
    ...{ saturation: 0.95, gamma: 0.85, from: 0.06 },
    ...{ tones: '2c2354 a583c4 ffd6e4 ffffff', strength: 0.38 },
    ...{ bloom: 0.85, vignette: 0.2, light: ['ffd0f4', 0.5] },
  }),
  dread: look({
    ...{ saturation: 0.4, gamma: 1.35, contrast: 0.5, to: 0.82 },
    ...{ tones: '030605 24332c 8fa58c dfe6cf', strength: 0.5 },
    ...{ grain: 0.5, vignette: 0.9, bloom: 0.1 },
  }),
  storm: look({
    ...{ saturation: 0.5, gamma: 1.15, contrast: 0.35, to: 0.88 },
    ...{ tones: '0a1218 3d505c a6b8be e8f0f0', strength: 0.45 },
    ...{ vignette: 0.5, grain: 0.18 },
  }),
  mist: look({
    ...{ saturation: 0.6, gamma: 0.85, contrast: -0.25, from: 0.18, to: 0.96 },
    ...{ vignette: 0.1, bloom: 0.5 },
  }),
  cinema: look({
    ...{ saturation: 1.08, gamma: 1.05, contrast: 0.45 },
    ...{ tones: '04161c 1f5560 c98a5c fff0d4', strength: 0.4 },
    ...{ grain: 0.25, vignette: 0.5, light: ['ffb070', 0.3] },
  }),
  vivid: look({ saturation: 1.65, gamma: 0.95, contrast: 0.4, vignette: 0.15, bloom: 0.3 }),
  pastel: look({ saturation: 0.7, gamma: 0.7, from: 0.16, vignette: 0.05, bloom: 0.5 }),
  negative: look({
    first: ([red, green, blue]) => [255 - red, 255 - green, 255 - blue],
    grain: 0.2,
  }),
  heat: look({
    ...{ saturation: 0, vignette: 0.2 },
    ...{ tones: '020024 5b0f8a e0266a ff9a1a fffbd0', strength: 1 },
  }),
  code: look({
    ...{ saturation: 0.3, gamma: 1.25, contrast: 0.5 },
    ...{ tones: '000602 0c4a24 4fe08a e6ffe8', strength: 0.75 },
    ...{ vignette: 0.6, bloom: 0.4 },
  }),
  /** For lines on white: what a pencil leaves on paper. */
  pencil: look({
    ...{ saturation: 0, gamma: 4.2, contrast: 0.3 },
    ...{ tones: '1f1e24 77747a f3eee3', strength: 1 },
    vignette: 0.04,
  }),
  infrared: look({
    ...{ first: leaves([1.3, 0.62, 0.86]), saturation: 1.1, contrast: 0.3 },
    ...{ bloom: 0.45, vignette: 0.3 },
  }),
} as const satisfies Record<string, ColorGrade>;

/** A look made of any colors, from the darkest to the brightest. */
export const gradeOf = (tones: string, light: string): ColorGrade =>
  look({
    ...{ saturation: 0.95, gamma: 1.05, contrast: 0.35, tones, strength: 0.5 },
    ...{ bloom: 0.3, vignette: 0.45, grain: 0.15, light: [light, 0.4] },
  });
