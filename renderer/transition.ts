/**
 * One camera move through two pictures: it starts at rest on the first and ends at rest on the
 * second, both pixel for pixel. What is far gives way first, and soft shapes carry the change.
 */
import { type Canvas, ImageData } from '@napi-rs/canvas';
import { clamp, smooth } from './motion.ts';
import type { Parallax, ParallaxOptions } from './parallax.ts';
import type { Noise } from './random.ts';
import { blurred, type Plane, planeOf, valueAt } from './still/plane.ts';
import { isAtRest, shotOf, since } from './still/shot.ts';
import { lay, type Still, stillOf } from './still/still.ts';
import { type Net, netOver, warp } from './still/warp.ts';

/** How long the first gives way to the second, in parts of the clip and in seconds. */
const changeShare = 0.42;
const changeSeconds = { least: 1.2, most: 4 };
/** How soft the border between them is, in parts of the whole change. */
const softness = 0.7;

/** Both pictures are of one size. */
export function createTransition(
  { first, last }: { readonly first: Canvas; readonly last: Canvas },
  options: ParallaxOptions & { readonly noise: Noise },
): Parallax {
  const { width, height } = first;
  const { lastSecond } = options;
  const net = netOver({ width, height });
  const shot = shotOf(options, net.size);
  const stills = { first: stillOf(first, net), last: stillOf(last, net) };
  const turns = turnsOf(stills, net, options.noise);
  const shares = new Float32Array(turns.length);
  const frame = new ImageData(width, height);
  const pixels = new Int32Array(frame.data.buffer);
  const { least, most } = changeSeconds;
  const lasting = Math.min(lastSecond, clamp(lastSecond * changeShare, least, most));
  const from = (lastSecond - lasting) / 2;

  return {
    depth: stills.first.depth.plane,
    draw(context, second) {
      const pose = shot.at(second);
      const back = since(pose, shot.at(lastSecond));
      const changed = clamp((second - from) / lasting);
      if (changed === 0 && isAtRest(pose)) return void context.drawImage(first, 0, 0);
      if (changed === 1 && isAtRest(back)) return void context.drawImage(last, 0, 0);
      if (changed === 0) warp(pixels, net, lay(stills.first, net, pose));
      else if (changed === 1) warp(pixels, net, lay(stills.last, net, back));
      else {
        const gone = changed * (1 + softness);
        for (let at = 0; at < turns.length; at += 1) {
          shares[at] = smooth(gone - turns[at]!, { from: 0, to: softness });
        }
        const over = lay(stills.last, net, back);
        warp(pixels, net, lay(stills.first, net, pose), { over, shares });
      }
      context.putImageData(frame, 0, 0);
    },
  };
}

/** When each knot of the net begins to change, from 0 to 1: every moment sees as many begin. */
function turnsOf(
  stills: { readonly first: Still; readonly last: Still },
  net: Net,
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
  return Float32Array.from({ length: net.columns * net.rows }, (_, at) => {
    const across = ((at % net.columns) * net.cell) / net.size.width;
    const down = (Math.floor(at / net.columns) * net.cell) / net.size.height;
    return valueAt(even, across, down);
  });
}

/** Each value replaced by its place in the order of all, from 0 to 1. */
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
