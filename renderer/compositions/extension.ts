/**
 * Extension: starts on the last frame of the given video, pixel for pixel, and continues from
 * there: the camera moves, and the colors change as the prompt asks.
 */
import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { createGrader } from '../edit/color-transform.ts';
import { gradeFor, treatmentOf } from '../edit/treatment.ts';
import { smooth } from '../motion.ts';
import type { JobMaterial } from '../render-job.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createMovingImage } from './moving-image.ts';

/** Only the camera moves for this long. */
const holdSeconds = 0.25;

export async function createExtension(
  clip: CompositionContext,
  chosen: JobMaterial,
): Promise<Composition> {
  const { setting, lastSecond } = clip;
  const { size, brief } = setting;
  const source = clip.plan.videos.get(chosen.index);
  if (!source) throw new Error('the video to extend was not fetched');
  const first = await source.lastFrame(size);
  const view = createMovingImage(first, { move: brief.camera, lastSecond });
  const grade = createGradeFade(clip, first);

  return {
    draw(context, second) {
      view.draw(context, second);
      grade?.draw(context, smooth(second, { from: holdSeconds, to: lastSecond * 0.7 }));
    },
    captionOpacity: (second) => smooth(second, { from: 0.05, to: 0.9 }),
  };
}

function createGradeFade({ setting }: CompositionContext, first: Canvas) {
  const { size, brief, palette, random } = setting;
  const grade = gradeFor(treatmentOf(brief, palette), first.data());
  if (!grade) return null;
  const { transform, vignette } = grade;
  const options = { size, vignette, grain: 0, posterLevels: 0, random };
  const grader = createGrader(transform, options);
  const image = new ImageData(size.width, size.height);
  const gradedContext = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  return {
    draw(context: SKRSContext2D, share: number): void {
      if (share <= 0) return;
      grader.apply(context.canvas.data(), image.data as Uint8ClampedArray, 0);
      gradedContext.putImageData(image, 0, 0);
      context.globalAlpha = share;
      context.drawImage(gradedContext.canvas, 0, 0);
      context.globalAlpha = 1;
    },
  };
}
