/**
 * The interface of the five compositions: text, images, references, edit and extension. A
 * composition draws the frame; the caption is drawn over it.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Plan } from '../plan.ts';
import type { RenderJob } from '../render-job.ts';
import type { Scene, SceneContext } from '../scenes/scene.ts';
import type { Size } from '../size.ts';

export type CompositionContext = {
  readonly job: RenderJob;
  readonly plan: Plan;
  readonly setting: SceneContext;
  /** The scene of the prompt, which draws frames of the size `drawn`. */
  readonly scene: () => Scene;
  readonly drawn: Size;
  /** The time of the last frame, one frame before the end of the clip. */
  readonly lastSecond: number;
  readonly captionTop: number;
};

export type Composition = {
  /** Covers the whole frame. Frames are drawn in order, each once. */
  draw(context: SKRSContext2D, second: number): void | Promise<void>;
  /** Opacity of the caption from 0 to 1; 0 on a frame that was given. */
  captionOpacity(second: number): number;
  close?(): Promise<void>;
};
