/**
 * Image to video: the first frame is the first image and, with two, the last frame is the second.
 * In between, the camera moves over the images.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { openImage, panelCard } from '../card.ts';
import { mountCard } from '../card-mount.ts';
import { css } from '../color.ts';
import { backdropFor, covering, enlargedCanvas } from '../image.ts';
import { smooth } from '../motion.ts';
import type { JobMaterial } from '../render-job.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createMovingImage, createTransition } from './moving-image.ts';

/** The last image is held this long, so that the encoder reproduces it better. */
const holdSeconds = 0.25;

export async function createImages(clip: CompositionContext): Promise<Composition> {
  const { job, setting } = clip;
  const images = job.materials.filter(({ kind }) => kind === 'image');
  const first = await frameFor(clip, images[0]!);
  const last = images[1] && (await frameFor(clip, images[1]));
  const lastSecond = clip.lastSecond - (last ? holdSeconds : 0);
  const shot = { move: setting.brief.camera, lastSecond };
  const view = last ? createTransition({ first, last }, shot) : createMovingImage(first, shot);
  // The second image must end the clip unchanged; without it nothing fades out.
  const fadeOut = (second: number): number =>
    last ? smooth(second, { from: lastSecond, to: lastSecond - 0.6 }) : 1;
  return {
    draw: view.draw,
    captionOpacity: (second) => smooth(second, { from: 0.05, to: 0.9 }) * fadeOut(second),
  };
}

/** An image that could not be fetched is shown as the prompt's scene with a card. */
async function frameFor(clip: CompositionContext, material: JobMaterial): Promise<Canvas> {
  const { size, palette, unit } = clip.setting;
  const image = await openImage(material);
  if (image) return covering(image, size, backdropFor(image, palette));
  const drawn = createCanvas(clip.drawn.width, clip.drawn.height);
  clip.scene()(drawn.getContext('2d', { alpha: false }), 1);
  const canvas = enlargedCanvas(drawn, size);
  const context = canvas.getContext('2d');
  context.fillStyle = css(palette.shade, 0.34);
  context.fillRect(0, 0, size.width, size.height);
  const width = Math.min(size.width * 0.74, size.height * 0.9);
  const card = panelCard(material, { palette, longestSide: width });
  const height = width / card.aspect;
  const [x, y] = [(size.width - width) / 2, (size.height - height) * 0.42];
  await mountCard(card, unit).draw(context, { x, y, width, height }, 0);
  return canvas;
}
