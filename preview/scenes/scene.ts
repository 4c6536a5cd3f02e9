/**
 * What every scene gets and gives. A scene prepares once whatever is costly (noise, skies, lights)
 * and then draws any moment of the clip from it: the same moment always looks the same.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css, type Palette } from '../colour.ts';
import { smooth } from '../motion.ts';
import type { Noise, Random } from '../random.ts';
import type { Size } from '../size.ts';

export type Setting = {
  readonly size: Size;
  readonly seconds: number;
  readonly prompt: string;
  readonly palette: Palette;
  readonly random: Random;
  readonly noise: Noise;
  /** One pixel of a 720p frame, in pixels of this one. */
  readonly unit: number;
};

export type Scene = {
  /** Covers the whole frame, whatever was on it. */
  draw(context: SKRSContext2D, second: number): void;
};

export type Camera = {
  /** How far it has gone to one side, in frame heights; slower layers take a share of it. */
  readonly travel: number;
  readonly zoom: number;
};

/** Starts and ends gently, and keeps the same pace however long the clip is. */
export function cameraAt(second: number, seconds: number): Camera {
  const share = second / seconds;
  const eased = smooth(share, { from: 0, to: 1 }) * 0.6 + share * 0.4;
  const paces = Math.sqrt(seconds / 5);
  return { travel: eased * 0.2 * paces, zoom: 1 + 0.06 * share };
}

/** Draws with the camera's zoom around a point a little below the middle. */
export function zoomed(
  context: SKRSContext2D,
  options: { readonly size: Size; readonly zoom: number },
  draw: () => void,
): void {
  const { width, height } = options.size;
  context.save();
  context.translate(width / 2, height * 0.56);
  context.scale(options.zoom, options.zoom);
  context.translate(-width / 2, -height * 0.56);
  draw();
  context.restore();
}

/** A soft round light, to be drawn at any size. */
export function glowOf(colour: Colour, pixels: number): Canvas {
  const canvas = createCanvas(pixels, pixels);
  const context = canvas.getContext('2d');
  const middle = pixels / 2;
  const gradient = context.createRadialGradient(middle, middle, 0, middle, middle, middle);
  gradient.addColorStop(0, css(colour, 1));
  gradient.addColorStop(0.2, css(colour, 0.55));
  gradient.addColorStop(0.5, css(colour, 0.16));
  gradient.addColorStop(0.75, css(colour, 0.04));
  gradient.addColorStop(1, css(colour, 0));
  context.fillStyle = gradient;
  context.fillRect(0, 0, pixels, pixels);
  return canvas;
}
