/**
 * A picture as if painted: every place takes the mean color of the calmest patch around it, so
 * that surfaces become flat strokes and edges stay sharp (the filter of Kuwahara).
 */
import type { Size } from '../size.ts';

export type Painter = {
  /** RGBA in and out, of the size the painter was made for. What comes out is used again. */
  paint(from: Uint8Array): Uint8ClampedArray;
};

/** `stroke` is the side of a patch in pixels. */
export function createPainter(size: Size, stroke: number): Painter {
  const { width, height } = size;
  const sums = createSums(size);
  const unrest = new Float32Array(width * height);
  const to = new Uint8ClampedArray(width * height * 4);
  const [farX, farY] = [width - stroke, height - stroke];
  const area = stroke * stroke;

  function findUnrest(): void {
    for (let y = 0; y <= farY; y += 1) {
      for (let x = 0; x <= farX; x += 1) {
        const corner = y * (width + 1) + x;
        const mean = sums.over(sums.greys, corner, stroke) / area;
        unrest[y * width + x] = sums.over(sums.squares, corner, stroke) / area - mean * mean;
      }
    }
  }

  return {
    paint(from) {
      sums.add(from);
      findUnrest();
      for (let y = 0, at = 0; y < height; y += 1) {
        const top = Math.min(farY, Math.max(0, y - stroke + 1)) * width;
        const bottom = Math.min(farY, y) * width;
        for (let x = 0; x < width; x += 1, at += 4) {
          const left = Math.min(farX, Math.max(0, x - stroke + 1));
          const right = Math.min(farX, x);
          const above = unrest[top + left]! < unrest[top + right]! ? top + left : top + right;
          const below =
            unrest[bottom + left]! < unrest[bottom + right]! ? bottom + left : bottom + right;
          const calm = unrest[above]! < unrest[below]! ? above : below;
          // A row of sums is one longer than a row of pixels.
          const corner = calm + ((calm / width) | 0);
          to[at] = sums.over(sums.reds, corner, stroke) / area;
          to[at + 1] = sums.over(sums.greens, corner, stroke) / area;
          to[at + 2] = sums.over(sums.blues, corner, stroke) / area;
          to[at + 3] = 255;
        }
      }
      return to;
    },
  };
}

/** Sums over everything above and to the left, so that any patch is four of them. */
function createSums({ width, height }: Size) {
  const columns = width + 1;
  const table = (): Int32Array => new Int32Array(columns * (height + 1));
  const [reds, greens, blues, greys, squares] = [table(), table(), table(), table(), table()];
  return {
    ...{ reds, greens, blues, greys, squares },
    add(from: Uint8Array): void {
      for (let y = 0, at = 0; y < height; y += 1) {
        let [red, green, blue, grey, square] = [0, 0, 0, 0, 0];
        let to = (y + 1) * columns + 1;
        for (let x = 0; x < width; x += 1, at += 4, to += 1) {
          const level = (from[at]! * 54 + from[at + 1]! * 183 + from[at + 2]! * 19) >> 8;
          red += from[at]!;
          green += from[at + 1]!;
          blue += from[at + 2]!;
          grey += level;
          square += level * level;
          const above = to - columns;
          reds[to] = reds[above]! + red;
          greens[to] = greens[above]! + green;
          blues[to] = blues[above]! + blue;
          greys[to] = greys[above]! + grey;
          squares[to] = squares[above]! + square;
        }
      }
    },
    /** Over the patch whose upper left corner is given. Sums run over; differences stay right. */
    over(sums: Int32Array, corner: number, side: number): number {
      const below = corner + side * columns;
      return (sums[below + side]! - sums[below]! - sums[corner + side]! + sums[corner]!) | 0;
    },
  };
}
