/**
 * The Kuwahara filter: each pixel takes the mean color of the adjacent patch with the least
 * variance, which flattens surfaces and keeps edges sharp, like oil paint.
 */
import type { Size } from '../size.ts';

/** Maps RGBA to RGBA of the given size. The returned buffer is reused by the next call. */
export function createOilFilter(
  size: Size,
  brushPixels: number,
): (from: Uint8Array) => Uint8ClampedArray {
  const { width, height } = size;
  const sums = createSums(size);
  const variance = new Float32Array(width * height);
  const to = new Uint8ClampedArray(width * height * 4);
  const [farX, farY] = [width - brushPixels, height - brushPixels];
  const area = brushPixels * brushPixels;

  function computeVariance(): void {
    for (let y = 0; y <= farY; y += 1) {
      for (let x = 0; x <= farX; x += 1) {
        const corner = y * (width + 1) + x;
        const mean = sums.over(sums.grays, corner, brushPixels) / area;
        variance[y * width + x] = sums.over(sums.squares, corner, brushPixels) / area - mean * mean;
      }
    }
  }

  return (from) => {
    sums.add(from);
    computeVariance();
    for (let y = 0, at = 0; y < height; y += 1) {
      const top = Math.min(farY, Math.max(0, y - brushPixels + 1)) * width;
      const bottom = Math.min(farY, y) * width;
      for (let x = 0; x < width; x += 1, at += 4) {
        const left = Math.min(farX, Math.max(0, x - brushPixels + 1));
        const right = Math.min(farX, x);
        const above = variance[top + left]! < variance[top + right]! ? top + left : top + right;
        const below =
          variance[bottom + left]! < variance[bottom + right]! ? bottom + left : bottom + right;
        const calm = variance[above]! < variance[below]! ? above : below;
        // A row of sums has one more entry than a row of pixels.
        const corner = calm + ((calm / width) | 0);
        to[at] = sums.over(sums.reds, corner, brushPixels) / area;
        to[at + 1] = sums.over(sums.greens, corner, brushPixels) / area;
        to[at + 2] = sums.over(sums.blues, corner, brushPixels) / area;
        to[at + 3] = 255;
      }
    }
    return to;
  };
}

/** Summed-area tables: the sum of any patch needs four lookups. */
function createSums({ width, height }: Size) {
  const columns = width + 1;
  const table = (): Int32Array => new Int32Array(columns * (height + 1));
  const [reds, greens, blues, grays, squares] = [table(), table(), table(), table(), table()];
  return {
    ...{ reds, greens, blues, grays, squares },
    add(from: Uint8Array): void {
      for (let y = 0, at = 0; y < height; y += 1) {
        let [red, green, blue, gray, square] = [0, 0, 0, 0, 0];
        let to = (y + 1) * columns + 1;
        for (let x = 0; x < width; x += 1, at += 4, to += 1) {
          const level = (from[at]! * 54 + from[at + 1]! * 183 + from[at + 2]! * 19) >> 8;
          red += from[at]!;
          green += from[at + 1]!;
          blue += from[at + 2]!;
          gray += level;
          square += level * level;
          const above = to - columns;
          reds[to] = reds[above]! + red;
          greens[to] = greens[above]! + green;
          blues[to] = blues[above]! + blue;
          grays[to] = grays[above]! + gray;
          squares[to] = squares[above]! + square;
        }
      }
    },
    /** The sum over the patch at the given upper left corner. Overflow cancels out. */
    over(sums: Int32Array, corner: number, side: number): number {
      const below = corner + side * columns;
      return (sums[below + side]! - sums[below]! - sums[corner + side]! + sums[corner]!) | 0;
    },
  };
}
