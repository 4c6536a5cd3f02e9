/**
 * What every scene receives and returns. A scene prepares costly parts once, then draws any second
 * of the clip; the same second always looks the same.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera, CameraPath } from '../camera.ts';
import { type Color, css, type Palette } from '../color.ts';
import type { PromptBrief } from '../prompt-brief.ts';
import type { Noise, Random } from '../random.ts';
import type { Size } from '../size.ts';

export type SceneContext = {
  readonly size: Size;
  readonly seconds: number;
  readonly brief: PromptBrief;
  readonly palette: Palette;
  readonly camera: CameraPath;
  readonly random: Random;
  readonly noise: Noise;
  /** One pixel of a 720p frame, in pixels of this frame. */
  readonly unit: number;
};

export type DrawAt = (context: SKRSContext2D, second: number) => void;

/** Covers the whole frame. */
export type Scene = DrawAt;

export type DrawSeen = (context: SKRSContext2D, camera: Camera) => void;

/** Adds everything that `draw` draws to the colors below it, then resets opacity and blending. */
export function addLight(context: SKRSContext2D, draw: () => void): void {
  context.globalCompositeOperation = 'lighter';
  draw();
  context.globalAlpha = 1;
  context.globalCompositeOperation = 'source-over';
}

export function glowOf(color: Color, pixels: number): Canvas {
  const context = createCanvas(pixels, pixels).getContext('2d');
  const middle = pixels / 2;
  const gradient = context.createRadialGradient(middle, middle, 0, middle, middle, middle);
  gradient.addColorStop(0, css(color, 1));
  gradient.addColorStop(0.2, css(color, 0.55));
  gradient.addColorStop(0.5, css(color, 0.16));
  gradient.addColorStop(0.75, css(color, 0.04));
  gradient.addColorStop(1, css(color, 0));
  context.fillStyle = gradient;
  context.fillRect(0, 0, pixels, pixels);
  return context.canvas;
}
