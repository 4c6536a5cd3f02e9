/**
 * Lays a soft picture on at whole pixels and its own size, which costs a fifth of anything finer.
 * Only for what has no sharp edge: the eye does not see the steps. A zoom enlarges it as all else.
 */
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';

export function drawSoft(
  context: SKRSContext2D,
  camera: Camera,
  { picture, x, y, depth }: { picture: Canvas; x: number; y: number; depth: number },
): void {
  if (camera.scale(0) !== 1) {
    camera.look(context, depth, () => context.drawImage(picture, x, y));
    return;
  }
  const [left, top] = [x + camera.x(depth), y + camera.y(depth)];
  context.drawImage(picture, Math.round(left), Math.round(top));
}
