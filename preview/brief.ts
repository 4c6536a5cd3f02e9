/**
 * What the words of a prompt ask for, read once: the place, the time of day, the weather, the mood
 * and how the camera moves. Nothing of a prompt is ever run or fetched; it is only looked at.
 */
import type { CameraMove } from './camera.ts';
import type { Ambience, Mood } from './sound/sound.ts';

export type SceneKind =
  | 'sea'
  | 'mountains'
  | 'city'
  | 'space'
  | 'forest'
  | 'rain'
  | 'snow'
  | 'desert'
  | 'fire'
  | 'flowers'
  | 'flow';
export type TimeOfDay = 'dawn' | 'day' | 'dusk' | 'night';
export type Weather = 'clear' | 'clouds' | 'fog' | 'rain' | 'storm' | 'snow';

export type Brief = {
  readonly scene: SceneKind;
  /** Null where the words do not tell: the scene or the seed decides. */
  readonly time: TimeOfDay | null;
  readonly weather: Weather | null;
  readonly mood: Mood;
  readonly camera: CameraMove;
  /** How lively things move, as the camera's pace. */
  readonly pace: number;
  readonly ambience: readonly Ambience[];
  /** The prompt in small letters, for a scene that looks for a thing of its own. */
  readonly words: string;
  mentions(pattern: RegExp): boolean;
};

const sceneWords: Record<Exclude<SceneKind, 'flow'>, RegExp> = {
  sea: /\b(sea|ocean|coast|lighthouse|beach|lake|river|wave|boat|ship|harbo|island|whale|sail)/g,
  mountains: /\b(mountain|hill|valley|field|landscape|horizon|ridge|peak|alps|cliff|canyon)/g,
  city: /\b(city|street|skyline|tower|building|town|neon|tokyo|york|metropolis|rooftop|traffic)/g,
  space: /\b(space|planet|galax|star|astronaut|cosmos|cosmic|nebula|moon|orbit|universe|comet)/g,
  forest: /\b(forest|tree|wood|jungle|pine|grove|fox|deer|moss|fern|leaf|leaves)/g,
  rain: /\b(rain|drizzle|downpour|umbrella|puddle|window)/g,
  snow: /\b(snow|winter|blizzard|frost|ice|icy|christmas)/g,
  desert: /\b(desert|dune|sand|sahara|camel|oasis|cactus)/g,
  fire: /\b(fire|flame|ember|lava|volcan|campfire|candle|burn|spark)/g,
  flowers: /\b(flower|blossom|petal|garden|rose|tulip|meadow|bloom|butterfl|spring)/g,
};

const times: readonly (readonly [RegExp, TimeOfDay])[] = [
  [/\b(sunrise|dawn|morning|daybreak)/, 'dawn'],
  [/\b(sunset|dusk|golden hour|evening|twilight)/, 'dusk'],
  [/\b(night|midnight|moonlit|moonlight|starry|stars)/, 'night'],
  [/\b(noon|midday|daylight|sunny|day)\b/, 'day'],
];
const weathers: readonly (readonly [RegExp, Weather])[] = [
  [/\b(storm|thunder|lightning)/, 'storm'],
  [/\b(rain|drizzle|downpour)/, 'rain'],
  [/\b(snow|blizzard)/, 'snow'],
  [/\b(fog|mist|haze|hazy)/, 'fog'],
  [/\b(cloud|overcast)/, 'clouds'],
  [/\b(clear|cloudless)/, 'clear'],
];
const moods: readonly (readonly [RegExp, Mood])[] = [
  [/\b(epic|grand|majestic|heroic|dramatic|battle)/, 'epic'],
  [/\b(dark|ominous|gloom|horror|scary|haunt)/, 'dark'],
  [/\b(tense|chase|danger|urgent|race)/, 'tense'],
  [/\b(happy|joy|fun|party|dance|playful|cheer|bright)/, 'joyful'],
  [/\b(dream|surreal|magic|memory|float|ethereal|fantasy)/, 'dreamy'],
];
const moves: readonly (readonly [RegExp, Pick<CameraMove, 'kind' | 'direction'>])[] = [
  [/\b(zoom(s|ing)? out|pull(s|ing)? back)/, { kind: 'zoom', direction: -1 }],
  [/\bzoom/, { kind: 'zoom', direction: 1 }],
  [/\bdoll(y|ies|ying) (out|back)/, { kind: 'dolly', direction: -1 }],
  [/\b(dolly|dollies|push(es|ing)? in|fly|flying|drone)/, { kind: 'dolly', direction: 1 }],
  [/\b(orbit|arc shot|circl)/, { kind: 'orbit', direction: 1 }],
  [/\bpan(s|ning)? (to the )?left/, { kind: 'pan', direction: -1 }],
  [/\b(pan|pans|panning|tracking)\b/, { kind: 'pan', direction: 1 }],
  [/\btilt(s|ing)? down/, { kind: 'tilt', direction: -1 }],
  [/\b(tilt|crane)/, { kind: 'tilt', direction: 1 }],
  [/\b(static|still camera|locked)/, { kind: 'still', direction: 1 }],
];
const ambiences: Record<SceneKind, readonly Ambience[]> = {
  sea: ['sea'],
  mountains: ['wind'],
  city: ['city'],
  space: ['hum'],
  forest: ['birds', 'wind'],
  rain: ['rain'],
  snow: ['wind'],
  desert: ['wind'],
  fire: ['fire'],
  flowers: ['birds'],
  flow: [],
};

export function readBrief(prompt: string): Brief {
  const words = prompt.toLowerCase();
  const scene = sceneOf(words);
  const pick = <Value>(rows: readonly (readonly [RegExp, Value])[]): Value | null =>
    rows.find(([pattern]) => pattern.test(words))?.[1] ?? null;
  const pace = /\b(fast|quick|rapid|rush)/.test(words) ? 1.8 : /\bslow/.test(words) ? 0.6 : 1;
  const weather = pick(weathers);
  const wet: readonly Ambience[] =
    weather === 'storm' ? ['rain', 'thunder'] : weather === 'rain' ? ['rain'] : [];
  return {
    ...{ scene, weather, words, pace },
    time: pick(times),
    mood: pick(moods) ?? 'calm',
    camera: { ...(pick(moves) ?? { kind: 'drift', direction: 1 }), pace },
    ambience: [...new Set([...ambiences[scene], ...wet])],
    mentions: (pattern) => pattern.test(words),
  };
}

/** The place with most words; of two with as many, the one named first. */
function sceneOf(words: string): SceneKind {
  let best: { kind: SceneKind; count: number; at: number } = { kind: 'flow', count: 0, at: 0 };
  for (const [kind, pattern] of Object.entries(sceneWords)) {
    const found = [...words.matchAll(pattern)];
    const at = found[0]?.index ?? 0;
    const isBetter = found.length > best.count || (found.length === best.count && at < best.at);
    if (found.length > 0 && isBetter) best = { kind: kind as SceneKind, count: found.length, at };
  }
  return best.kind;
}
