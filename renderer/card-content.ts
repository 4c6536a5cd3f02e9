/** What a card shows: an image, a playing video, a panel or a waveform. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Size } from './size.ts';

export type Rect = Size & { readonly x: number; readonly y: number };

export type CardContent = {
  readonly aspect: number;
  /** Covers the box, cropped to its shape. Times must increase from call to call. */
  draw(context: SKRSContext2D, box: Rect, second: number): void | Promise<void>;
  /** Never changes, so that its pixels may be cached. */
  readonly isStill?: true;
  close?(): Promise<void>;
};
