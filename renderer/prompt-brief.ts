/**
 * Reads a prompt: place, time of day, weather, mood, colors, objects and camera. A prompt is never
 * run or fetched; its words are looked up in tables.
 */
import type { CameraMove } from './camera.ts';
import type { Ambience } from './sound/sound.ts';
import otherWords from './vocabulary/languages.json' with { type: 'json' };
import {
  type FoundMeaning,
  fold,
  lexiconOf,
  meaningsOf,
  tokensOf,
  type WordRow,
  wordsOf,
} from './vocabulary/lexicon.ts';
import {
  type CameraWord,
  type ColorStyle,
  type ColorWord,
  englishWords,
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
  /**
   * Whether the prompt is set as a title, since it has something that its scene does not draw, such
   * as a robot in a city. The scene alone would be a wrong picture of it.
   */
  readonly isTitled: boolean;
  /** The prompt in lower case without accents. */
  readonly words: string;
  mentions(pattern: RegExp): boolean;
  /** The same for objects that are known in several languages. */
  shows(thing: Thing): boolean;
};

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

const englishRows: readonly WordRow[] = rowsOf(englishWords);
const english = lexiconOf(englishRows);
const lexicon = lexiconOf([...englishRows, ...rowsOf(otherWords)]);
/** A word after one of these is not asked for. */
const negations = new Set(['no', 'not', 'without', 'never', 'sans', 'sin', 'ohne', 'kein', 'без']);

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
  ['scene:city', 'time:night', 'city', 1],
  // A forest, a village or a house in winter is a snow scene.
  ['scene:snow', 'scene:forest', 'snow', 3],
  ['scene:snow', 'thing:village', 'snow', 2],
  ['scene:snow', 'thing:house', 'snow', 1],
  // A boat on a lake is drawn on open water, and a lake in a forest or a meadow is not drawn.
  ['thing:boat', 'thing:lake', 'sea', 1],
  ['thing:paperboat', 'thing:lake', 'sea', 1],
  // Trees stand around a campfire.
  ['scene:fire', 'scene:forest', 'fire', 1],
];

const ambiences: Record<SceneKind, readonly Ambience[]> = {
  sea: ['sea'],
  mountains: ['wind'],
  city: ['city'],
  space: ['hum'],
  forest: ['birds', 'wind'],
  snow: ['wind'],
  desert: ['wind'],
  fire: ['fire'],
  flowers: ['birds'],
  flow: ['hum'],
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
  // Northern lights are only visible at night.
  const isAurora = meanings.has('thing:aurora');
  const time = best<TimeOfDay>(meanings, 'time') ?? (isAurora ? 'night' : null);
  const scene = sceneOf(meanings, time);
  const weather = best<Weather>(meanings, 'weather');
  const paceWord = best<PaceWord>(meanings, 'pace');
  const pace = paceWord ? paces[paceWord] : 1;
  const cameraWord = best<CameraWord>(meanings, 'camera');
  const move = cameraWord && moves[cameraWord];
  return {
    scene,
    time,
    weather,
    words,
    pace,
    mood: best<Mood>(meanings, 'mood') ?? 'calm',
    camera: { ...(move ?? { kind: 'drift', direction: 1 }), pace },
    ambience: ambienceOf(scene, { time, weather }),
    colors: colorsOf(meanings, list),
    look: best<ColorStyle>(meanings, 'look'),
    isTitled: scene === 'flow' ? !meanings.has('scene:flow') : isTitled(list, scene, meanings),
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
const figureScenes: Partial<Record<string, readonly SceneKind[]>> = {
  boat: ['sea'],
  village: ['snow'],
  city: ['city'],
  earth: ['space'],
  moon: ['sea', 'mountains', 'city', 'snow', 'desert'],
  pine: ['mountains', 'snow', 'fire'],
};

/** What a scene shows: a subject with one of these meanings is drawn. */
const drawnGroups = /^(scene|thing|time|weather|camera|pace):/;

function isTitled(list: readonly string[], scene: SceneKind, meanings: Meanings): boolean {
  const figures = all(meanings, 'figure');
  if (figures.some(({ value }) => !figureScenes[value]?.includes(scene))) return true;
  if (isForeign(list)) return hasUnknownWord(list);
  const head = [...tokensOf(lexicon, headOf(list))];
  const isDrawn = head.some(({ senses }) =>
    senses?.some(({ meaning }) => drawnGroups.test(meaning)),
  );
  return !isDrawn && head.some(({ text, senses }) => !senses && !commonWords.has(text));
}

/** What a camera sees: "a close-up of …". */
const views =
  setOf(`shot footage view video clip photo picture image close up closeup portrait scene
  timelapse lapse macro film movie animation render rendering`);
const articles = setOf('a an the one two three four five some several my his her their our');
const headEnds =
  setOf(`in on at under over inside through above across during beneath beside near of with by from
  into onto to along toward towards past around behind before after between against among while as
  and is are that which who where like for out up down off without beyond below`);
/** Adjectives, and words that are no subject of their own. */
const commonWords =
  setOf(`view scene shot look place moment world wind breeze light lights glow sound
  silence journey path stream way line time feeling beautiful lone lonely single small little tiny
  big large huge giant old ancient new young tall long short wide narrow quiet empty bright dark
  soft warm cold hot wild open deep high low distant far vast endless hidden secret famous
  cinematic realistic detailed stunning peaceful busy crowded modern wooden stone glass colorful
  white black grey gray first last next same whole another day year season storm weather`);
/** A view is looked for among the first words. */
const viewWordsMax = 8;
const headWordsMax = 6;

/**
 * Returns the words up to the first preposition or conjunction, without articles: "red tram" of "a
 * red tram on a street".
 */
function headOf(list: readonly string[]): readonly string[] {
  const of = list.findIndex((word, at) => word === 'of' && views.has(list[at - 1] ?? ''));
  const rest = of > 0 && of < viewWordsMax ? list.slice(of + 1) : list;
  const end = rest.findIndex((word) => headEnds.has(word));
  const head = rest.slice(0, Math.min(end < 0 ? rest.length : end, headWordsMax));
  return head.filter((word) => !articles.has(word));
}

/** Whether a word with a meaning is known from another language only. */
function isForeign(list: readonly string[]): boolean {
  const knownAt = new Set(
    [...tokensOf(english, list)].filter(({ senses }) => senses).map(({ at }) => at),
  );
  return [...tokensOf(lexicon, list)].some(
    ({ at, senses }) => senses?.some(({ meaning }) => meaning !== 'nothing') && !knownAt.has(at),
  );
}

/** Of a language whose adjectives and verbs no table has. Hiragana are endings and particles. */
function hasUnknownWord(list: readonly string[]): boolean {
  const ending = /^(\p{Script=Hiragana}+|\p{Script=Hangul}|\p{N}+)$/u;
  return [...tokensOf(lexicon, list)].some(({ text, senses }) => !senses && !ending.test(text));
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

/**
 * The place of a prompt: one word that names it, or two words that agree. `flow` without one, with
 * a place that is not drawn, and with two places of equal weight.
 */
function sceneOf(meanings: Meanings, time: TimeOfDay | null): SceneKind {
  if (meanings.has('scene:flow') || meanings.has('place:other')) return 'flow';
  const added = new Map<string, number>();
  for (const [one, other, scene, weight] of combinations) {
    const [first, second] = [meanings.get(one), meanings.get(other)];
    // One word alone does not agree with itself.
    if (first && second && first.at !== second.at) {
      added.set(scene, (added.get(scene) ?? 0) + weight);
    }
  }
  const [first, second] = all(meanings, 'scene')
    .map(({ value, weight }) => ({ value, weight: weight + (added.get(value) ?? 0) }))
    .toSorted((one, other) => other.weight - one.weight);
  if (!first || first.weight < 2 || first.weight === second?.weight) return 'flow';
  const scene = first.value as SceneKind;
  // A city is drawn at night only, and streets belong to it alone.
  if (scene === 'city') return time === 'day' || time === 'dawn' ? 'flow' : scene;
  return meanings.has('place:street') ? 'flow' : scene;
}

/** Words for scenery: a color before them is the color of the whole image. */
const scenery = setOf(
  `sky skies sunset sunrise dusk dawn sea ocean water waves light lights lighting glow hues tones
  mist fog clouds cloud palette haze night moon moonlight sun horizon color colors color
  colors shades nebula lagoon sand dunes leaves forest flowers flames snow evening twilight hour
  smoke atmosphere mood gradient neon landscape hills meadow field fields planet galaxy`,
);

function colorsOf(meanings: Meanings, list: readonly string[]): PromptBrief['colors'] {
  return all(meanings, 'color').map(({ value, at }) => {
    const isScenery = list.slice(at, at + 4).some((word) => scenery.has(word));
    return { color: value as ColorWord, strength: isScenery ? 0.8 : 0.12 };
  });
}

function ambienceOf(
  scene: SceneKind,
  { time, weather }: { readonly time: TimeOfDay | null; readonly weather: Weather | null },
): readonly Ambience[] {
  const isWet = weather === 'rain' || weather === 'storm';
  // Birds are silent at night and in bad weather; on dry nights crickets replace them.
  const isQuiet = isWet || weather === 'snow';
  const sounds = ambiences[scene].flatMap((kind): Ambience[] => {
    if (kind !== 'birds' || (time !== 'night' && !isQuiet)) return [kind];
    return isQuiet ? [] : ['crickets'];
  });
  return isWet ? [...sounds, 'rain'] : sounds;
}
