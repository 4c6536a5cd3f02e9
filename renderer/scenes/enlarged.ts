/**
 * Scenes for frames above 720p: drawn with about as many pixels as 720p and enlarged, since scenes
 * are soft and drawing is the largest cost. Captions and materials are drawn at full size.
 */
import { createCanvas } from '@napi-rs/canvas';
import type { Size } from '../size.ts';
import type { Scene } from './scene.ts';

const pixelsMax = 1280 * 720;

/** Returns the size at which a scene for frames of this size is drawn. */
export function drawnSize({ width, height }: Size): Size {
  const scale = Math.sqrt(pixelsMax / (width * height));
  // Some 720p sizes have a few more pixels and are not scaled.
  if (scale > 0.95) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** Enlarges a scene that was created for `drawn` to frames of `size`. */
export function enlarged(scene: Scene, drawn: Size, size: Size): Scene {
  if (drawn.width === size.width) return scene;
  const canvas = createCanvas(drawn.width, drawn.height);
  const smallContext = canvas.getContext('2d', { alpha: false });
  return {
    draw(context, second) {
      scene.draw(smallContext, second);
      context.drawImage(canvas, 0, 0, size.width, size.height);
    },
  };
}
