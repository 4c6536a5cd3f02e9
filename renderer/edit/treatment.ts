/**
 * Chooses how an edit changes its video from what the prompt names: a style, a color grade and
 * weather. Nothing that the prompt does not name is added.
 */
import { type Color, mix, type Palette } from '../color.ts';
import { clamp, smooth } from '../motion.ts';
import type { PromptBrief } from '../prompt-brief.ts';
import {
  type ColorTransform,
  chain,
  levels,
  luminance,
  saturated,
  toned,
} from './color-transform.ts';
import type { StyleName } from './styles.ts';

/** Film grain and darkened corners are from 0 to 1. */
type ColorGrade = {
  readonly transform: ColorTransform;
  readonly grain: number;
  readonly vignette: number;
};

export type Treatment = {
  /** Null if the colors stay. */
  readonly grade: GradeName | ColorGrade | null;
  readonly style: StyleName | null;
  readonly weather: 'rain' | 'snow' | 'fog' | null;
};

type Recipe = Parameters<typeof levels>[0] & {
  readonly saturation?: number;
  readonly tones?: string;
  readonly strength?: number;
  readonly grain?: number;
  readonly vignette?: number;
};

const identity: ColorTransform = (color) => color;

function createGrade(recipe: Recipe, first: ColorTransform = identity): ColorGrade {
  const { saturation = 1, tones, strength = 0.5, grain = 0.1, vignette = 0.35 } = recipe;
  const tone = tones ? toned(tones, strength) : identity;
  return { grain, vignette, transform: chain(first, saturated(saturation), levels(recipe), tone) };
}

/** Lamps stay bright and warm at night. */
const keepLamps = (grade: ColorGrade): ColorGrade => ({
  ...grade,
  transform(color) {
    const [red, green, blue] = color;
    const bright = clamp((luminance(color) - 0.55) / 0.2);
    const share = 0.75 * bright * clamp((red - blue - 50) / 80);
    return mix(grade.transform(color), [red, green * 0.9, blue * 0.8], share);
  },
});

const rustLeaves: ColorTransform = (color) => {
  const [red, green, blue] = color;
  const share = clamp((green - Math.max(blue, red * 0.86)) / 50);
  const level = Math.max(red, green);
  return mix(color, [level * 1.32, level * 0.72, level * 0.3], share);
};

type GradeName = keyof typeof grades;

const grades = {
  night: keepLamps(
    createGrade({
      saturation: 0.62,
      gamma: 1.25,
      contrast: 0.25,
      to: 0.82,
      tones: '02040c 0a1a3a 1d426f 4a7fb5 c4dcf5',
      strength: 0.68,
      vignette: 0.7,
      grain: 0.22,
    }),
  ),
  dusk: createGrade({
    saturation: 1.12,
    gamma: 1.12,
    contrast: 0.35,
    vignette: 0.45,
    tones: '180c2c 4a1f4f b0484e f79350 ffe9bd',
  }),
  dawn: createGrade({
    saturation: 0.9,
    gamma: 0.92,
    contrast: 0.12,
    from: 0.03,
    vignette: 0.2,
    tones: '2a2450 6f5a8c d08f95 fdd0a0 fff6e2',
    strength: 0.42,
  }),
  neon: createGrade({
    saturation: 1.25,
    gamma: 1.2,
    contrast: 0.65,
    vignette: 0.55,
    tones: '05010f 23105e 8a1fa0 f0388f 38d6f0 eafcff',
    strength: 0.62,
  }),
  grey: createGrade({ saturation: 0, gamma: 1.12, contrast: 0.75, grain: 0.55, vignette: 0.65 }),
  sepia: createGrade({
    saturation: 0,
    contrast: 0.2,
    from: 0.06,
    to: 0.95,
    grain: 0.6,
    vignette: 0.65,
    tones: '1f130a 6b4a28 a67d4a dcbb86 fbf0d6',
    strength: 0.92,
  }),
  winter: createGrade({
    saturation: 0.5,
    gamma: 0.85,
    contrast: 0.2,
    from: 0.04,
    vignette: 0.25,
    tones: '16263c 5b7a9c c3d8ea ffffff',
    strength: 0.55,
  }),
  autumn: createGrade(
    { saturation: 1.1, contrast: 0.25, tones: '1c0f0a 8a5a34 e8b87c fff2d8', strength: 0.22 },
    rustLeaves,
  ),
  storm: createGrade({
    saturation: 0.45,
    gamma: 1.25,
    contrast: 0.4,
    to: 0.85,
    vignette: 0.65,
    grain: 0.25,
    tones: '080f14 34453f a0b0ae e6eee6',
    strength: 0.45,
  }),
  vivid: createGrade({ saturation: 1.5, gamma: 0.92, contrast: 0.4, grain: 0, vignette: 0.15 }),
  pastel: createGrade({ saturation: 1.05, gamma: 0.75, from: 0.1, grain: 0, vignette: 0.05 }),
  pencil: createGrade({
    saturation: 0,
    gamma: 4.2,
    contrast: 0.3,
    grain: 0,
    vignette: 0.04,
    tones: '1f1e24 77747a f3eee3',
    strength: 1,
  }),
} as const satisfies Record<string, ColorGrade>;

/** The first match wins. Patterns are word stems, matched against the normalized prompt. */
const styleWords: readonly (readonly [RegExp, StyleName])[] = [
  [/watercolo|aquarel|acuarela|acquerello|акварел|水彩|수채/, 'watercolor'],
  [/sketch|pencil|charcoal|line art|line drawing|hand[- ]drawn|graphite|etching/, 'sketch'],
  [
    /bleistift|zeichnung|croquis|dessin au|boceto|a lapiz|карандаш|набросок|эскиз|素描|スケッチ/,
    'sketch',
  ],
  [/pixel|8[- ]?bit|16[- ]?bit|minecraft|voxel|retro game|пиксел|像素|ドット絵/, 'pixels'],
  [/comic|cartoon|anime|manga|cel[- ]shad|pop art|ghibli|graphic novel|animated/, 'comic'],
  [
    /zeichentrick|dessin anime|dibujos animados|мультф|мультик|комикс|аниме|动漫|漫画|アニメ/,
    'comic',
  ],
  [/\boil\b|paint|impressionis|van gogh|monet|brush ?stroke|gouache|acrylic|gemald/, 'oil'],
  [/peinture|pintura|pittura|живопис|маслом|油画|油絵|유화/, 'oil'],
];

const styleGrades: Record<StyleName, GradeName> = {
  watercolor: 'pastel',
  sketch: 'pencil',
  pixels: 'vivid',
  comic: 'vivid',
  oil: 'vivid',
};

export function treatmentOf(brief: PromptBrief, palette: Palette): Treatment {
  const style = styleWords.find(([pattern]) => brief.mentions(pattern))?.[1] ?? null;
  const { weather } = brief;
  return {
    style,
    grade: gradeOf(brief, palette, style),
    weather:
      weather === 'storm' ? 'rain' : weather === 'clouds' || weather === 'clear' ? null : weather,
  };
}

/** By what the prompt names: a look, a time of day, a season, weather, a color or a style. */
function gradeOf(
  brief: PromptBrief,
  palette: Palette,
  style: StyleName | null,
): Treatment['grade'] {
  const { look, time, weather } = brief;
  if (look && !style) return look;
  if (time === 'night' || time === 'dusk' || time === 'dawn') return time;
  if (weather === 'snow' || brief.shows('winter')) return 'winter';
  if (weather === 'storm' || weather === 'rain' || weather === 'clouds') return 'storm';
  if (brief.shows('autumn')) return 'autumn';
  // Named colors have tinted the palette.
  if (brief.colors.length > 0) return ofPalette(palette);
  if (style) return styleGrades[style];
  return time === 'day' ? 'vivid' : null;
}

function ofPalette({ shade, middle, low, horizon, light }: Palette): ColorGrade {
  const tones = [shade, middle, low, horizon, light].map(hexOf).join(' ');
  return createGrade({ saturation: 0.95, gamma: 1.05, contrast: 0.35, tones, vignette: 0.45 });
}

const hexOf = (color: Color): string =>
  color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('');

/** Mean luminance of a frame at night, and of one by day. */
const luminances = { from: 0.28, to: 0.44 } as const;

/** The grade for frames that start with this one: night is not applied to a night again. */
export function gradeFor(
  { grade }: Treatment,
  firstFrame: Uint8Array | Uint8ClampedArray,
): ColorGrade | null {
  if (grade !== 'night') return typeof grade === 'string' ? grades[grade] : grade;
  const share = smooth(meanLuminance(firstFrame), luminances);
  if (share === 0) return null;
  const { transform, grain, vignette } = grades.night;
  return {
    grain: grain * share,
    vignette: vignette * share,
    transform: (color) => mix(color, transform(color), share),
  };
}

/** Of some pixels, which is enough to tell night from day. */
function meanLuminance(rgba: Uint8Array | Uint8ClampedArray): number {
  let [sum, count] = [0, 0];
  for (let at = 0; at < rgba.length; at += 4 * 31) {
    sum += luminance([rgba[at]!, rgba[at + 1]!, rgba[at + 2]!]);
    count += 1;
  }
  return sum / Math.max(1, count);
}
