/**
 * Image to video: the first frame is the first image and, with two, the last frame is the second.
 * In between, the camera moves through the images, with the weather of the prompt.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { openImage, panelCard } from '../card.ts';
import { mountCard } from '../card-mount.ts';
import { css } from '../color.ts';
import { backdropFor, covering } from '../image.ts';
import { smooth } from '../motion.ts';
import { createParallax, createTransition } from '../parallax.ts';
import type { JobMaterial } from '../render-job.ts';
import { createAtmosphere } from '../still/atmosphere.ts';
import type { Composition, CompositionContext } from './composition.ts';

/** The last image is held this long, so that the encoder reproduces it better. */
const holdSeconds = 0.25;
const weatherFadeSeconds = 1.2;

export async function createImages(clip: CompositionContext): Promise<Composition> {
  const { job, setting } = clip;
  const images = job.materials.filter(({ kind }) => kind === 'image');
  const first = await frameFor(clip, images[0]!);
  const last = images[1] && (await frameFor(clip, images[1]));
  const lastSecond = clip.lastSecond - (last ? holdSeconds : 0);
  const shot = { move: setting.brief.camera, lastSecond };
  const view = last
    ? createTransition({ first, last }, { ...shot, noise: setting.noise })
    : createParallax(first, shot);
  const atmosphere = createAtmosphere(setting);
  // The second image must end the clip unchanged; without it nothing fades out.
  const fadeOut = (second: number, seconds: number): number =>
    last ? smooth(second, { from: lastSecond, to: lastSecond - seconds }) : 1;
  return {
    draw(context, second) {
      view.draw(context, second);
      const fadeIn = smooth(second, { from: 0, to: weatherFadeSeconds });
      const strength = fadeIn * fadeOut(second, weatherFadeSeconds);
      atmosphere.draw(context, { second, strength });
    },
    captionOpacity: (second) => smooth(second, { from: 0.05, to: 0.9 }) * fadeOut(second, 0.6),
  };
}

/** An image that could not be fetched is shown as the prompt's scene with a card. */
async function frameFor(clip: CompositionContext, material: JobMaterial): Promise<Canvas> {
  const { size, palette, unit } = clip.setting;
  const image = await openImage(material);
  if (image) return covering(image, size, backdropFor(image, palette));
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  clip.scene().draw(context, 1);
  context.fillStyle = css(palette.shade, 0.34);
  context.fillRect(0, 0, size.width, size.height);
  const width = Math.min(size.width * 0.74, size.height * 0.9);
  const card = panelCard(material, { palette, longestSide: width });
  const height = width / card.aspect;
  const [x, y] = [(size.width - width) / 2, (size.height - height) * 0.42];
  await mountCard(card, unit).draw(context, { x, y, width, height }, 0);
  return canvas;
}
