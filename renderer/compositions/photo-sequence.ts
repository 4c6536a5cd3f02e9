/**
 * One or two reference photos, one after the other: each as large as the frame allows, with a
 * moving camera. A photo blends into the prompt's scene from near to far, and leaves the other way.
 */
import { type Canvas, createCanvas, type Image } from '@napi-rs/canvas';
import { css, type Palette } from '../color.ts';
import { covering } from '../image.ts';
import { smooth } from '../motion.ts';
import { createParallax } from '../parallax.ts';
import { drawnSize } from '../scenes/enlarged.ts';
import type { Scene } from '../scenes/scene.ts';
import type { Size } from '../size.ts';
import { createAtmosphere } from '../still/atmosphere.ts';
import { type Plane, planeOf } from '../still/plane.ts';
import { createBackground } from './background.ts';
import type { Composition, CompositionContext } from './composition.ts';

/** A photo whose aspect ratio differs from the frame's by at most this factor fills the frame. */
const cropMax = 1.2;
/** Width of the soft edge at a free side, as a share of the photo: of far and of near parts. */
const softShares = { far: 0.4, near: 0.07 };
/** How much of the scene shows through the farthest parts. */
const farTransparency = 0.6;
const fadeInSeconds = 2.6;
const fadeOutSeconds = 0.9;

export function createPhotoSequence(
  clip: CompositionContext,
  images: readonly Image[],
): Composition {
  const { setting, lastSecond } = clip;
  const background = createBackground(setting);
  const each = lastSecond / images.length;
  const photos = images.map((image, at) => {
    const from = at === 0 ? 0.25 : at * each - fadeOutSeconds * 0.6;
    const isLast = at === images.length - 1;
    return createPhoto(clip, image, {
      ...{ from, visibleAt: from + Math.min(fadeInSeconds, each * 0.5) },
      until: isLast ? lastSecond : (at + 1) * each - fadeOutSeconds * 0.4,
    });
  });
  return {
    draw(context, second) {
      background.draw(context, second);
      for (const photo of photos) photo.draw(context, second);
    },
    captionOpacity: () => 1,
  };
}

/** When it starts to appear, is fully visible, and starts to disappear. */
type Timing = { readonly from: number; readonly visibleAt: number; readonly until: number };

function createPhoto(
  { setting, lastSecond }: CompositionContext,
  image: Image,
  { from, visibleAt, until }: Timing,
): Scene {
  const { size, brief, palette } = setting;
  const shown = shownSize(image, size);
  const picture = tinted(covering(image, drawnSize(shown)), palette);
  const canvas = createCanvas(picture.width, picture.height);
  const own = canvas.getContext('2d');
  const seconds = Math.min(lastSecond, until + fadeOutSeconds) - from;
  const view = createParallax(picture, { move: brief.camera, lastSecond: seconds });
  const mask = createMask(view.depth, {
    fadesSides: shown.width < size.width,
    fadesTop: shown.height < size.height,
  });
  const atmosphere = createAtmosphere(setting);
  const x = Math.round((size.width - shown.width) / 2);
  const y = Math.round((size.height - shown.height) / 2);
  return {
    draw(context, second) {
      const fadedIn = smooth(second, { from, to: visibleAt });
      const share = fadedIn * smooth(second, { from: until + fadeOutSeconds, to: until });
      if (share <= 0) return;
      own.globalCompositeOperation = 'source-over';
      view.draw(own, second - from);
      own.globalCompositeOperation = 'destination-in';
      own.drawImage(mask.at(share), 0, 0, canvas.width, canvas.height);
      context.drawImage(canvas, x, y, shown.width, shown.height);
      atmosphere.draw(context, { second, strength: share });
    },
  };
}

/** Touches two sides of the frame, or all four when little is cropped. */
function shownSize(image: Size, frame: Size): Size {
  const aspect = image.width / image.height;
  const difference = aspect / (frame.width / frame.height);
  if (Math.max(difference, 1 / difference) <= cropMax) return frame;
  return difference < 1
    ? { width: Math.round(frame.height * aspect), height: frame.height }
    : { width: frame.width, height: Math.round(frame.width / aspect) };
}

/** Adds some of the scene's light, from the sky down to the ground. */
function tinted(picture: Canvas, palette: Palette): Canvas {
  const { width, height } = picture;
  const context = picture.getContext('2d');
  const light = context.createLinearGradient(0, 0, 0, height);
  light.addColorStop(0, css(palette.middle, 0.2));
  light.addColorStop(0.6, css(palette.horizon, 0.24));
  light.addColorStop(1, css(palette.low, 0.2));
  context.globalCompositeOperation = 'soft-light';
  context.fillStyle = light;
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'source-over';
  return picture;
}

/** An alpha mask of the depth map's size: with a growing share, farther parts become visible. */
function createMask(
  depth: Plane,
  fades: { readonly fadesSides: boolean; readonly fadesTop: boolean },
): { at(share: number): Canvas } {
  const { width, height, values } = depth;
  const final = planeOf(depth, (at) => {
    const across = ((at % width) + 0.5) / width;
    const down = (Math.floor(at / width) + 0.5) / height;
    const near = values[at]!;
    const to = softShares.far + (softShares.near - softShares.far) * near;
    const sides = fades.fadesSides ? smooth(Math.min(across, 1 - across), { from: 0, to }) : 1;
    const top = fades.fadesTop ? smooth(Math.min(down, 1 - down), { from: 0, to }) : 1;
    return sides * top * (1 - farTransparency * smooth(near, { from: 0.28, to: 0 }));
  });
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(width, height);
  return {
    at(share) {
      for (let at = 0; at < values.length; at += 1) {
        const visible = smooth(share * 1.9 - (1 - values[at]!) * 0.9, { from: 0, to: 1 });
        pixels.data[at * 4 + 3] = 255 * final.values[at]! * visible;
      }
      context.putImageData(pixels, 0, 0);
      return canvas;
    },
  };
}
