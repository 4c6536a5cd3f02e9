/**
 * Extension: begins on the last frame of the given video, pixel for pixel, and goes on from there.
 * The camera moves on in it, its light turns to what the words tell of, and where they lead to
 * another place, that place comes up out of it.
 */
import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { cameraPath } from '../camera.ts';
import { createGrader } from '../edit/grade.ts';
import { treatmentOf } from '../edit/treatment.ts';
import { smooth } from '../motion.ts';
import { paletteFor } from '../palette.ts';
import { createParallax } from '../parallax.ts';
import { parsePrompt } from '../prompt-brief.ts';
import type { JobMaterial } from '../render-job.ts';
import { createScene } from '../scenes/choose.ts';
import { drawnSize, enlarged } from '../scenes/enlarged.ts';
import { createAtmosphere } from '../still/atmosphere.ts';
import type { Composition, CompositionContext } from './composition.ts';

/** The given frame stands alone for a moment before anything changes but the camera. */
const calmSeconds = 0.25;

export async function createExtension(
  stage: CompositionContext,
  chosen: JobMaterial,
): Promise<Composition> {
  const { setting, lastSecond } = stage;
  const { size, brief } = setting;
  const source = stage.plan.videos.get(chosen.index);
  if (!source) throw new Error('only a video that is there can be continued');
  const first = await source.lastFrame(size);
  const view = createParallax(first, { move: brief.camera, lastSecond });
  const atmosphere = createAtmosphere(setting, view.depth);
  const light = createTurningLight(stage);
  const arrival = arrivalOf(stage);

  return {
    draw(context, second) {
      const arrived = arrival ? smooth(second / lastSecond, { from: 0.5, to: 0.88 }) : 0;
      if (arrived < 1) {
        view.draw(context, second);
        light.draw(context, smooth(second, { from: calmSeconds, to: lastSecond * 0.7 }));
        const strength = smooth(second, { from: calmSeconds, to: calmSeconds + 1.2 });
        atmosphere.draw(context, { second, strength });
      }
      if (arrival && arrived > 0) arrival.draw(context, { second, arrived });
    },
    presence: (second) => smooth(second, { from: 0.05, to: 0.9 }),
  };
}

/** Words that lead on to another place; what follows them tells which. */
const leads =
  /\b(into|reveal|becom|turns? to|turning to|transform|arriv|until|emerg|dissolv|fades? to)/i;

/** The place the words lead to, if any, coming up like a double exposure. */
function arrivalOf({ job, setting }: CompositionContext) {
  const { size, seconds, random } = setting;
  const { prompt } = job.generation;
  const at = prompt.search(leads);
  const brief = parsePrompt(prompt.slice(Math.max(0, at)));
  if (at < 0 || brief.scene === 'flow') return null;
  const drawn = drawnSize(size);
  const scene = enlarged(
    createScene({
      ...{ ...setting, brief, size: drawn, palette: paletteFor(brief, random) },
      unit: Math.min(drawn.width, drawn.height) / 720,
      camera: cameraPath(brief.camera, { size: drawn, seconds }),
    }),
    drawn,
    size,
  );
  const before = createCanvas(size.width, size.height);
  const beforeContext = before.getContext('2d', { alpha: false });
  return {
    draw(context: SKRSContext2D, moment: { second: number; arrived: number }): void {
      const { second, arrived } = moment;
      if (arrived < 1) beforeContext.drawImage(context.canvas as Canvas, 0, 0);
      scene.draw(context, second);
      if (arrived >= 1) return;
      context.globalAlpha = 1 - arrived;
      context.drawImage(before, 0, 0);
      // In the middle both shine through each other.
      context.globalAlpha = Math.sin(arrived * Math.PI) * 0.5;
      context.globalCompositeOperation = 'screen';
      context.drawImage(before, 0, 0);
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
    },
  };
}

/** The look the words ask for, as far as it has come. */
function createTurningLight({ setting }: CompositionContext) {
  const { size, brief, palette, random } = setting;
  const { look } = treatmentOf(brief, palette);
  const grader = createGrader(look.grade, {
    ...{ size, vignette: look.vignette, grain: 0, steps: 0, random },
  });
  const image = new ImageData(size.width, size.height);
  const graded = createCanvas(size.width, size.height);
  const gradedContext = graded.getContext('2d', { alpha: false });
  return {
    draw(context: SKRSContext2D, share: number): void {
      if (share <= 0) return;
      grader.apply(context.canvas.data(), image.data as Uint8ClampedArray, 0);
      gradedContext.putImageData(image, 0, 0);
      context.globalAlpha = share;
      context.drawImage(graded, 0, 0);
      context.globalAlpha = 1;
    },
  };
}
