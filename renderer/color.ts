/**
 * Colors and the palette of a clip. Tones are changed in OKLCH (lightness, richness, hue as seen by
 * the eye), so that tinted colors stay clean.
 */
import { clamp } from './motion.ts';
import type { TimeOfDay } from './vocabulary/meaning.ts';

export type Color = readonly [red: number, green: number, blue: number];

export const white: Color = [255, 255, 255];

export type Palette = {
  readonly name: string;
  readonly time: TimeOfDay;
  readonly high: Color;
  readonly middle: Color;
  readonly low: Color;
  readonly horizon: Color;
  /** Sun, moon, sparks, and the line above the caption. */
  readonly light: Color;
  readonly shade: Color;
  readonly night: boolean;
};

export const mix = (from: Color, to: Color, share: number): Color => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

export const css = (color: Color, alpha = 1): string =>
  `rgba(${Math.round(color[0])},${Math.round(color[1])},${Math.round(color[2])},${alpha})`;

export function colorOf(hex: string): Color {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Parses colors separated by spaces. */
export const colorsOf = (hexes: string): [Color, ...Color[]] =>
  hexes.split(' ').map(colorOf) as [Color, ...Color[]];

export const lighten = (color: Color, light: Color, share: number): Color => [
  Math.min(255, color[0] + light[0] * share),
  Math.min(255, color[1] + light[1] * share),
  Math.min(255, color[2] + light[2] * share),
];

export function along(
  stops: readonly (readonly [at: number, color: Color])[],
  place: number,
): Color {
  const next = stops.findIndex(([at]) => at >= place);
  if (next === -1) return stops.at(-1)![1];
  if (next === 0) return stops[0]![1];
  const [from, fromColor] = stops[next - 1]!;
  const [to, toColor] = stops[next]!;
  return mix(fromColor, toColor, (place - from) / (to - from));
}

/** The colors at 256 even steps between stops. */
export const colorTable = (stops: readonly (readonly [at: number, color: Color])[]) =>
  Array.from({ length: 256 }, (_, index) => along(stops, index / 255));

/** The color as an opaque little-endian RGBA pixel. */
export const pixelOf = (color: Color): number =>
  ((255 << 24) |
    (Math.round(color[2]) << 16) |
    (Math.round(color[1]) << 8) |
    Math.round(color[0])) >>>
  0;

/** Lightness from 0 to 1, richness from 0 to about 0.3, hue in degrees. */
export type Tone = { readonly light: number; readonly rich: number; readonly hue: number };

const degrees = 180 / Math.PI;

export function toneOf(color: Color): Tone {
  const [red, green, blue] = color.map(linear) as [number, number, number];
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return {
    light: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    rich: Math.hypot(a, b),
    hue: Math.atan2(b, a) * degrees,
  };
}

/** A tone that a screen cannot show loses richness and keeps lightness and hue. */
export function colorFrom({ light, rich, hue }: Tone): Color {
  let shown = screen(light, rich, hue);
  if (!isShown(shown)) {
    let [least, most] = [0, rich];
    for (let step = 0; step < 10; step += 1) {
      const middle = (least + most) / 2;
      if (isShown(screen(light, middle, hue))) least = middle;
      else most = middle;
    }
    shown = screen(light, least, hue);
  }
  const [red, green, blue] = shown;
  return [clamp(red, 0, 255), clamp(green, 0, 255), clamp(blue, 0, 255)];
}

const isShown = (color: Color): boolean => color.every((part) => part > -0.5 && part < 255.5);

function screen(light: number, rich: number, hue: number): Color {
  const a = rich * Math.cos(hue / degrees);
  const b = rich * Math.sin(hue / degrees);
  const long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encoded(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    encoded(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    encoded(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

const linear = (part: number): number =>
  part <= 10.31475 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
const encoded = (part: number): number =>
  255 * (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055);
