/** Images painted once and placed in the frame, and how they are drawn as the camera sees them. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import type { Edges } from './layer.ts';

export type Sprite = {
  readonly image: Canvas;
  readonly left: number;
  readonly top: number;
  /** Draws the sprite where it was painted, without the camera. */
  draw(context: SKRSContext2D): void;
  look(context: SKRSContext2D, camera: Camera, depth: number): void;
};

/** `paint` uses the coordinates of the frame; anything painted outside the box is lost. */
export function createSprite(box: Edges, paint: (context: SKRSContext2D) => void): Sprite {
  const [left, top] = [Math.floor(box.left), Math.floor(box.top)];
  const wide = Math.max(1, Math.ceil(box.right) - left);
  const tall = Math.max(1, Math.ceil(box.bottom) - top);
  const image = createCanvas(wide, tall);
  const context = image.getContext('2d');
  context.translate(-left, -top);
  paint(context);
  const draw = (target: SKRSContext2D): void => void target.drawImage(image, left, top);
  return {
    ...{ image, left, top, draw },
    look: (target, camera, depth) => camera.look(target, depth, () => draw(target)),
  };
}

/**
 * Draws a soft image at whole pixels and its own size, which costs a fifth of an exact placement.
 * Only for images without sharp edges, where the steps are invisible. A zoom still enlarges it.
 */
export function drawSoft(
  context: SKRSContext2D,
  camera: Camera,
  { image, x, y, depth }: { image: Canvas; x: number; y: number; depth: number },
): void {
  if (camera.scale(0) !== 1) {
    camera.look(context, depth, () => context.drawImage(image, x, y));
    return;
  }
  const [left, top] = [x + camera.x(depth), y + camera.y(depth)];
  context.drawImage(image, Math.round(left), Math.round(top));
}
