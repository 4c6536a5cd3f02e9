/** Which of several references is looked at when: those the prompt names, else each in its turn. */

import { clamp, smooth } from '../motion.ts';
import type { JobMaterial, MaterialKind } from '../render-job.ts';

/** `@Image 1`, `image #2`, `the second picture`, `图3`: a kind and a number. */
const kinds: Record<MaterialKind, string> = {
  image: 'images?|pictures?|photos?|imgs?|图片|图像|图|画像|이미지',
  video: 'videos?|clips?|视频|動画|비디오',
  audio: 'audios?|sounds?|songs?|音频|音声|오디오',
};
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const naming = new RegExp(
  Object.entries(kinds)
    .map(([kind, names]) => {
      const after = `(?:${names})\\s*[#_-]?\\s*(?<${kind}>\\d{1,2})(?!\\d)`;
      return `${after}|(?<${kind}Word>${ordinals.join('|')})\\s+(?:${names})`;
    })
    .join('|'),
  'giu',
);

/** The materials a prompt names, by their places among all, in the order it first names them. */
export function namedIn(prompt: string, materials: readonly JobMaterial[]): number[] {
  const named = new Set<number>();
  for (const { groups = {} } of prompt.matchAll(naming)) {
    const [name, said] = Object.entries(groups).find(([, value]) => value !== undefined)!;
    const kind = name.replace('Word', '');
    const number = Number(said) || ordinals.indexOf(said!.toLowerCase()) + 1;
    const at = materials.findIndex((one) => one.kind === kind && one.index === number - 1);
    if (at >= 0) named.add(at);
  }
  return [...named];
}

export type SpotlightTurn = { readonly card: number; readonly from: number; readonly to: number };

/** Less and a picture is gone before it is recognised; more and the others are forgotten. */
const turnSeconds = { least: 0.62, most: 2.2 };
/** At the end all are seen together again. */
const farewellSeconds = 0.7;
/** Without being named, no more than these take the stage. */
const unnamedMax = 6;

export function turnsFor(
  cards: { readonly named: readonly number[]; readonly others: readonly number[] },
  time: { readonly from: number; readonly lastSecond: number },
): SpotlightTurn[] {
  const wanted =
    cards.named.length > 0 ? cards.named : cards.others.length > unnamedMax ? [] : cards.others;
  const until = time.lastSecond - farewellSeconds;
  const each = Math.min(turnSeconds.most, (until - time.from) / Math.max(1, wanted.length));
  if (each < turnSeconds.least) return [];
  return wanted.map((card, at) => {
    const from = time.from + at * each;
    return { card, from, to: from + each };
  });
}

const moveSeconds = 0.5;

/** How far a card has come to the stage at a moment, from 0 to 1. */
export function stageShare(turn: SpotlightTurn | undefined, second: number): number {
  if (!turn) return 0;
  const move = Math.min(moveSeconds, (turn.to - turn.from) / 2);
  const coming = smooth(second, { from: turn.from, to: turn.from + move });
  const going = smooth(second, { from: turn.to + move * 0.4, to: turn.to - move * 0.6 });
  return clamp(Math.min(coming, going));
}
