/**
 * The texts over a clip: the prompt as a small caption or as a title, the PREVIEW label and the
 * watermark. All are painted once; the encoder blends them into every frame.
 */
import type { Color } from '../color.ts';
import { smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import { layOut, layOutTitle } from './layout.ts';
import { labelMark, markOf, watermarkMark, wordsMark } from './words.ts';

export type CaptionOptions = {
  readonly size: Size;
  readonly prompt: string;
  readonly accent: Color;
  readonly watermark: boolean;
  readonly unit: number;
  /** The length of the clip; a title fades before its end. */
  readonly seconds: number;
  /** Sets the prompt as a title across the frame, for a scene that does not show its subject. */
  readonly isTitle: boolean;
};

/** The prompt has been read then, and gives way to the scene. */
const fadeIn = { from: 0.05, to: 0.45 } as const;
const captionFade = { from: 2, to: 2.6 } as const;
/** A title is gone before the last frame, on which the next shot may start. */
const titleFadeSeconds = 0.7;
const titleGapSeconds = 0.15;

export function createCaption(options: CaptionOptions) {
  const { size, unit, seconds, isTitle } = options;
  const layout = (isTitle ? layOutTitle : layOut)(options.prompt, { size, unit });
  const { margin, lines } = layout;
  const titleEnd = Math.max(titleFadeSeconds, seconds - titleGapSeconds);
  const fade = isTitle ? { from: titleEnd - titleFadeSeconds, to: titleEnd } : captionFade;
  const fades: ((second: number, opacity: number) => number)[] = [(_, opacity) => opacity];
  const painted = [labelMark({ margin, unit })];
  if (lines.length > 0) {
    painted.unshift(wordsMark(layout, options));
    fades.unshift(
      (second, opacity) => opacity * (1 - smooth(second, fade)) * smooth(second, fadeIn),
    );
  }
  if (options.watermark) {
    painted.push(watermarkMark({ margin, unit, width: size.width }));
    fades.push((_, opacity) => 0.85 * Math.min(1, opacity * 2.5));
  }
  return {
    top: layout.top,
    marks: painted.map(markOf),
    /** Of each mark. `opacity` is from 0 to 1; the watermark is fully visible from 0.4 on. */
    opacitiesAt: (second: number, opacity: number): readonly number[] =>
      fades.map((fade) => fade(second, opacity)),
  };
}
