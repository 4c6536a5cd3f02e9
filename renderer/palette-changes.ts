/** How weather, mood, a style and named colors change the tones of a palette. */
import type { Tone } from './color.ts';
import type { PromptBrief } from './prompt-brief.ts';
import type { ColorStyle, ColorWord, Weather } from './vocabulary/meaning.ts';

export type Stop = 'high' | 'middle' | 'low' | 'horizon' | 'light' | 'shade';
type Change = (tone: Tone, stop: Stop) => Tone;

export function changesFor(brief: PromptBrief): readonly Change[] {
  const changes: Change[] = [];
  if (brief.weather && brief.scene !== 'snow') {
    const change = weathers[brief.weather];
    if (change) changes.push(change);
  }
  changes.push(...tints(brief));
  if (brief.mood === 'dark') changes.push((tone) => ({ ...tone, light: tone.light * 0.9 }));
  if (brief.mood === 'joyful') changes.push((tone) => ({ ...tone, rich: tone.rich * 1.12 }));
  const look = brief.look && looks[brief.look];
  if (look) changes.push(look);
  return changes;
}

/** Clouds and fog make colors less rich; a storm also makes them darker. */
const weathers: Partial<Record<Weather, Change>> = {
  clouds: (tone) => ({ ...tone, rich: tone.rich * 0.82 }),
  fog: (tone, stop) => ({
    ...tone,
    rich: tone.rich * 0.62,
    light: stop === 'shade' ? tone.light + 0.05 : Math.max(tone.light, tone.light * 0.78 + 0.17),
  }),
  rain: (tone, stop) => ({
    ...towards(tone, { hue: 248, rich: 0.045, share: stop === 'light' ? 0.2 : 0.55 }),
    light: tone.light * (stop === 'shade' || stop === 'light' ? 1 : 0.86),
  }),
  storm: (tone, stop) => ({
    ...towards(tone, { hue: 252, rich: 0.045, share: stormShares[stop] }),
    light: tone.light * stormLights[stop],
  }),
  snow: (tone, stop) => ({
    ...tone,
    rich: tone.rich * 0.66,
    light: stop === 'shade' ? tone.light + 0.04 : tone.light * 0.94 + 0.05,
  }),
};
/** A storm is dark above and leaves a band of light at the horizon. */
const stormShares = { high: 0.8, middle: 0.8, low: 0.6, horizon: 0.4, light: 0.3, shade: 0.7 };
const stormLights = { high: 0.66, middle: 0.62, low: 0.7, horizon: 0.86, light: 0.97, shade: 1 };

const looks: Partial<Record<ColorStyle, Change>> = {
  grey: (tone) => ({ ...tone, rich: 0 }),
  pastel: (tone, stop) => ({
    ...tone,
    rich: tone.rich * 0.72,
    light: Math.max(tone.light, tone.light + (0.86 - tone.light) * (stop === 'shade' ? 0.25 : 0.5)),
  }),
  vivid: (tone) => ({ ...tone, rich: tone.rich * 1.3 }),
  sepia: (tone) => ({ ...tone, hue: 75, rich: 0.05 * arch(tone.light) + 0.01 }),
};

/** Hue, and the richness at its best lightness. */
const hues: Record<ColorWord, readonly [hue: number, rich: number]> = {
  red: [26, 0.2],
  pink: [355, 0.16],
  orange: [52, 0.17],
  gold: [74, 0.14],
  yellow: [98, 0.15],
  green: [145, 0.14],
  emerald: [162, 0.13],
  teal: [200, 0.11],
  blue: [256, 0.16],
  indigo: [276, 0.17],
  violet: [306, 0.18],
  brown: [58, 0.07],
};

/** Of two colors, the first tints the sky and the second the light. */
function tints(brief: PromptBrief): readonly Change[] {
  const [first, second] = brief.colors;
  if (!first) return brief.shows('autumn') ? [tint('orange', 0.25)] : [];
  if (!second) return [tint(first.color, first.strength)];
  const above: readonly Stop[] = ['high', 'middle', 'shade'];
  const [sky, light] = [tint(first.color, first.strength), tint(second.color, second.strength)];
  return [(tone, stop) => (above.includes(stop) ? sky(tone, stop) : light(tone, stop))];
}

function tint(color: ColorWord, strength: number): Change {
  const [hue, richest] = hues[color];
  // A full tint of gold turns a sky brown.
  const most = color === 'gold' ? strength * 0.55 : strength;
  return (tone, stop) =>
    towards(tone, { hue, rich: richest * arch(tone.light), share: most * tintShares[stop] });
}
/** The light and the horizon take less of a tint: one color alone looks flat. */
const tintShares = { high: 1, middle: 1, low: 0.9, horizon: 0.6, light: 0.3, shade: 1 };

/** Moves a tone straight towards another hue, without passing through the hues between. */
function towards(
  tone: Tone,
  { hue, rich, share }: { readonly hue: number; readonly rich: number; readonly share: number },
): Tone {
  const part = (turn: (angle: number) => number): number => {
    const from = tone.rich * turn((tone.hue * Math.PI) / 180);
    return from + (rich * turn((hue * Math.PI) / 180) - from) * share;
  };
  const [a, b] = [part(Math.cos), part(Math.sin)];
  // A mixture of two hues is duller than either, so part of the richness is restored.
  const wanted = tone.rich + (rich - tone.rich) * share;
  const lost = Math.hypot(a, b);
  return {
    light: tone.light,
    rich: lost + (wanted - lost) * 0.6,
    hue: (Math.atan2(b, a) * 180) / Math.PI,
  };
}

/** Very light and very dark colors allow little richness. */
const arch = (light: number): number => Math.max(0, 1 - (Math.abs(light - 0.58) / 0.52) ** 2.4);
