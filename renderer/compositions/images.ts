/**
 * Image to video: the first frame is the first picture and, with two, the last frame is the second.
 * Between them the camera moves in the pictures as the words ask, with the weather they tell of.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { openImage, panelFace } from '../card.ts';
import { mountCard } from '../card-mount.ts';
import { css } from '../color.ts';
import { backdropFor, covering } from '../image.ts';
import { smooth } from '../motion.ts';
import { createParallax } from '../parallax.ts';
import type { JobMaterial } from '../render-job.ts';
import { createAtmosphere } from '../still/atmosphere.ts';
import { createTransition } from '../transition.ts';
import type { Composition, CompositionContext } from './composition.ts';

/** The second picture stands still for so long: an encoder spends more on what it sees again. */
const restSeconds = 0.25;
/** What the words bring into the picture takes so long to come, and to go again. */
const comingSeconds = 1.2;

export async function createImages(stage: CompositionContext): Promise<Composition> {
  const { job, setting } = stage;
  const images = job.materials.filter(({ kind }) => kind === 'image');
  const first = await frameFor(stage, images[0]!);
  const last = images[1] && (await frameFor(stage, images[1]));
  const lastSecond = stage.lastSecond - (last ? restSeconds : 0);
  const shot = { move: setting.brief.camera, lastSecond };
  const view = last
    ? createTransition({ first, last }, { ...shot, noise: setting.noise })
    : createParallax(first, shot);

  const atmosphere = createAtmosphere(setting, view.depth);
  const words = { lastSecond, endsOnPicture: last !== undefined };

  return {
    draw(context, second) {
      view.draw(context, second);
      const coming = smooth(second, { from: 0, to: comingSeconds });
      const going = last ? smooth(second, { from: lastSecond, to: lastSecond - comingSeconds }) : 1;
      atmosphere.draw(context, { second, strength: coming * going });
    },
    presence: (second) => presenceOver(second, words),
  };
}

/** A picture that was not reached is the prompt's scene with a card that says so. */
async function frameFor(stage: CompositionContext, material: JobMaterial): Promise<Canvas> {
  const { size, palette, unit } = stage.setting;
  const image = await openImage(material);
  if (image) return covering(image, size, backdropFor(image, palette));
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  stage.scene().draw(context, 1);
  context.fillStyle = css(palette.shade, 0.34);
  context.fillRect(0, 0, size.width, size.height);
  const width = Math.min(size.width * 0.74, size.height * 0.9);
  const face = panelFace(material, { palette, longestSide: width });
  const height = width / face.shape;
  const [x, y] = [(size.width - width) / 2, (size.height - height) * 0.42];
  await mountCard(face, unit).draw(context, { x, y, width, height }, 0);
  return canvas;
}

/** How much of the words may be seen: none on a frame that was given. */
function presenceOver(second: number, options: { lastSecond: number; endsOnPicture: boolean }) {
  const { lastSecond, endsOnPicture } = options;
  const coming = smooth(second, { from: 0.05, to: 0.9 });
  return endsOnPicture
    ? coming * smooth(second, { from: lastSecond, to: lastSecond - 0.6 })
    : coming;
}
