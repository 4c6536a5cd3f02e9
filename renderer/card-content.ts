/** What is to be seen on a card, whatever that is: a picture, a playing video, a panel, a sound. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Size } from './size.ts';

export type Box = Size & { readonly x: number; readonly y: number };

/** It is asked for every frame, so it may move. */
export type CardContent = {
  /** Width over height, as it is best seen. */
  readonly shape: number;
  /**
   * Fills the box; what does not fit its shape is cut. Moments come in their order, each at most
   * once, and not before the card is seen.
   */
  draw(context: SKRSContext2D, box: Box, second: number): void | Promise<void>;
  /** The same at every moment: once drawn it may be kept. */
  readonly isStill?: true;
  close?(): Promise<void>;
};
