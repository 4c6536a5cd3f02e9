/**
 * A layer painted once, as much wider than the frame as the camera can show of it, and then only
 * moved. Where it is empty, or always hidden behind a nearer layer, nothing is laid on: a frame
 * pays for what it shows.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import type { SceneContext } from '../scenes/scene.ts';
import { drawParts, type Edges, isWithin, partsOf, squaresOf } from './visible-tiles.ts';

export type Layer = {
  readonly depth: number;
  draw(context: SKRSContext2D, camera: Camera): void;
  /** Whether nothing shines through it there, in pixels of the frame before the camera moves. */
  covers(part: Edges): boolean;
};

export type LayerPlace = {
  /** 0 is far, 1 is near. */
  readonly depth: number;
  /**
   * The strip it fills, in pixels of the frame. At the frame's own edges it reaches beyond them.
   */
  readonly top: number;
  readonly bottom: number;
  /** Nothing shines through it: such a layer is laid on faster. */
  readonly opaque?: boolean;
  /** Side of the squares that are laid on or left out, at 720p: small ones for slender things. */
  readonly cell?: number;
  /** Nearer layers, painted before, that may hide it. */
  readonly behind?: readonly Layer[];
};

/** `paint` uses the frame's own coordinates; left and right it must fill the edges it is told. */
export function createLayer(
  setting: SceneContext,
  place: LayerPlace,
  paint: (context: SKRSContext2D, edges: Edges) => void,
): Layer {
  const { depth } = place;
  const edges = edgesOf(setting, place);
  const canvas = createCanvas(edges.right - edges.left, edges.bottom - edges.top);
  const context = canvas.getContext('2d', { alpha: !place.opaque });
  context.translate(-edges.left, -edges.top);
  paint(context, edges);
  const squares = place.opaque ? null : squaresOf(canvas, edges, setting.unit);
  const parts = partsOf(setting, { ...place, ...edges }, (part) => !squares?.isEmpty(part));
  return {
    depth,
    covers: (part) => (squares ? squares.isFull(part) : isWithin(part, edges)),
    draw: (target, camera) =>
      camera.look(target, depth, () => drawParts(target, parts, { ...edges, canvas })),
  };
}

/** A camera that does nothing, to paint layers into a picture of their own. */
export const resting: Camera = {
  share: 0,
  second: 0,
  x: () => 0,
  y: () => 0,
  scale: () => 1,
  look: (_context, _depth, draw) => draw(),
};

/** How far a layer reaches, in whole pixels of the frame. */
export function edgesOf({ size, camera }: SceneContext, { depth, top, bottom }: LayerPlace): Edges {
  const margin = camera.margin(depth);
  return {
    left: -margin.x,
    right: size.width + margin.x,
    top: Math.floor(top <= 0 ? -margin.y : top),
    bottom: Math.ceil(bottom >= size.height ? size.height + margin.y : bottom),
  };
}
