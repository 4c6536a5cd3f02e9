/**
 * A camera that moves in a still image, or through two: near parts move more than far parts. It
 * starts at rest on the first image and ends at rest on the second, both pixel for pixel, and never
 * shows a tear or an empty edge.
 */
import { type Canvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import type { CameraMove } from './camera.ts';
import { clamp, smooth } from './motion.ts';
import type { Noise } from './random.ts';
import { blurred, type Plane, planeOf, valueAt } from './still/plane.ts';
import { isAtRest, relativeTo, shotOf } from './still/shot.ts';
import { projectGrid, type Still, stillOf } from './still/still.ts';
import { gridOver, type WarpGrid, warp } from './still/warp.ts';

type ParallaxOptions = {
  readonly move: CameraMove;
  /** The time of the last frame. The camera is at rest at 0 and at this time. */
  readonly lastSecond: number;
};

type Parallax = {
  /** Draws at the upper left corner, opaque, ignoring the transform of the context. */
  draw(context: SKRSContext2D, second: number): void;
};

export function createParallax(image: Canvas, options: ParallaxOptions): Parallax {
  const { width, height } = image;
  const grid = gridOver({ width, height });
  const shot = shotOf(options, grid.size);
  const still = stillOf(image, grid);
  const frame = new ImageData(width, height);
  const pixels = new Int32Array(frame.data.buffer);
  return {
    draw(context, second) {
      const pose = shot.at(second);
      if (isAtRest(pose)) return void context.drawImage(image, 0, 0);
      warp(pixels, grid, projectGrid(still, grid, pose));
      context.putImageData(frame, 0, 0);
    },
  };
}

/** Duration of the change, as a share of the clip and in seconds. */
const changeShare = 0.42;
const changeSeconds = { least: 1.2, most: 4 };
/** Width of the soft border, as a share of the change. */
const softness = 0.7;

/** Far parts change first, with soft borders. Both images have the same size. */
export function createTransition(
  { first, last }: { readonly first: Canvas; readonly last: Canvas },
  options: ParallaxOptions & { readonly noise: Noise },
): Parallax {
  const { width, height } = first;
  const { lastSecond } = options;
  const grid = gridOver({ width, height });
  const shot = shotOf(options, grid.size);
  const stills = { first: stillOf(first, grid), last: stillOf(last, grid) };
  const starts = changeStarts(stills, grid, options.noise);
  const shares = new Float32Array(starts.length);
  const frame = new ImageData(width, height);
  const pixels = new Int32Array(frame.data.buffer);
  const { least, most } = changeSeconds;
  const duration = Math.min(lastSecond, clamp(lastSecond * changeShare, least, most));
  const from = (lastSecond - duration) / 2;

  return {
    draw(context, second) {
      const pose = shot.at(second);
      const fromEnd = relativeTo(pose, shot.at(lastSecond));
      const changed = clamp((second - from) / duration);
      if (changed === 0 && isAtRest(pose)) return void context.drawImage(first, 0, 0);
      if (changed === 1 && isAtRest(fromEnd)) return void context.drawImage(last, 0, 0);
      if (changed === 0) warp(pixels, grid, projectGrid(stills.first, grid, pose));
      else if (changed === 1) warp(pixels, grid, projectGrid(stills.last, grid, fromEnd));
      else {
        const progress = changed * (1 + softness);
        for (let at = 0; at < starts.length; at += 1) {
          shares[at] = smooth(progress - starts[at]!, { from: 0, to: softness });
        }
        const over = projectGrid(stills.last, grid, fromEnd);
        warp(pixels, grid, projectGrid(stills.first, grid, pose), { over, shares });
      }
      context.putImageData(frame, 0, 0);
    },
  };
}

/** When each grid point starts to change, from 0 to 1, evenly distributed over time. */
function changeStarts(
  stills: { readonly first: Still; readonly last: Still },
  grid: WarpGrid,
  noise: Noise,
): Float32Array {
  const { plane } = stills.first.depth;
  const later = (at: number): number => {
    const across = ((at % plane.width) + 0.5) / plane.width;
    const down = (Math.floor(at / plane.width) + 0.5) / plane.height;
    const dark = 1 - valueAt(stills.last.depth.light, across, down);
    const clouds = noise.rough(across * 4, down * 4 * (plane.height / plane.width), 3);
    return 0.45 * plane.values[at]! + 0.3 * dark + 0.35 * clouds;
  };
  const even = ranked(blurred(blurred(planeOf(plane, later), 7), 5));
  return Float32Array.from({ length: grid.columns * grid.rows }, (_, at) => {
    const across = ((at % grid.columns) * grid.cell) / grid.size.width;
    const down = (Math.floor(at / grid.columns) * grid.cell) / grid.size.height;
    return valueAt(even, across, down);
  });
}

function ranked(plane: Plane): Plane {
  const sorted = plane.values.toSorted();
  return planeOf(plane, (at) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < plane.values[at]!) low = middle + 1;
      else high = middle;
    }
    return low / sorted.length;
  });
}
