/** A thing painted once into a picture just as large as it is, at its place in the frame. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';

export type Box = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

export type Sprite = {
  readonly picture: Canvas;
  readonly left: number;
  readonly top: number;
  /** Where it was painted. */
  draw(context: SKRSContext2D): void;
  /** The same, as the camera sees it at a depth. */
  look(context: SKRSContext2D, camera: Camera, depth: number): void;
};

/** `paint` uses the frame's coordinates; what lies outside the box is not kept. */
export function spriteOf(box: Box, paint: (context: SKRSContext2D) => void): Sprite {
  const [left, top] = [Math.floor(box.left), Math.floor(box.top)];
  const wide = Math.max(1, Math.ceil(box.right) - left);
  const tall = Math.max(1, Math.ceil(box.bottom) - top);
  const picture = createCanvas(wide, tall);
  const context = picture.getContext('2d');
  context.translate(-left, -top);
  paint(context);
  const draw = (target: SKRSContext2D): void => void target.drawImage(picture, left, top);
  return {
    ...{ picture, left, top, draw },
    look: (target, camera, depth) => camera.look(target, depth, () => draw(target)),
  };
}
