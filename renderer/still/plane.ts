/**
 * A plane of numbers, one per pixel, and the filters for estimating depth. The cost of each filter
 * depends only on the number of pixels, not on its radius.
 */

export type Plane = {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
};

export function planeOf(
  { width, height }: { readonly width: number; readonly height: number },
  value: (at: number) => number,
): Plane {
  const values = new Float32Array(width * height);
  for (let at = 0; at < values.length; at += 1) values[at] = value(at);
  return { width, height, values };
}

/** Bilinear interpolation at shares of the width and height. */
export function valueAt({ width, height, values }: Plane, across: number, down: number): number {
  const x = Math.min(width - 1.001, Math.max(0, across * width - 0.5));
  const y = Math.min(height - 1.001, Math.max(0, down * height - 0.5));
  const column = Math.floor(x);
  const row = Math.floor(y);
  const at = row * width + column;
  const below = at + width;
  const top = values[at]! + (values[at + 1]! - values[at]!) * (x - column);
  const bottom = values[below]! + (values[below + 1]! - values[below]!) * (x - column);
  return top + (bottom - top) * (y - row);
}

/** Stretched so that nearly all values are from 0 to 1; all 0 if they hardly differ. */
export function normalized(plane: Plane): Plane {
  const sorted = plane.values.toSorted();
  const low = sorted[Math.floor(sorted.length * 0.02)]!;
  const high = sorted[Math.floor(sorted.length * 0.98)]!;
  const range = high - low;
  if (range < 1e-4) return planeOf(plane, () => 0);
  return planeOf(plane, (at) => Math.min(1, Math.max(0, (plane.values[at]! - low) / range)));
}

/** A box blur; pixels outside the plane are ignored. */
export function blurred(plane: Plane, radius: number): Plane {
  const { width, height } = plane;
  const across = new Float32Array(width * height);
  const both = new Float32Array(width * height);
  for (let row = 0; row < height; row += 1) {
    blurLine(plane.values, across, { from: row * width, step: 1, length: width, radius });
  }
  for (let column = 0; column < width; column += 1) {
    blurLine(across, both, { from: column, step: width, length: height, radius });
  }
  return { width, height, values: both };
}

type PlaneLine = {
  readonly from: number;
  readonly step: number;
  readonly length: number;
  readonly radius: number;
};

function blurLine(source: Float32Array, target: Float32Array, line: PlaneLine): void {
  const { from, step, length, radius } = line;
  let sum = 0;
  let count = 0;
  for (let at = 0; at < Math.min(radius, length); at += 1) {
    sum += source[from + at * step]!;
    count += 1;
  }
  for (let at = 0; at < length; at += 1) {
    if (at + radius < length) {
      sum += source[from + (at + radius) * step]!;
      count += 1;
    }
    if (at - radius - 1 >= 0) {
      sum -= source[from + (at - radius - 1) * step]!;
      count -= 1;
    }
    target[from + at * step] = sum / count;
  }
}

/**
 * The guided filter of He, Sun and Tang: smooth inside surfaces, with edges where the guide has
 * them. Contrast below `softness` counts as one surface.
 */
export function guided(
  plane: Plane,
  options: { readonly guide: Plane; readonly radius: number; readonly softness: number },
): Plane {
  const { guide, radius, softness } = options;
  const [g, p] = [guide.values, plane.values];
  const average = (value: (at: number) => number): Float32Array =>
    blurred(planeOf(plane, value), radius).values;
  const meanGuide = blurred(guide, radius).values;
  const mean = blurred(plane, radius).values;
  const squares = average((at) => g[at]! * g[at]!);
  const products = average((at) => g[at]! * p[at]!);
  const slope = planeOf(plane, (at) => {
    const covariance = products[at]! - meanGuide[at]! * mean[at]!;
    return covariance / (squares[at]! - meanGuide[at]! ** 2 + softness ** 2);
  });
  const slopes = blurred(slope, radius).values;
  const offsets = average((at) => mean[at]! - slope.values[at]! * meanGuide[at]!);
  return planeOf(plane, (at) => slopes[at]! * g[at]! + offsets[at]!);
}

/** Only this upper part of the side borders counts as background; a subject may touch the rest. */
const sidesShare = 0.35;

/**
 * The minimum barrier distance (Strand and others) of each pixel from the upper and side borders,
 * approximated by three scans: background is near 0, foreground is not.
 */
export function borderDistance(channels: readonly Plane[]): Plane {
  const total = planeOf(channels[0]!, () => 0);
  for (const channel of channels) {
    const distance = barriers(channel);
    for (const [at, value] of distance.entries()) total.values[at]! += value;
  }
  return total;
}

function barriers({ width, height, values }: Plane): Float32Array {
  const distance = new Float32Array(values.length).fill(Number.POSITIVE_INFINITY);
  const highest = Float32Array.from(values);
  const lowest = Float32Array.from(values);
  for (let column = 0; column < width; column += 1) distance[column] = 0;
  for (let row = 0; row < height * sidesShare; row += 1) {
    distance[row * width] = 0;
    distance[row * width + width - 1] = 0;
  }
  const reach = (at: number, from: number): void => {
    const high = Math.max(highest[from]!, values[at]!);
    const low = Math.min(lowest[from]!, values[at]!);
    if (high - low >= distance[at]!) return;
    distance[at] = high - low;
    highest[at] = high;
    lowest[at] = low;
  };
  sweep({ width, values }, ['down', 'up', 'down'], reach);
  return distance;
}

/** Fills enclosed hollows up to their lowest edge. */
export function fillHoles(plane: Plane): Plane {
  const { width, height, values } = plane;
  const level = planeOf(plane, (at) => {
    const column = at % width;
    const isBorder =
      at < width || at >= width * (height - 1) || column === 0 || column === width - 1;
    return isBorder ? values[at]! : Number.POSITIVE_INFINITY;
  });
  const flow = (at: number, from: number): void => {
    const lower = Math.max(values[at]!, level.values[from]!);
    if (lower < level.values[at]!) level.values[at] = lower;
  };
  sweep(plane, ['down', 'up', 'down', 'up'], flow);
  return level;
}

/**
 * Lowers parts without support from below: a value may exceed the ones below it by `rise` only.
 * This keeps a person, who stands on the ground, and drops the sun.
 */
export function dropUnsupported(plane: Plane, rise: number): Plane {
  const { width, height } = plane;
  const values = Float32Array.from(plane.values);
  for (let at = width * (height - 1) - 1; at >= 0; at -= 1) {
    const column = at % width;
    const below = at + width;
    const left = values[column > 0 ? below - 1 : below]!;
    const right = values[column < width - 1 ? below + 1 : below]!;
    values[at] = Math.min(values[at]!, Math.max(values[below]!, left, right) + rise);
  }
  return { width, height, values };
}

/** Depth of the ground, nearer towards the bottom; foreground is as near as its lowest point. */
export function standUp(front: Plane): Plane {
  const { width, height } = front;
  const values = new Float32Array(width * height);
  for (let at = values.length - 1; at >= 0; at -= 1) {
    const ground = (Math.floor(at / width) / (height - 1)) ** 1.3;
    const below = values[at + width] ?? ground;
    values[at] = ground + (below - ground) * Math.min(0.995, front.values[at]!);
  }
  return { width, height, values };
}

/** Limits the slope by raising low values, so that near objects keep their shape. */
export function limitSlope(plane: Plane, slopeMax: number): Plane {
  const values = Float32Array.from(plane.values);
  sweep(plane, ['down', 'up'], (at, neighbor) => {
    values[at] = Math.max(values[at]!, values[neighbor]! - slopeMax);
  });
  return { ...plane, values };
}

/** Visits each pixel with its upper and left neighbors (`down`), or its lower and right ones. */
function sweep(
  { width, values }: Pick<Plane, 'width' | 'values'>,
  directions: readonly ('down' | 'up')[],
  visit: (at: number, neighbor: number) => void,
): void {
  const last = values.length - 1;
  for (const direction of directions) {
    const step = direction === 'down' ? 1 : -1;
    for (let count = 0, at = step > 0 ? 0 : last; count <= last; count += 1, at += step) {
      const column = at % width;
      if (count >= width) visit(at, at - step * width);
      if (column !== (step > 0 ? 0 : width - 1)) visit(at, at - step);
    }
  }
}
