/** Which references are enlarged when: the ones the prompt mentions, or else each in order. */
import { clamp, smooth } from '../motion.ts';
import type { JobMaterial, MaterialKind } from '../render-job.ts';

/** `@Image 1`, `image #2`, `the second picture`, `图3`: a kind and a number. */
const kinds: Record<MaterialKind, string> = {
  image: 'images?|pictures?|photos?|imgs?|图片|图像|图|画像|이미지',
  video: 'videos?|clips?|视频|動画|비디오',
  audio: 'audios?|sounds?|songs?|音频|音声|오디오',
};
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const mention = new RegExp(
  Object.entries(kinds)
    .map(([kind, names]) => {
      const after = `(?:${names})\\s*(?:[#_-]\\s*)?(?<${kind}>\\d{1,2})(?!\\d)`;
      return `${after}|(?<${kind}Word>${ordinals.join('|')})\\s+(?:${names})`;
    })
    .join('|'),
  'giu',
);

/** Positions of the materials that a prompt mentions, in the order of mention. */
export function mentionedMaterials(prompt: string, materials: readonly JobMaterial[]): number[] {
  const positions = new Set<number>();
  for (const { groups = {} } of prompt.matchAll(mention)) {
    const [name, value] = Object.entries(groups).find(([, text]) => text !== undefined)!;
    const kind = name.replace('Word', '');
    const number = Number(value) || ordinals.indexOf(value!.toLowerCase()) + 1;
    const at = materials.findIndex((one) => one.kind === kind && one.index === number - 1);
    if (at >= 0) positions.add(at);
  }
  return [...positions];
}

export type SpotlightSlot = { readonly card: number; readonly from: number; readonly to: number };

/** Limits of the time that one reference is enlarged. */
const slotSeconds = { least: 0.62, most: 2.2 };
/** At the end, all are shown together. */
const closingSeconds = 0.7;
/** Without a mention, more than these are not enlarged. */
const unmentionedMax = 6;

export function spotlightSlots(
  cards: { readonly mentioned: readonly number[]; readonly others: readonly number[] },
  time: { readonly from: number; readonly lastSecond: number },
): SpotlightSlot[] {
  const others = cards.others.length > unmentionedMax ? [] : cards.others;
  const wanted = cards.mentioned.length > 0 ? cards.mentioned : others;
  const until = time.lastSecond - closingSeconds;
  const each = Math.min(slotSeconds.most, (until - time.from) / Math.max(1, wanted.length));
  if (each < slotSeconds.least) return [];
  return wanted.map((card, at) => {
    const from = time.from + at * each;
    return { card, from, to: from + each };
  });
}

const moveSeconds = 0.5;

/** How far a card is enlarged at a time, from 0 to 1. */
export function spotlightShare(slot: SpotlightSlot | undefined, second: number): number {
  if (!slot) return 0;
  const move = Math.min(moveSeconds, (slot.to - slot.from) / 2);
  const growing = smooth(second, { from: slot.from, to: slot.from + move });
  const shrinking = smooth(second, { from: slot.to + move * 0.4, to: slot.to - move * 0.6 });
  return clamp(Math.min(growing, shrinking));
}
