/**
 * The palette of a clip: chosen by place and time of day, changed by weather and mood, and tinted
 * by the colors that the prompt names.
 */
import { type Color, colorFrom, colorOf, type Palette, type Tone, toneOf } from './color.ts';
import type { PromptBrief } from './prompt-brief.ts';
import { oneOf, type Random } from './random.ts';
import type { ColorStyle, ColorWord, SceneKind, TimeOfDay, Weather } from './vocabulary/meaning.ts';

const stops: readonly Stop[] = ['high', 'middle', 'low', 'horizon', 'light', 'shade'];

/** Six colors: the sky from top to horizon, the light, and the foreground. */
type Choice = readonly [name: string, colors: string];
type Choices = readonly [Choice, ...Choice[]];

const open: Record<TimeOfDay, Choices> = {
  dawn: [
    ['sunrise', '16265a 7d4f93 ef8f73 ffd29a fff3d6 120f2b'],
    ['pearl', '3a5c9c 8d9bcd f0b4ae ffe2c2 fff6e6 1b2240'],
  ],
  day: [
    ['day', '1f6fc0 5aaee6 a9d8ee dfeee8 fffdf2 12303f'],
    ['summer', '135fb6 459be2 9ad2f3 e4f2ee fffef6 0e3644'],
  ],
  dusk: [
    ['sunset', '1a1446 7a2a6b f0644f ffb65c ffe9b8 140b22'],
    ['afterglow', '131f4c 4a397d d65f79 ffa578 ffe0bd 100c20'],
    ['amber', '27345f 8d5f7c f0985a ffd283 fff1c9 1a1220'],
  ],
  night: [
    ['night', '03061a 0b1c46 1d4a82 6ea3cf f0f5ff 020410'],
    ['indigo', '06071f 151850 38408f 8f92d2 f3f0ff 03030e'],
  ],
};

const neon: Choice = ['neon', '070316 2b0f63 a31f8f ff5fa2 ffe0f4 04010d'];
const fire: Choice = ['fire', '120407 4a0d10 c23b14 ff9d2e fff0b0 080203'];
const forest: Choice = ['forest', '04211f 0d4a45 3d9277 c9efc0 f6ffe0 02110f'];
const deep: Choice = ['deep', '02121f 04395e 0f7fa0 7fe0dc eaffff 010910'];
const nebula: Choice = ['nebula', '05030f 1c0f3e 6b1f6e e0605a ffe6d0 020108'];

const own: Partial<Record<SceneKind, Partial<Record<TimeOfDay, Choices>>>> = {
  city: {
    night: [neon, ['city lights', '060a1c 12214a 3b4a8a d98a70 ffe6c0 03050f'], open.night[0]],
  },
  space: {
    night: [nebula, open.night[0], ['blue giant', '02040f 0a1a44 1f5a9a 7fd0e0 f2ffff 010208']],
  },
  forest: {
    dawn: [['forest dawn', '10302d 40604c b89c64 ffe3a8 fff6d8 06140f']],
    day: [forest],
    dusk: [['forest dusk', '1b1a24 503532 c9703c ffbf6e fff0c8 0c0a0c']],
    night: [['forest night', '02100f 06282c 12505a 6fb0b0 eefff6 010807']],
  },
  snow: {
    dawn: [['winter dawn', '47609c a39bc9 f0c1c4 ffe8d8 fff8ee 283350']],
    day: [['winter day', '3c7ab9 82b2dc c0daee eef5fa ffffff 23405d']],
    dusk: [['winter dusk', '252f60 7a69a1 dd97a0 ffd0b0 fff0dc 192041']],
    night: [['winter night', '040a22 0f2350 2a4d86 88aed8 f6faff 060d20']],
  },
  desert: {
    dawn: [['desert dawn', '3a4b88 ab7d95 f4ae8a ffdaae fff3dc 2c1620']],
    day: [['desert day', '2672bd 74b4e0 c9d6cc f3e0b4 fffbe6 4a2413']],
    dusk: [['desert dusk', '2a1b50 973e5e f0763f ffbe61 fff0c4 290f15']],
    night: [['desert night', '040a20 0e2048 2b3e78 7c8cb8 f4f4ff 0a0a18']],
  },
  fire: { dawn: [fire], day: [fire], dusk: [fire], night: [fire] },
  flowers: {
    dawn: [['garden dawn', '5569ae c094c0 ffb5a8 ffe1c0 fff6e0 22301e']],
    day: [['garden day', '3a8ccf 86c5e8 c9e7de f8f3d4 fffbe8 1a3a20']],
    dusk: [['garden dusk', '38296a a94e80 ff8c6b ffcd86 fff0c4 1a1a1a']],
  },
  flow: {
    dawn: [open.dawn[0]],
    dusk: [open.dusk[0]],
    day: [deep, forest],
    night: [open.night[0], neon],
  },
};

type Times = readonly [TimeOfDay, ...TimeOfDay[]];
/** Times of day for prompts that name none, by place. */
const usual: Record<SceneKind, Times> = {
  sea: ['dawn', 'dusk', 'dusk', 'day', 'night'],
  mountains: ['dawn', 'dusk', 'day', 'dawn'],
  city: ['night'],
  space: ['night'],
  forest: ['day', 'day', 'dawn'],
  snow: ['day', 'dusk', 'night', 'dawn'],
  desert: ['dusk', 'day', 'dawn'],
  fire: ['night'],
  flowers: ['day', 'dawn', 'dusk'],
  flow: ['dawn', 'dusk', 'night', 'night', 'day', 'day'],
};

export function paletteFor(brief: PromptBrief, random: Random): Palette {
  const anyTime = oneOf(random, usual[brief.scene]);
  // Space has no day, and fire needs a dark background.
  const isDark = brief.scene === 'space' || brief.scene === 'fire';
  // Gold and storms suit low light, except in a city, which is drawn at night.
  const isLow = brief.weather === 'storm' || brief.colors[0]?.color === 'gold';
  const usualTime = isLow && brief.scene !== 'city' ? 'dusk' : anyTime;
  const time = isDark ? 'night' : (brief.time ?? usualTime);
  const choices = own[brief.scene]?.[time] ?? open[time];
  const chosen = oneOf(random, choices);
  const isNeon = brief.look === 'neon' && time !== 'day' && !isDark;
  const [name, colors] = isNeon ? neon : chosen;
  const parts = colors.split(' ').map(colorOf);
  const changes = changesFor(brief);
  const color = (stop: Stop): Color => {
    const start = parts[stops.indexOf(stop)]!;
    const tone = changes.reduce((now, change) => change(now, stop), toneOf(start));
    return changes.length === 0 ? start : colorFrom(tone);
  };
  return {
    name,
    time,
    high: color('high'),
    middle: color('middle'),
    low: color('low'),
    horizon: color('horizon'),
    light: color('light'),
    shade: color('shade'),
    night: time === 'night',
  };
}

type Stop = 'high' | 'middle' | 'low' | 'horizon' | 'light' | 'shade';
type Change = (tone: Tone, stop: Stop) => Tone;

function changesFor(brief: PromptBrief): readonly Change[] {
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
