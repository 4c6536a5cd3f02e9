/**
 * A single transparent reference image, such as a logo or a product: it stands in the prompt's
 * scene in front of a soft light, and casts a shadow.
 */
import { type Canvas, createCanvas, type Image, type SKRSContext2D } from '@napi-rs/canvas';
import type { Rect } from '../card-content.ts';
import { css } from '../color.ts';
import type { Backdrop } from '../image.ts';
import { clamp, settle, smooth } from '../motion.ts';
import { createBackground } from './background.ts';
import type { Composition, CompositionContext } from './composition.ts';

export function createCutout(
  clip: CompositionContext,
  image: Image,
  backdrop: Backdrop,
): Composition {
  const { setting, lastSecond, captionTop } = clip;
  const { size, unit } = setting;
  const background = createBackground(setting);
  const top = size.height * 0.1;
  const space = { width: size.width * 0.8, height: Math.max(size.height * 0.3, captionTop - top) };
  const scale = Math.min(space.width / image.width, space.height / image.height);
  const [width, height] = [image.width * scale, image.height * scale];
  const box = {
    ...{ width, height },
    x: (size.width - width) / 2,
    y: top + (space.height - height) / 2,
  };
  const margin = Math.ceil(46 * unit);
  const picture = withShadow(image, { box, margin, unit });

  return {
    draw(context, second) {
      background.draw(context, second);
      const arrived = settle((second - 0.2) / 1.4);
      if (arrived <= 0) return;
      drawLight(context, { box, backdrop, strength: arrived });
      const enlarged = (0.9 + 0.1 * arrived) * (1 + 0.05 * clamp(second / lastSecond));
      const float = Math.sin(second * 0.9) * 5 * unit + (1 - arrived) * 40 * unit;
      context.save();
      context.translate(box.x + width / 2, box.y + height / 2 + float);
      context.scale(enlarged, enlarged);
      context.globalAlpha = smooth(arrived, { from: 0, to: 0.8 });
      context.drawImage(picture, -width / 2 - margin, -height / 2 - margin);
      context.restore();
    },
    captionOpacity: () => 1,
  };
}

function withShadow(
  image: Image,
  { box, margin, unit }: { readonly box: Rect; readonly margin: number; readonly unit: number },
): Canvas {
  const canvas = createCanvas(
    Math.ceil(box.width) + margin * 2,
    Math.ceil(box.height) + margin * 2,
  );
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = image.width > box.width * 1.4 ? 'medium' : 'high';
  context.shadowColor = 'rgba(0,0,0,.4)';
  context.shadowBlur = 30 * unit;
  context.shadowOffsetY = 12 * unit;
  context.drawImage(image, margin, margin, box.width, box.height);
  return canvas;
}

/** Keeps dark images visible at night, and light ones by day. */
function drawLight(
  context: SKRSContext2D,
  { box, backdrop, strength }: { box: Rect; backdrop: Backdrop; strength: number },
): void {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const reach = Math.hypot(box.width, box.height) * 0.72;
  const light = context.createRadialGradient(x, y, 0, x, y, reach);
  for (const [at, alpha] of [
    [0, 0.8],
    [0.45, 0.66],
    [0.75, 0.22],
    [1, 0],
  ] as const) {
    light.addColorStop(at, css(backdrop.middle, alpha * strength));
  }
  context.fillStyle = light;
  context.fillRect(x - reach, y - reach, reach * 2, reach * 2);
}
