/** Colours, and the palettes a prompt's words choose between. */
import type { Brief } from './brief.ts';
import { oneOf, type Random } from './random.ts';

export type Colour = readonly [red: number, green: number, blue: number];

export const white: Colour = [255, 255, 255];

export const mix = (from: Colour, to: Colour, share: number): Colour => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

export const css = (colour: Colour, alpha = 1): string =>
  `rgba(${Math.round(colour[0])},${Math.round(colour[1])},${Math.round(colour[2])},${alpha})`;

/** The colour at a place, from 0 to 1, of evenly or unevenly spaced stops. */
export function along(
  stops: readonly (readonly [at: number, colour: Colour])[],
  place: number,
): Colour {
  const next = stops.findIndex(([at]) => at >= place);
  if (next === -1) return stops.at(-1)![1];
  if (next === 0) return stops[0]![1];
  const [from, fromColour] = stops[next - 1]!;
  const [to, toColour] = stops[next]!;
  return mix(fromColour, toColour, (place - from) / (to - from));
}

export type Palette = {
  readonly name: string;
  /** From the top of the sky to the horizon. */
  readonly high: Colour;
  readonly middle: Colour;
  readonly low: Colour;
  readonly horizon: Colour;
  /** Sun, moon, sparks, and the stroke above the caption. */
  readonly light: Colour;
  /** What is nearest to the eye. */
  readonly shade: Colour;
  readonly night: boolean;
};

function palette(name: string, colours: string, options = { night: false }): Palette {
  const parts = colours.split(' ').map((hex): Colour => {
    const value = Number.parseInt(hex, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  });
  const [high, middle, low, horizon, light, shade] = parts as [
    Colour,
    Colour,
    Colour,
    Colour,
    Colour,
    Colour,
  ];
  return { name, high, middle, low, horizon, light, shade, night: options.night };
}

const sunrise = palette('sunrise', '16265a 7d4f93 ef8f73 ffd29a fff3d6 120f2b');
const sunset = palette('sunset', '1a1446 7a2a6b f0644f ffb65c ffe9b8 140b22');
const night = palette('night', '03061a 0b1c46 1d4a82 6ea3cf f0f5ff 020410', { night: true });
const neon = palette('neon', '070316 2b0f63 a31f8f ff5fa2 ffe0f4 04010d', { night: true });
const day = palette('day', '1f6fc0 5aaee6 a9d8ee dfeee8 fffdf2 12303f');
const forest = palette('forest', '04211f 0d4a45 3d9277 c9efc0 f6ffe0 02110f');
const snow = palette('snow', '4f739f 8fb0cf cbdcea f3f6fa ffffff 25364c');
const desert = palette('desert', '3a5f96 c98f76 f2b97d ffe3b0 fff7dd 3a1c16');
const fire = palette('fire', '120407 4a0d10 c23b14 ff9d2e fff0b0 080203', { night: true });
const deep = palette('deep', '02121f 04395e 0f7fa0 7fe0dc eaffff 010910', { night: true });

/** The first row with a word the prompt has wins, so the more telling words come first. */
const byWord: readonly (readonly [RegExp, Palette])[] = [
  [/\b(sunrise|dawn|morning)/, sunrise],
  [/\b(sunset|dusk|golden|evening|autumn|fall leaves)/, sunset],
  [/\b(neon|cyber|tokyo|synthwave)/, neon],
  [/\b(night|moon|midnight|star|space|galax)/, night],
  [/\b(snow|winter|ice|icy|arctic|glacier)/, snow],
  [/\b(forest|jungle|aurora|garden|green|spring)/, forest],
  [/\b(desert|dune|sand|canyon)/, desert],
  [/\b(fire|lava|volcan|flame|ember)/, fire],
  [/\b(underwater|reef|deep sea|whale|jellyfish)/, deep],
  [/\b(day|sunny|summer|blue|noon|beach)/, day],
];

export function paletteFor(brief: Brief, random: Random): Palette {
  const anyway = oneOf(random, [sunrise, sunset, night, neon, forest, deep]);
  return byWord.find(([pattern]) => brief.mentions(pattern))?.[1] ?? anyway;
}
