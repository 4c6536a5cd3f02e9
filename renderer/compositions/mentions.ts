/** Finds the materials that a prompt mentions. */
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
