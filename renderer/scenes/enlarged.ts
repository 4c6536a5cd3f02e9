/**
 * Scenes for frames above 720p: drawn with about as many pixels as 720p and enlarged, since scenes
 * are soft and drawing is the largest cost. Captions and materials are drawn at full size.
 */
import { createCanvas } from '@napi-rs/canvas';
import { cameraPath } from '../camera.ts';
import type { Size } from '../size.ts';
import type { Scene, SceneContext } from './scene.ts';

const pixelsMax = 1280 * 720;

/** Returns the size at which a scene for frames of this size is drawn. */
export function drawnSize({ width, height }: Size): Size {
  const scale = Math.sqrt(pixelsMax / (width * height));
  // Some 720p sizes have a few more pixels and are not scaled.
  if (scale > 0.95) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** The same setting for frames of another size. */
export const resized = <Setting extends Omit<SceneContext, 'size' | 'unit' | 'camera'>>(
  setting: Setting,
  size: Size,
): Setting & Pick<SceneContext, 'size' | 'unit' | 'camera'> => ({
  ...{ ...setting, size, unit: Math.min(size.width, size.height) / 720 },
  camera: cameraPath(setting.brief.camera, { size, seconds: setting.seconds }),
});

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
