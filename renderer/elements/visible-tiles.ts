/**
 * Which parts of a layer a frame has to show: squares that are painted, and that no nearer layer
 * hides at any moment of the clip.
 */
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import type { SceneContext } from '../scenes/scene.ts';

/** In pixels of the frame. */
export type Edges = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

export type Squares = { isEmpty(part: Edges): boolean; isFull(part: Edges): boolean };

/** Side of the squares that are looked at, and of those that are drawn, at 720p. */
const squarePixels = 8;
const partPixels = 48;
/** Moments of a clip, as shares of it, at which a layer must be hidden to count as hidden. */
const moments = [0, 0.25, 0.5, 0.75, 1] as const;

export const isWithin = (part: Edges, whole: Edges): boolean =>
  part.left >= whole.left &&
  part.right <= whole.right &&
  part.top >= whole.top &&
  part.bottom <= whole.bottom;

/** Looks at every pixel at most once. */
export function squaresOf(canvas: Canvas, { left, top }: Edges, unit: number): Squares {
  const { width, height } = canvas;
  const side = Math.max(2, Math.round(squarePixels * unit));
  const columns = Math.ceil(width / side);
  const rows = Math.ceil(height / side);
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const words = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const kinds = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const right = Math.min(width, (column + 1) * side);
      const bottom = Math.min(height, (row + 1) * side);
      const square = { left: column * side, right, top: row * side, bottom };
      kinds[row * columns + column] = kindOf(words, width, square);
    }
  }
  /** What is outside the canvas is empty. */
  const every = (part: Edges, kind: number): boolean => {
    const lastColumn = Math.ceil((part.right - left) / side) - 1;
    const lastRow = Math.ceil((part.bottom - top) / side) - 1;
    for (let row = Math.floor((part.top - top) / side); row <= lastRow; row += 1) {
      for (let column = Math.floor((part.left - left) / side); column <= lastColumn; column += 1) {
        const isInside = row >= 0 && row < rows && column >= 0 && column < columns;
        if ((isInside ? kinds[row * columns + column] : empty) !== kind) return false;
      }
    }
    return true;
  };
  return { isEmpty: (part) => every(part, empty), isFull: (part) => every(part, full) };
}

const [empty, full, mixed] = [0, 1, 2];

/** Alpha is the highest byte of a pixel. */
function kindOf(words: Uint32Array, width: number, { left, right, top, bottom }: Edges): number {
  let [isEmpty, isFull] = [true, true];
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * width + left; at < y * width + right; at += 1) {
      const word = words[at]!;
      if (word !== 0) isEmpty = false;
      if (word < 0xff000000) isFull = false;
      if (!isEmpty && !isFull) return mixed;
    }
  }
  return isEmpty ? empty : full;
}

/** A nearer layer, as far as it may hide a farther one. */
export type Covering = { readonly depth: number; covers(part: Edges): boolean };

export type PartsPlan = Edges & {
  readonly depth: number;
  readonly cell?: number;
  readonly behind?: readonly Covering[];
};

/** What is to be drawn; parts that stand in the same columns of neighbouring rows are one. */
export function partsOf(
  setting: SceneContext,
  plan: PartsPlan,
  isPainted: (part: Edges) => boolean,
): readonly Edges[] {
  const side = Math.ceil((plan.cell ?? partPixels) * setting.unit);
  const isHidden = hiding(setting, plan);
  const parts: Edges[] = [];
  let above: Edges[] = [];
  for (let { top } = plan; top < plan.bottom; top += side) {
    const bottom = Math.min(plan.bottom, top + side);
    const row: Edges[] = [];
    for (let { left } = plan; left < plan.right; left += side) {
      const square = { left, right: Math.min(plan.right, left + side), top, bottom };
      if (!isPainted(square) || isHidden(square)) continue;
      const before = row.at(-1);
      if (before?.right === left) row[row.length - 1] = { ...before, right: square.right };
      else row.push(square);
    }
    above = row.map((part) => {
      const same = above.find(({ left, right }) => left === part.left && right === part.right);
      if (same) parts.splice(parts.indexOf(same), 1);
      const whole = same ? { ...part, top: same.top } : part;
      parts.push(whole);
      return whole;
    });
  }
  return parts;
}

type Sight = {
  readonly camera: Camera;
  readonly axis: 'x' | 'y';
  /** The depth of what is looked at, and of the layer whose place is wanted. */
  readonly from: number;
  readonly to: number;
};

/** Two layers meet at a point of the frame: from the place in one to the place in the other. */
function across({ size }: SceneContext, value: number, { camera, axis, from, to }: Sight): number {
  const middle = axis === 'x' ? size.width / 2 : size.height * 0.54;
  const seen = (value + camera[axis](from) - middle) * camera.scale(from);
  return seen / camera.scale(to) + middle - camera[axis](to);
}

const camerasOf = (setting: SceneContext): readonly Camera[] =>
  moments.map((share) => setting.camera.at(share * setting.seconds));

function hiding(
  setting: SceneContext,
  { depth, behind = [] }: PartsPlan,
): (part: Edges) => boolean {
  const cameras = camerasOf(setting);
  return (part) =>
    behind.some((layer) =>
      cameras.every((camera) => {
        const sight = { camera, from: depth, to: layer.depth };
        const x = (value: number): number => across(setting, value, { ...sight, axis: 'x' });
        const y = (value: number): number => across(setting, value, { ...sight, axis: 'y' });
        return layer.covers({
          ...{ left: x(part.left) - 2, right: x(part.right) + 2 },
          ...{ top: y(part.top) - 2, bottom: y(part.bottom) + 2 },
        });
      }),
    );
}

/**
 * How far down a layer must reach, so that no gap opens above a nearer one that begins at `top`.
 */
export function footOf(
  setting: SceneContext,
  { depth, near, top }: { readonly depth: number; readonly near: number; readonly top: number },
): number {
  const feet = camerasOf(setting).map((camera) =>
    across(setting, top, { camera, axis: 'y', from: near, to: depth }),
  );
  return Math.max(top, ...feet) + 2;
}

export type Painted = {
  readonly canvas: Canvas;
  /** Where the canvas stands in the frame before the camera moves. */
  readonly left: number;
  readonly top: number;
};

/**
 * Under the transform of the camera. Parts begin and end at whole pixels of the frame, so that two
 * of them meet without a seam.
 */
export function drawParts(
  target: SKRSContext2D,
  parts: readonly Edges[],
  { canvas, left, top }: Painted,
): void {
  const { a: scale, d: down, e: x, f: y } = target.getTransform();
  if (scale !== down) {
    // Painted into a mirror: no camera, no hurry.
    target.drawImage(canvas, left, top);
    return;
  }
  target.save();
  target.resetTransform();
  for (const part of parts) {
    const fromX = Math.round(part.left * scale + x);
    const fromY = Math.round(part.top * scale + y);
    const wide = Math.round(part.right * scale + x) - fromX;
    const tall = Math.round(part.bottom * scale + y) - fromY;
    const [sourceX, sourceY] = [(fromX - x) / scale - left, (fromY - y) / scale - top];
    target.drawImage(
      ...([canvas, sourceX, sourceY, wide / scale, tall / scale] as const),
      ...([fromX, fromY, wide, tall] as const),
    );
  }
  target.restore();
}
