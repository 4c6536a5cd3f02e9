/** Test images with near and far parts. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Size } from '../size.ts';

/** A sky, hills, a far red tower and a near red post. */
export function landscapeOf({ width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  const fade = (colors: readonly [string, string], from: number, to: number): void => {
    const gradient = context.createLinearGradient(0, from * height, 0, to * height);
    gradient.addColorStop(0, colors[0]);
    gradient.addColorStop(1, colors[1]);
    context.fillStyle = gradient;
    context.fillRect(0, from * height, width, height);
  };
  const red = (box: readonly [x: number, y: number, width: number, height: number]): void => {
    context.fillStyle = '#c02818';
    context.fillRect(box[0] * width, box[1] * height, box[2] * width, box[3] * height);
  };
  fade(['#3f78b8', '#bcd6e6'], 0, 0.5);
  fade(['#8aa08c', '#6d8a6a'], 0.5, 0.64);
  red([0.5, 0.38, 0.03, 0.14]);
  fade(['#7c9a58', '#2c4a20'], 0.62, 1);
  red([0.5, 0.56, 0.06, 0.42]);
  return canvas;
}
