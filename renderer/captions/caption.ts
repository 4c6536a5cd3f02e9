/**
 * The texts over a clip: the prompt as a small caption or as a title, the PREVIEW label and the
 * watermark. All are rendered once to small canvases, and only drawn in every frame.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Color } from '../color.ts';
import { smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import { layOut, layOutTitle } from './layout.ts';
import { type CaptionState, createWords, drawMark, labelMark, watermarkMark } from './words.ts';

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
const captionFade = { from: 2, to: 2.6 } as const;
/** A title is gone before the last frame, on which the next shot may start. */
const titleFadeSeconds = 0.7;
const titleGapSeconds = 0.15;

export function createCaption(options: CaptionOptions) {
  const { size, unit, seconds, isTitle } = options;
  const layout = (isTitle ? layOutTitle : layOut)(options.prompt, { size, unit });
  const label = labelMark({ margin: layout.margin, unit });
  const watermark = options.watermark
    ? watermarkMark({ margin: layout.margin, unit, width: size.width })
    : null;
  const titleEnd = Math.max(titleFadeSeconds, seconds - titleGapSeconds);
  const fade = isTitle ? { from: titleEnd - titleFadeSeconds, to: titleEnd } : captionFade;
  const words = layout.lines.length === 0 ? null : createWords(layout, options);
  return {
    top: layout.top,
    /** `opacity` is from 0 to 1; the watermark is fully visible from 0.4 on. */
    draw(context: SKRSContext2D, { second, opacity }: CaptionState): void {
      if (opacity > 0) {
        const shown = opacity * (1 - smooth(second, fade));
        if (shown > 0) words?.draw(context, { second, opacity: shown });
        drawMark(context, label, opacity);
      }
      if (watermark) drawMark(context, watermark, 0.85 * Math.min(1, opacity * 2.5));
      context.globalAlpha = 1;
    },
  };
}
