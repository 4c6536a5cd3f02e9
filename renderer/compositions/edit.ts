/**
 * Editing: the given video from its first frame to its last, restyled by the words of the prompt.
 * The change is seen throughout; what happens in the picture, and when, stays as it was.
 */
import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { frameOf } from '../card.ts';
import { createFinish } from '../edit/finish.ts';
import { createGrader } from '../edit/grade.ts';
import { createPainter } from '../edit/paint.ts';
import { createParticles } from '../edit/particles.ts';
import { styles } from '../edit/styles.ts';
import { type Treatment, treatmentOf } from '../edit/treatment.ts';
import type { JobMaterial } from '../render-job.ts';
import type { Size } from '../size.ts';
import type { VideoSource } from '../source/video.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createCorner } from './inset-cards.ts';

/** A painted picture is made this small; strokes finer than that would not be seen as such. */
const paintedPixels = 360 * 640;

export async function createEdit(
  stage: CompositionContext,
  chosen: JobMaterial,
): Promise<Composition> {
  const { size, unit, random } = stage.setting;
  const treatment = treatmentOf(stage.setting.brief, stage.setting.palette);
  const video = stage.plan.videos.get(chosen.index);
  const picture = video
    ? await createRestyled(stage, { video, treatment })
    : createCard(stage, chosen);
  const particles = treatment.air && createParticles(treatment.air, { size, unit, random });
  const corner = await createCorner(stage, chosen);
  return {
    async draw(context, second) {
      await picture.draw(context, second);
      particles?.draw(context, second);
      await corner.draw(context, second);
    },
    presence: () => 1,
    async close() {
      await picture.close();
      await corner.close();
    },
  };
}

type Layer = {
  draw(context: SKRSContext2D, second: number): Promise<void>;
  close(): Promise<void>;
};

/** A video that could not be fetched: a card that says so, as it is. */
function createCard({ setting }: CompositionContext, chosen: JobMaterial): Layer {
  const card = frameOf(chosen, null, setting);
  return {
    draw: async (context) => context.drawImage(card, 0, 0),
    close: async () => {},
  };
}

async function createRestyled(
  { setting }: CompositionContext,
  { video, treatment }: { readonly video: VideoSource; readonly treatment: Treatment },
): Promise<Layer> {
  const { size, unit, random, seconds } = setting;
  const { look } = treatment;
  const style = treatment.style && styles[treatment.style];
  const stroke = style?.stroke ?? 0;
  const worked = stroke > 0 ? reducedTo(size, paintedPixels) : size;
  const filters = style?.filters(size, unit) ?? '';
  const player = await video.play({ size: worked, atEnd: 'hold', threads: 2, filters });
  const grader = createGrader(look.grade, {
    ...{ size: worked, grain: look.grain, vignette: look.vignette, random },
    steps: style?.steps ?? 0,
  });
  const painter = stroke > 0 ? createPainter(worked, stroke) : null;
  const picture = createPixels(worked);
  const finish = createFinish({
    ...{ size, unit, random, look, seconds },
    ground: style?.ground ?? null,
  });
  return {
    async draw(context, second) {
      const source = await player.next();
      grader.apply(painter?.paint(source) ?? source, picture.pixels, second);
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

/** Pixels that are worked on by hand and then laid on a frame. */
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
