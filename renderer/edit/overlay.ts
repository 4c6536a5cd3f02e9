/** The interface of animated layers over an edited frame. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Random } from '../random.ts';
import type { Size } from '../size.ts';

export type OverlayContext = {
  readonly size: Size;
  /** One pixel of a 720p frame, in pixels of this frame. */
  readonly unit: number;
  readonly random: Random;
};

export type FrameOverlay = { draw(context: SKRSContext2D, second: number): void };
