/** Finds the words of an English prompt that name its subject. */

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

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
export const commonWords =
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
export function headOf(list: readonly string[]): readonly string[] {
  const of = list.findIndex((word, at) => word === 'of' && views.has(list[at - 1] ?? ''));
  const words = of > 0 && of < viewWordsMax ? list.slice(of + 1) : list;
  const end = words.findIndex((word) => headEnds.has(word));
  const head = words.slice(0, Math.min(end < 0 ? words.length : end, headWordsMax));
  return head.filter((word) => !articles.has(word));
}
