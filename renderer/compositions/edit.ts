/**
 * Editing: the given video from its first frame to its last, restyled as the prompt asks. The style
 * changes in every frame; content and timing stay the same.
 */
import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { createGrader } from '../edit/color-transform.ts';
import { createFinish } from '../edit/finish.ts';
import { createOilFilter } from '../edit/oil-filter.ts';
import { createParticles } from '../edit/particles.ts';
import { styles } from '../edit/styles.ts';
import { type Treatment, treatmentOf } from '../edit/treatment.ts';
import { drawPanel } from '../panel.ts';
import type { JobMaterial } from '../render-job.ts';
import type { Size } from '../size.ts';
import type { VideoSource } from '../source/video.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createInsetCards } from './inset-cards.ts';

/** The oil filter works at this size, since finer strokes would not be visible. */
const oilPixels = 360 * 640;

export async function createEdit(
  clip: CompositionContext,
  chosen: JobMaterial,
): Promise<Composition> {
  const { size, unit, random } = clip.setting;
  const treatment = treatmentOf(clip.setting.brief, clip.setting.palette);
  const video = clip.plan.videos.get(chosen.index);
  const picture = video
    ? await createRestyledVideo(clip, { video, treatment })
    : createPanel(clip, chosen);
  const particles =
    treatment.particles && createParticles(treatment.particles, { size, unit, random });
  const cards = await createInsetCards(clip, chosen);
  return {
    async draw(context, second) {
      await picture.draw(context, second);
      particles?.draw(context, second);
      await cards.draw(context, second);
    },
    captionOpacity: () => 1,
    async close() {
      await picture.close();
      await cards.close();
    },
  };
}

type VideoLayer = {
  draw(context: SKRSContext2D, second: number): Promise<void>;
  close(): Promise<void>;
};

/** A panel for a video that could not be fetched. */
function createPanel({ setting }: CompositionContext, material: JobMaterial): VideoLayer {
  const panel = drawPanel({ material, ...setting });
  return {
    draw: async (context) => context.drawImage(panel, 0, 0),
    close: async () => {},
  };
}

async function createRestyledVideo(
  { setting }: CompositionContext,
  { video, treatment }: { readonly video: VideoSource; readonly treatment: Treatment },
): Promise<VideoLayer> {
  const { size, unit, random, seconds } = setting;
  const { grade } = treatment;
  const style = treatment.style && styles[treatment.style];
  const brushPixels = style?.brushPixels ?? 0;
  const workSize = brushPixels > 0 ? reducedTo(size, oilPixels) : size;
  const filters = style?.filters(size, unit) ?? '';
  const player = await video.play({ size: workSize, atEnd: 'hold', threads: 2, filters });
  const grader = createGrader(grade.transform, {
    ...{ size: workSize, grain: grade.grain, vignette: grade.vignette, random },
    posterLevels: style?.posterLevels ?? 0,
  });
  const oilFilter = brushPixels > 0 ? createOilFilter(workSize, brushPixels) : null;
  const picture = createPixels(workSize);
  const finish = createFinish({
    ...{ size, unit, random, grade, seconds },
    texture: style?.texture ?? null,
  });
  return {
    async draw(context, second) {
      const source = await player.next();
      grader.apply(oilFilter?.(source) ?? source, picture.pixels, second);
      picture.draw(context, size);
      finish.draw(context, second);
    },
    close: () => player.close(),
  };
}

function reducedTo({ width, height }: Size, pixels: number): Size {
  const scale = Math.min(1, Math.sqrt(pixels / (width * height)));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** Pixels that are computed and then drawn on a frame, scaled if needed. */
function createPixels(size: Size) {
  const image = new ImageData(size.width, size.height);
  let canvas: Canvas | null = null;
  return {
    pixels: image.data as Uint8ClampedArray,
    draw(context: SKRSContext2D, frame: Size): void {
      if (frame.width === size.width) return void context.putImageData(image, 0, 0);
      canvas ??= createCanvas(size.width, size.height);
      canvas.getContext('2d', { alpha: false }).putImageData(image, 0, 0);
      context.imageSmoothingQuality = 'high';
      context.drawImage(canvas, 0, 0, frame.width, frame.height);
    },
  };
}
