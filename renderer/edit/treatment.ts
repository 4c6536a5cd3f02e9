/**
 * Chooses what an edit does to a video from the prompt: a color grade, a style and particles. A
 * prompt that names none of them still gets a grade from its palette.
 */
import type { Color, Palette } from '../color.ts';
import type { PromptBrief } from '../prompt-brief.ts';
import type { ColorWord } from '../vocabulary/meaning.ts';
import { type ColorGrade, colorGrades, gradeOf } from './color-grades.ts';
import type { ParticleKind } from './particles.ts';
import { type StyleName, styles } from './styles.ts';

export type Treatment = {
  readonly grade: ColorGrade;
  readonly style: StyleName | null;
  readonly particles: ParticleKind | null;
};

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
  [/\boil\b|paint|impressionis|van gogh|monet|brush ?stroke|gouache|acrylic|canvas|gemald/, 'oil'],
  [/peinture|pintura|pittura|картин[аыу]|живопис|маслом|油画|油絵|유화/, 'oil'],
  [/\bvhs\b|camcorder|video ?tape|analog(ue)? video|glitch|found footage/, 'tape'],
];

type GradeName = keyof typeof colorGrades;

/** Named outright; these take precedence over time of day and place. */
const gradeWords: readonly (readonly [RegExp, GradeName])[] = [
  [/cyberpunk|synthwave|vaporwave|blade runner|retrowave|outrun/, 'neon'],
  [/old film|super ?8|\b8 ?mm|16 ?mm|35 ?mm|vintage|retro|kodak|polaroid|7\ds|analog/, 'film'],
  [/horror|haunted|creepy|zombie|apocalyp|ominous|eerie|sinister/, 'storm'],
  [/dream|ethereal|fairy ?tale|magical|enchanted|heavenly|fantasy|surreal/, 'spring'],
  [/autumn|\bfall (colou?rs|leaves|foliage)|herbst|automne|otono|осен|秋/, 'autumn'],
  [/spring(time)?\b|blossom|sakura|fruhling|printemps|primavera|весн|春/, 'spring'],
];
const particleWords: readonly (readonly [RegExp, ParticleKind])[] = [
  [/petal|blossom|sakura|cherry tree|rose leaves/, 'petals'],
  [/autumn|falling leaves|fall leaves|herbst|automne|осен/, 'leaves'],
  [/ember|spark|ash(es)?\b|lava|volcan|on fire|burning/, 'embers'],
  [/confetti|party|celebrat|birthday|new year|bubble|underwater|submerged|deep sea/, 'sparkles'],
  [/firefl|magic|fairy|glitter|sparkl|enchanted|stardust|pixie/, 'sparkles'],
  [/\bdust|dream|memory|ethereal/, 'sparkles'],
];
const hues: Record<ColorWord, readonly [tones: string, light: string]> = {
  red: ['12030a 6a0f1c d63a3a ffd9cc', 'ff5a4a'],
  pink: ['1c0a20 84305f f08ab4 ffeaf2', 'ff9ac8'],
  orange: ['180a06 84380f f09040 fff0d0', 'ffa050'],
  gold: ['140c04 6e4a14 e0b050 fff6d8', 'ffd070'],
  yellow: ['141004 7a640c f0d040 fffbd8', 'fff080'],
  green: ['03120a 155a2c 70c870 f0ffe0', 'a0ffa0'],
  emerald: ['02140f 06604c 48c8a0 e4fff2', '70ffd0'],
  teal: ['02141a 0a5a68 4cc0c8 e6fdff', '70f0ff'],
  blue: ['040a1c 123a84 5a9af0 eaf4ff', '80b8ff'],
  indigo: ['080620 2a2484 7a74ec eceaff', '9088ff'],
  violet: ['10061c 4e2084 a870e8 f6eaff', 'c088ff'],
  brown: ['120a06 553420 b08860 f4e6d0', 'e0b080'],
};

export function treatmentOf(brief: PromptBrief, palette: Palette): Treatment {
  const find = <Value>(rows: readonly (readonly [RegExp, Value])[]): Value | null =>
    rows.find(([pattern]) => brief.mentions(pattern))?.[1] ?? null;
  const style = find(styleWords);
  const name = find(gradeWords);
  const grade =
    (name && colorGrades[name]) ?? ofBrief(brief) ?? ofStyle(style) ?? ofPalette(palette);
  return {
    style,
    grade: style && styles[style].isFlat ? flat(grade) : grade,
    particles: find(particleWords) ?? particlesOf(brief),
  };
}

/** By what the prompt means: a film look, time of day, weather, color, place or mood. */
function ofBrief(brief: PromptBrief): ColorGrade | null {
  const { look, time, weather, colors, mood, scene } = brief;
  if (look === 'grey') return colorGrades.noir;
  if (look) return colorGrades[look];
  if (time === 'night' || time === 'dusk' || time === 'dawn') return colorGrades[time];
  if (weather === 'snow') return colorGrades.winter;
  if (weather === 'storm' || weather === 'rain' || weather === 'clouds') return colorGrades.storm;
  if (weather === 'fog') return colorGrades.pastel;
  const places: Partial<Record<string, ColorWord>> = {
    ...{ desert: 'gold', forest: 'green', space: 'indigo' },
  };
  const underwater = brief.mentions(/underwater|submerged|deep sea|ocean floor/) ? 'teal' : null;
  const matrix = brief.mentions(/\bmatrix\b|hacker|green code/) ? 'green' : null;
  const hue = colors[0]?.color ?? underwater ?? matrix ?? places[scene];
  if (hue) return gradeOf(...hues[hue]);
  if (time === 'day') return colorGrades.vivid;
  if (scene === 'fire') return colorGrades.fire;
  if (scene === 'snow') return colorGrades.winter;
  if (scene === 'flowers') return colorGrades.spring;
  if (mood === 'dark' || mood === 'tense') return colorGrades.storm;
  if (mood === 'epic' || brief.mentions(/cinema|film|movie|hollywood|blockbuster|trailer/)) {
    return colorGrades.cinema;
  }
  return mood === 'dreamy' ? colorGrades.spring : null;
}

function ofStyle(style: StyleName | null): ColorGrade | null {
  if (style === 'watercolor') return colorGrades.pastel;
  if (style === 'sketch') return colorGrades.pencil;
  if (style === 'tape') return colorGrades.film;
  return style && colorGrades.vivid;
}

function ofPalette({ shade, middle, low, horizon, light }: Palette): ColorGrade {
  const hexes = [shade, middle, low, horizon, light].map(hexOf);
  return gradeOf(hexes.join(' '), hexes.at(-2)!);
}

const hexOf = (color: Color): string =>
  color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('');

/** For drawn styles: without film grain and lens effects. */
const flat = (grade: ColorGrade): ColorGrade => ({
  ...grade,
  grain: 0,
  bloom: 0,
  vignette: grade.vignette * 0.5,
  light: null,
});

function particlesOf({ weather, scene }: PromptBrief): ParticleKind | null {
  if (weather === 'snow') return 'snow';
  if (weather === 'rain' || weather === 'storm') return 'rain';
  if (weather === 'fog') return 'fog';
  if (scene === 'fire') return 'embers';
  return scene === 'flowers' ? 'petals' : null;
}
