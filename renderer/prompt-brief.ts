/**
 * Reads a prompt: place, time of day, weather, mood, colors, objects and camera. A prompt is never
 * run or fetched; its words are looked up in tables.
 */
import type { CameraMove } from './camera.ts';
import { spokenMove } from './camera-words.ts';
import type { Ambience } from './sound/sound.ts';
import { subjectOf } from './subject.ts';
import otherWords from './vocabulary/languages.json' with { type: 'json' };
import {
  type FoundMeaning,
  fold,
  lexiconOf,
  meaningsOf,
  type WordRow,
  wordsOf,
} from './vocabulary/lexicon.ts';
import {
  type CameraWord,
  type ColorStyle,
  type ColorWord,
  englishWords,
  type Figure,
  type Meaning,
  type Mood,
  type PaceWord,
  type SceneKind,
  type Thing,
  type TimeOfDay,
  type Weather,
} from './vocabulary/meaning.ts';

export type PromptBrief = {
  readonly scene: SceneKind;
  /** Null when the prompt does not say; then the scene or the seed decides. */
  readonly time: TimeOfDay | null;
  readonly weather: Weather | null;
  readonly mood: Mood;
  readonly camera: CameraMove;
  /** Speed of motion in the scene, on the scale of the camera's pace. */
  readonly pace: number;
  readonly ambience: readonly Ambience[];
  /**
   * In the order they are named. Colors of the scenery are strong, colors of single objects weak.
   */
  readonly colors: readonly { readonly color: ColorWord; readonly strength: number }[];
  readonly look: ColorStyle | null;
  /** Whether an abstract scene is asked for, and not only the last resort. */
  readonly isAbstract: boolean;
  /**
   * Whether the prompt is about something that its scene does not draw, such as a robot in a city.
   * The scene alone would be a wrong picture of it.
   */
  readonly isSubjectMissing: boolean;
  /** The prompt in lower case without accents. */
  readonly words: string;
  mentions(pattern: RegExp): boolean;
  /** The same for objects that are known in several languages. */
  shows(thing: Thing): boolean;
};

const englishRows: readonly WordRow[] = rowsOf(englishWords);
const english = lexiconOf(englishRows);
const lexicon = lexiconOf([...englishRows, ...rowsOf(otherWords)]);
/** A word after one of these is not asked for. */
const negations = new Set(['no', 'not', 'without', 'never', 'sans', 'sin', 'ohne', 'kein', 'без']);

/** A longer prompt without a place is about something else than the light. */
const timeWordsMax = 6;

const moves: Record<CameraWord, Pick<CameraMove, 'kind' | 'direction'>> = {
  'pan-left': { kind: 'pan', direction: -1 },
  'pan-right': { kind: 'pan', direction: 1 },
  'tilt-up': { kind: 'tilt', direction: 1 },
  'tilt-down': { kind: 'tilt', direction: -1 },
  'zoom-in': { kind: 'zoom', direction: 1 },
  'zoom-out': { kind: 'zoom', direction: -1 },
  'dolly-in': { kind: 'dolly', direction: 1 },
  'dolly-out': { kind: 'dolly', direction: -1 },
  orbit: { kind: 'orbit', direction: 1 },
  still: { kind: 'still', direction: 1 },
};
const paces: Record<PaceWord, number> = { slowest: 0.5, slow: 0.6, fast: 1.8 };

/** Pairs of meanings that together add weight to a scene. */
const combinations: readonly (readonly [Meaning, Meaning, SceneKind, number])[] = [
  ['scene:rain', 'thing:window', 'rain', 4],
  // A forest in winter is a snow scene.
  ['scene:snow', 'scene:forest', 'snow', 5],
  ['scene:snow', 'thing:house', 'snow', 3],
  // A lake among mountains belongs to the mountains, not to the sea.
  ['scene:mountains', 'thing:lake', 'mountains', 2],
  ['scene:desert', 'thing:pyramids', 'desert', 2],
  ['scene:forest', 'thing:autumn', 'forest', 1],
  ['scene:sea', 'thing:underwater', 'sea', 2],
  // A paper boat on a wet street, which is no sea.
  ['scene:rain', 'thing:paperboat', 'rain', 4],
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

/** The keys keep their types, so that a misspelled meaning in a table does not compile. */
function rowsOf<Key extends string>(table: Readonly<Record<Key, string>>) {
  return Object.entries(table) as unknown as (readonly [Key, string])[];
}

type Meanings = ReadonlyMap<Meaning, FoundMeaning>;

export function parsePrompt(prompt: string): PromptBrief {
  const words = fold(prompt);
  const list = wordsOf(words);
  const meanings = meaningsOf(lexicon, list, { isNegated: (at) => isNegated(list, at) });
  const scene = sceneOf(meanings, list.length);
  // Northern lights are only visible at night.
  const isAurora = meanings.has('thing:aurora');
  const time = best<TimeOfDay>(meanings, 'time') ?? (isAurora ? 'night' : null);
  const weather = best<Weather>(meanings, 'weather') ?? weatherOf(scene);
  const paceWord = best<PaceWord>(meanings, 'pace');
  const pace = paceWord ? paces[paceWord] : 1;
  const cameraWord = best<CameraWord>(meanings, 'camera');
  const spoken = cameraWord === 'still' ? null : spokenMove(list, (at) => isNegated(list, at));
  const move = spoken ?? (cameraWord && moves[cameraWord]);
  return {
    ...{ scene, time, weather, words, pace },
    mood: best<Mood>(meanings, 'mood') ?? 'calm',
    camera: { ...(move ?? { kind: 'drift', direction: 1 }), pace },
    ambience: ambienceOf(scene, { time, weather, meanings }),
    colors: colorsOf(meanings, list),
    look: best<ColorStyle>(meanings, 'look'),
    isAbstract: meanings.has('scene:flow'),
    isSubjectMissing: isSubjectMissing(list, scene),
    mentions: (pattern) => pattern.test(words),
    shows: (thing) => meanings.has(`thing:${thing}`),
  };
}

/** `no` negates only English words: in Portuguese it means "in the". */
function isNegated(list: readonly string[], at: number): boolean {
  const before = list[at - 1] ?? '';
  if (!negations.has(before)) return false;
  return before !== 'no' || english.words.has(list[at]!);
}

/** The scenes that draw these. Others are drawn nowhere. */
const figureScenes: Partial<Record<Figure, readonly SceneKind[]>> = {
  deer: ['forest'],
  astronaut: ['space'],
  camel: ['desert'],
  waterfall: ['mountains'],
  cactus: ['desert'],
  jellyfish: ['sea'],
  butterfly: ['flowers'],
  boat: ['sea', 'rain'],
};

/**
 * The subject is what the prompt names first. A place before it, as in "a beach with a dog", is
 * drawn, and so is a subject that no table has, unless an article shows that it is one.
 */
function isSubjectMissing(list: readonly string[], scene: SceneKind): boolean {
  const { words, head, isLed } = subjectOf(list);
  const named = meaningsOf(lexicon, words, { isNegated: (at) => isNegated(words, at) });
  const figures = all(named, 'figure');
  const [figure] = figures;
  const place = [...all(named, 'scene'), ...all(named, 'thing')]
    .filter(({ at }) => !figures.some((one) => one.at === at))
    .reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
  if (figure && (isLed || figure.at < place)) {
    return !figureScenes[figure.value as Figure]?.includes(scene);
  }
  if (figure || head.length === 0) return false;
  const known = meaningsOf(lexicon, head, { isNegated: () => false });
  return [...known.keys()].every((meaning) => meaning.startsWith('color:'));
}

/** All meanings of a group, in the order of their first words. */
function all(meanings: Meanings, group: string) {
  return [...meanings.values()]
    .filter(({ meaning }) => meaning.startsWith(`${group}:`))
    .sort((one, other) => one.at - other.at)
    .map((found) => ({ ...found, value: found.meaning.slice(group.length + 1) }));
}

/** The meaning with the highest weight; the first one wins a tie. */
function best<Value extends string>(meanings: Meanings, group: string): Value | null {
  const found = all(meanings, group);
  const weightiest = Math.max(...found.map(({ weight }) => weight));
  return (found.find(({ weight }) => weight === weightiest)?.value as Value | undefined) ?? null;
}

function sceneOf(meanings: Meanings, length: number): SceneKind {
  const added = new Map<string, number>();
  for (const [one, other, scene, weight] of combinations) {
    if (meanings.has(one) && meanings.has(other)) added.set(scene, weight);
  }
  let [chosen, most] = ['flow' as SceneKind, 0];
  for (const { value, weight } of all(meanings, 'scene')) {
    const sum = weight + (added.get(value) ?? 0);
    if (sum > most) [chosen, most] = [value as SceneKind, sum];
  }
  if (most > 0) return chosen;
  // Little more than a time of day, such as "a beautiful sunset", is shown over the sea.
  const isLight = meanings.has('time:dusk') || meanings.has('time:dawn');
  return isLight && length <= timeWordsMax ? 'sea' : 'flow';
}

/** Words for scenery: a color before them is the color of the whole image. */
const scenery = new Set(
  `sky skies sunset sunrise dusk dawn sea ocean water waves light lights lighting glow hues tones
  mist fog clouds cloud palette haze night moon moonlight sun horizon color colors color
  colors shades nebula lagoon sand dunes leaves forest flowers flames snow evening twilight hour
  smoke atmosphere mood gradient neon landscape hills meadow field fields planet galaxy`.split(
    /\s+/,
  ),
);

function colorsOf(meanings: Meanings, list: readonly string[]): PromptBrief['colors'] {
  return all(meanings, 'color').map(({ value, at }) => {
    const isScenery = list.slice(at, at + 4).some((word) => scenery.has(word));
    return { color: value as ColorWord, strength: isScenery ? 0.8 : 0.12 };
  });
}

const weatherOf = (scene: SceneKind): Weather | null =>
  scene === 'rain' ? 'rain' : scene === 'snow' ? 'snow' : null;

function ambienceOf(
  scene: SceneKind,
  options: {
    readonly time: TimeOfDay | null;
    readonly weather: Weather | null;
    readonly meanings: Meanings;
  },
): readonly Ambience[] {
  const { time, weather, meanings } = options;
  const own =
    scene === 'sea' && meanings.has('thing:underwater')
      ? (['water', 'hum'] as const)
      : ambiences[scene];
  const sounds = new Set<Ambience>(own);
  // Birds are silent at night and in bad weather; on dry nights crickets replace them.
  const isWet = weather === 'rain' || weather === 'storm' || weather === 'snow';
  if (time === 'night' || isWet) {
    if (sounds.delete('birds') && !isWet) sounds.add('crickets');
  }
  if (weather === 'rain' || weather === 'storm') sounds.add('rain');
  if (weather === 'storm') sounds.add('thunder');
  if (meanings.has('thing:waterfall') || meanings.has('thing:lake')) sounds.add('water');
  return [...sounds];
}
