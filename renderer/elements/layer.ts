/**
 * A layer of a scene: painted once, wider than the frame by as much as the camera can reveal, then
 * only moved. Empty tiles of the layer are skipped in every frame.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import type { SceneContext } from '../scenes/scene.ts';

/** In pixels of the frame. */
export type Edges = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

export type Layer = { draw(context: SKRSContext2D, camera: Camera): void };

export type LayerPlan = {
  readonly depth: number;
  /** In pixels of the frame. A layer that touches the top or bottom edge extends beyond it. */
  readonly top: number;
  readonly bottom: number;
  /** Whether the layer has no transparent pixel, which makes drawing faster. */
  readonly opaque?: boolean;
  /** Side of a tile at 720p. Layers of slender objects draw faster with small tiles. */
  readonly tile?: number;
};

const tilePixels = 48;
/** Points in time, as shares of the clip, at which the camera is sampled. */
const samples = [0, 0.25, 0.5, 0.75, 1] as const;

/** `paint` uses the coordinates of the frame and must fill the layer from left to right. */
export function createLayer(
  scene: SceneContext,
  plan: LayerPlan,
  paint: (context: SKRSContext2D, edges: Edges) => void,
): Layer {
  const edges = edgesOf(scene, plan);
  const canvas = createCanvas(edges.right - edges.left, edges.bottom - edges.top);
  const context = canvas.getContext('2d', { alpha: !plan.opaque });
  context.translate(-edges.left, -edges.top);
  paint(context, edges);
  const side = Math.ceil((plan.tile ?? tilePixels) * scene.unit);
  const strips = plan.opaque ? [edges] : stripsOf(canvas, edges, side);
  return {
    draw: (target, camera) =>
      camera.look(target, plan.depth, () => drawStrips(target, strips, { canvas, edges })),
  };
}

/** Rows of tiles, without the empty ones; neighbors in a row form one strip. */
function stripsOf(canvas: Canvas, edges: Edges, side: number): readonly Edges[] {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const isEmpty = (left: number, top: number): boolean => {
    for (let y = top; y < Math.min(height, top + side); y += 1) {
      const end = y * width + Math.min(width, left + side);
      for (let at = y * width + left; at < end; at += 1) if (pixels[at] !== 0) return false;
    }
    return true;
  };
  const strips: Edges[] = [];
  for (let y = 0; y < height; y += side) {
    const [top, bottom] = [edges.top + y, Math.min(edges.bottom, edges.top + y + side)];
    for (let x = 0; x < width; x += side) {
      if (isEmpty(x, y)) continue;
      const [left, right] = [edges.left + x, Math.min(edges.right, edges.left + x + side)];
      const before = strips.at(-1);
      if (before?.right === left && before.top === top)
        strips[strips.length - 1] = { ...before, right };
      else strips.push({ left, right, top, bottom });
    }
  }
  return strips;
}

/** Rounds every strip to whole pixels of the frame, so that no seam shows between two. */
function drawStrips(
  target: SKRSContext2D,
  strips: readonly Edges[],
  { canvas, edges }: { readonly canvas: Canvas; readonly edges: Edges },
): void {
  const { a: scale, d: down, e: x, f: y } = target.getTransform();
  if (scale !== down) {
    // The target is a reflection, which is painted once and without the camera.
    target.drawImage(canvas, edges.left, edges.top);
    return;
  }
  target.save();
  target.resetTransform();
  for (const { left, right, top, bottom } of strips) {
    const [fromX, fromY] = [Math.round(left * scale + x), Math.round(top * scale + y)];
    const wide = Math.round(right * scale + x) - fromX;
    const tall = Math.round(bottom * scale + y) - fromY;
    const sourceX = (fromX - x) / scale - edges.left;
    const sourceY = (fromY - y) / scale - edges.top;
    target.drawImage(
      ...([canvas, sourceX, sourceY, wide / scale, tall / scale] as const),
      ...([fromX, fromY, wide, tall] as const),
    );
  }
  target.restore();
}

/** A camera that does not move, for reflections and for frames that are enlarged afterwards. */
export const stillCamera: Camera = {
  second: 0,
  x: () => 0,
  y: () => 0,
  scale: () => 1,
  look: (_context, _depth, draw) => draw(),
};

/** How far a layer extends, in whole pixels of the frame. */
export function edgesOf({ size, camera }: SceneContext, { depth, top, bottom }: LayerPlan): Edges {
  const margin = camera.margin(depth);
  return {
    left: -margin.x,
    right: size.width + margin.x,
    top: Math.floor(top <= 0 ? -margin.y : top),
    bottom: Math.ceil(bottom >= size.height ? size.height + margin.y : bottom),
  };
}

/**
 * Returns how far down a layer must extend, in pixels, so that no gap opens above a nearer layer
 * that starts at `top`.
 */
export function footOf(
  { size, camera, seconds }: SceneContext,
  { depth, near, top }: { readonly depth: number; readonly near: number; readonly top: number },
): number {
  const middle = size.height * 0.54;
  const feet = samples.map((share) => {
    const { y, scale } = camera.at(share * seconds);
    const seen = (top + y(near) - middle) * scale(near);
    return seen / scale(depth) + middle - y(depth);
  });
  return Math.max(top, ...feet) + 2;
}

/** `paint` uses the coordinates of the frame; anything painted outside the box is lost. */
export function createSprite(box: Edges, paint: (context: SKRSContext2D) => void) {
  const [left, top] = [Math.floor(box.left), Math.floor(box.top)];
  const wide = Math.max(1, Math.ceil(box.right) - left);
  const tall = Math.max(1, Math.ceil(box.bottom) - top);
  const image = createCanvas(wide, tall);
  const context = image.getContext('2d');
  context.translate(-left, -top);
  paint(context);
  const draw = (target: SKRSContext2D): void => void target.drawImage(image, left, top);
  return {
    image,
    left,
    top,
    /** Draws the sprite where it was painted, without the camera. */
    draw,
    look: (target: SKRSContext2D, camera: Camera, depth: number): void =>
      camera.look(target, depth, () => draw(target)),
  };
}

/**
 * Draws a soft image at whole pixels and its own size, which costs a fifth of an exact placement.
 * Only for images without sharp edges, where the steps are invisible.
 */
export function drawSoft(
  context: SKRSContext2D,
  camera: Camera,
  { image, x, y, depth }: { image: Canvas; x: number; y: number; depth: number },
): void {
  const [left, top] = [x + camera.x(depth), y + camera.y(depth)];
  context.drawImage(image, Math.round(left), Math.round(top));
}
