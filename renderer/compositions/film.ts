/**
 * Reference images as the subjects of a film, one after the other: each seen whole and as large as
 * the frame allows, moved in by the camera. It comes into the prompt's scene from near to far, so
 * that its subject stands in that scene first, and goes the other way.
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

/** A picture whose shape differs from the frame's by no more than this fills it. */
const cutMax = 1.2;
/** How far in from a free side it begins to pass away: what is far, and what is near. */
const softShares = { far: 0.4, near: 0.07 };
/** How much of the scene is seen through what is farthest. */
const seenThrough = 0.6;
/** Seconds in which one comes, and goes before the next. */
const comingSeconds = 2.6;
const goingSeconds = 0.9;

export function createFilm(stage: CompositionContext, images: readonly Image[]): Composition {
  const { setting, lastSecond } = stage;
  const background = createBackground(setting);
  const each = lastSecond / images.length;
  const subjects = images.map((image, at) => {
    const from = at === 0 ? 0.25 : at * each - goingSeconds * 0.6;
    const isLast = at === images.length - 1;
    return createSubject(stage, image, {
      ...{ from, there: from + Math.min(comingSeconds, each * 0.5) },
      until: isLast ? lastSecond : (at + 1) * each - goingSeconds * 0.4,
    });
  });
  return {
    draw(context, second) {
      background.draw(context, second);
      for (const subject of subjects) subject.draw(context, second);
    },
    presence: () => 1,
  };
}

type Hours = { readonly from: number; readonly there: number; readonly until: number };

function createSubject(
  { setting, lastSecond }: CompositionContext,
  image: Image,
  hours: Hours,
): Scene {
  const { size, brief, palette } = setting;
  const { from, there, until } = hours;
  const seen = seenSize(image, size);
  const picture = tinted(covering(image, drawnSize(seen)), palette);
  const canvas = createCanvas(picture.width, picture.height);
  const own = canvas.getContext('2d');
  const seconds = Math.min(lastSecond, until + goingSeconds) - from;
  const view = createParallax(picture, { move: brief.camera, lastSecond: seconds });
  const mask = createMask(view.depth, {
    fadesAside: seen.width < size.width,
    fadesAbove: seen.height < size.height,
  });
  const atmosphere = createAtmosphere(setting, view.depth);
  const x = Math.round((size.width - seen.width) / 2);
  const y = Math.round((size.height - seen.height) / 2);
  return {
    draw(context, second) {
      const come = smooth(second, { from, to: there });
      const share = come * smooth(second, { from: until + goingSeconds, to: until });
      if (share <= 0) return;
      view.drawVeiled(own, second - from, mask.at(share));
      context.drawImage(canvas, x, y, seen.width, seen.height);
      atmosphere.draw(context, { second, strength: share });
    },
  };
}

/** It touches two sides of the frame, or all four when little is lost. */
function seenSize(image: Size, frame: Size): Size {
  const shape = image.width / image.height;
  const difference = shape / (frame.width / frame.height);
  if (Math.max(difference, 1 / difference) <= cutMax) return frame;
  return difference < 1
    ? { width: Math.round(frame.height * shape), height: frame.height }
    : { width: frame.width, height: Math.round(frame.width / shape) };
}

/** A little of the scene's light: cooler above, warmer below, or whatever its sky has. */
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

/** How much of each part is seen: the more has come, the further into the distance. */
function createMask(
  depth: Plane,
  fades: { readonly fadesAside: boolean; readonly fadesAbove: boolean },
): { at(share: number): Plane } {
  const { width, height, values } = depth;
  const lasting = planeOf(depth, (at) => {
    const across = ((at % width) + 0.5) / width;
    const down = (Math.floor(at / width) + 0.5) / height;
    const near = values[at]!;
    const to = softShares.far + (softShares.near - softShares.far) * near;
    const aside = fades.fadesAside ? smooth(Math.min(across, 1 - across), { from: 0, to }) : 1;
    const above = fades.fadesAbove ? smooth(Math.min(down, 1 - down), { from: 0, to }) : 1;
    return aside * above * (1 - seenThrough * smooth(near, { from: 0.28, to: 0 }));
  });
  return {
    at(share) {
      if (share === 1) return lasting;
      return planeOf(depth, (at) => {
        const come = smooth(share * 1.9 - (1 - values[at]!) * 0.9, { from: 0, to: 1 });
        return lasting.values[at]! * come;
      });
    },
  };
}
