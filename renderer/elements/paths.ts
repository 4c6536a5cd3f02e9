/** Fills and strokes SVG paths, in the coordinates of the context. */
import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../color.ts';

type Fill = Color | SKRSContext2D['fillStyle'];

export function fillPath(context: SKRSContext2D, fill: Fill, path: string): void {
  context.fillStyle = Array.isArray(fill) ? css(fill as never) : (fill as string);
  context.fill(new Path2D(path));
}

export function strokePath(
  context: SKRSContext2D,
  color: Color,
  width: number,
  path: string,
): void {
  context.strokeStyle = css(color);
  context.lineWidth = width;
  context.stroke(new Path2D(path));
}
