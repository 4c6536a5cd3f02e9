/** What lies over an edited picture and moves: all of it is made for a frame, and drawn on it. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Random } from '../random.ts';
import type { Size } from '../size.ts';

export type Room = {
  readonly size: Size;
  /** One pixel of a 720p frame, in pixels of this one. */
  readonly unit: number;
  readonly random: Random;
};

export type Overlay = { draw(context: SKRSContext2D, second: number): void };
