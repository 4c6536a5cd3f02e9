/**
 * Scenes for frames above 720p: drawn at about its number of pixels and enlarged, since scenes are
 * soft and drawing is what a large frame costs most. Words and given pictures are laid over it at
 * full size.
 */
import { createCanvas } from '@napi-rs/canvas';
import type { Size } from '../size.ts';
import type { Scene } from './scene.ts';

const pixelsMax = 1280 * 720;

/** How large a scene for frames of this size is drawn. */
export function drawnSize({ width, height }: Size): Size {
  const scale = Math.sqrt(pixelsMax / (width * height));
  // Of the sizes called 720p some have a few pixels more, and are left as they are.
  if (scale > 0.95) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** A scene that was made for `drawn`, on frames of `size`. */
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
