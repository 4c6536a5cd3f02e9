/**
 * What every way of making a clip gets and gives: words alone, given pictures, references, an edit
 * or an extension. A mode draws the picture; the words over it are not its business.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Plan } from '../plan.ts';
import type { RenderJob } from '../render-job.ts';
import type { Scene, SceneContext } from '../scenes/scene.ts';

export type CompositionContext = {
  readonly job: RenderJob;
  readonly plan: Plan;
  readonly setting: SceneContext;
  /** The prompt's own scene, made when it is asked for. */
  readonly scene: () => Scene;
  /** The moment of the last frame, a frame before the end of the clip. */
  readonly lastSecond: number;
  /** Where the words begin; above it nothing covers the picture. */
  readonly captionTop: number;
};

export type Composition = {
  /** Covers the whole frame. Frames are asked for in their order, each once. */
  draw(context: SKRSContext2D, second: number): void | Promise<void>;
  /** How much of the words may be seen, from 0 to 1: none on a frame that was given. */
  presence(second: number): number;
  close?(): Promise<void>;
};
