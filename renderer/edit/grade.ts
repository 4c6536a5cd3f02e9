/**
 * Colors of a whole picture changed at once: a look is a function from color to color, worked
 * out beforehand for a grid of all colors, so that a frame costs one look-up for each pixel.
 */
import { along, type Color, colorOf, mix } from '../color.ts';
import { clamp } from '../motion.ts';
import type { Random } from '../random.ts';
import type { Size } from '../size.ts';

/** Components from 0 to 255; what comes out may lie beyond and is cut. */
export type Grade = (color: Color) => Color;

export const brightness = ([red, green, blue]: Color): number =>
  (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;

export const chain =
  (...grades: readonly Grade[]): Grade =>
  (color) =>
    grades.reduce((result, grade) => grade(result), color);

export const saturated =
  (amount: number): Grade =>
  (color) => {
    const grey = brightness(color) * 255;
    return mix([grey, grey, grey], color, amount);
  };

/** `gamma` above 1 darkens the middle; `contrast` bends around it; `from` and `to` are the ends. */
export function levels(options: {
  readonly gamma?: number;
  readonly contrast?: number;
  readonly from?: number;
  readonly to?: number;
}): Grade {
  const { gamma = 1, contrast = 0, from = 0, to = 1 } = options;
  const bend = (value: number): number => {
    const share = clamp(value / 255) ** gamma;
    const curved = share * share * (3 - 2 * share);
    return (from + (to - from) * (share + (curved - share) * contrast)) * 255;
  };
  return ([red, green, blue]) => [bend(red), bend(green), bend(blue)];
}

/**
 * Takes the color that the tones have for each brightness, by the given share. Tones are written
 * as on the web, from the darkest to the brightest at equal distances.
 */
export function toned(tones: string, strength: number): Grade {
  const colors = tones.split(' ');
  const stops = colors.map((hex, at) => [at / (colors.length - 1), colorOf(hex)] as const);
  return (color) => mix(color, along(stops, clamp(brightness(color))), strength);
}

export type Grader = {
  /** RGBA in, RGBA out, of the grader's size. `moment` lets the grain move. */
  apply(from: Uint8Array | Uint8ClampedArray, to: Uint8ClampedArray, moment: number): void;
};

/** The grid has a point every four levels, and goes on beyond both ends for the grain. */
const [spacing, beyond] = [4, 16];
const side = (256 + 2 * beyond) / spacing;
const grainSamples = 1 << 16;

export type GraderOptions = {
  readonly size: Size;
  /** How dark the corners get, from 0 to 1. */
  readonly vignette: number;
  /**
   * From 0 to 1 as that of film. Without any, a still pattern below what the eye sees keeps soft
   * gradients from breaking into steps.
   */
  readonly grain: number;
  /** So many levels of each component, as a print has them; 0 for all. */
  readonly steps: number;
  readonly random: Random;
};

export function createGrader(grade: Grade, options: GraderOptions): Grader {
  const { grain, random } = options;
  const table = tableOf(grade, options.steps);
  const lens = lensOf(options);
  const spread = Math.max(spacing, grain * 2 * beyond);
  const noise = Uint8Array.from({ length: grainSamples }, () => {
    // Two draws: most grain is faint.
    const value = grain > 0 ? (random() + random()) / 2 : random();
    return beyond + Math.floor((value - 0.5) * spread + spacing / 2);
  });
  const starts = Uint16Array.from({ length: 64 }, () => random() * grainSamples);
  return {
    // A million times a frame: small whole numbers, nothing allocated.
    apply(from, to, moment) {
      const source = new Int32Array(from.buffer, from.byteOffset, from.length >> 2);
      const target = new Int32Array(to.buffer, to.byteOffset, to.length >> 2);
      let place = grain > 0 ? starts[Math.round(moment * 24) & 63]! : 0;
      for (let at = 0; at < source.length; at += 1) {
        const pixel = source[at]!;
        const seen = lens[at]!;
        const add = noise[place]!;
        place = (place + 1) & (grainSamples - 1);
        const red = (((pixel & 255) * seen) >> 8) + add;
        const green = ((((pixel >> 8) & 255) * seen) >> 8) + add;
        const blue = ((((pixel >> 16) & 255) * seen) >> 8) + add;
        target[at] = table[((blue >> 2) * side + (green >> 2)) * side + (red >> 2)]!;
      }
    },
  };
}

/** How much of each pixel's light a lens lets through, in 256ths. */
function lensOf({ size, vignette }: GraderOptions): Uint16Array {
  const { width, height } = size;
  const lens = new Uint16Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    const down = (y / height - 0.5) * 2;
    for (let x = 0; x < width; x += 1, at += 1) {
      const across = (x / width - 0.5) * 2;
      const away = clamp((across * across + down * down - 0.3) / 1.7);
      lens[at] = 256 * (1 - vignette * away * (1.25 - 0.25 * away));
    }
  }
  return lens;
}

/** Looks are smooth: they are worked out for few colors, and what lies between is mixed. */
const [coarseSide, coarseSpacing] = [16, 17];

function tableOf(grade: Grade, steps: number): Int32Array {
  const alongRed = stretched(nodesOf(grade), { outer: coarseSide ** 2, inner: 3 });
  const alongGreen = stretched(alongRed, { outer: coarseSide, inner: side * 3 });
  const values = stretched(alongGreen, { outer: 1, inner: side * side * 3 });
  const stepOf = Array.from({ length: 256 }, (_, level) =>
    steps > 0 ? softStep(level / 255, steps) * 255 : level,
  );
  const bytes = new Uint8ClampedArray(side ** 3 * 4);
  for (let from = 0, to = 0; from < values.length; from += 3, to += 4) {
    for (let part = 0; part < 3; part += 1) {
      bytes[to + part] = stepOf[Math.round(clamp(values[from + part]!, 0, 255))]!;
    }
    bytes[to + 3] = 255;
  }
  return new Int32Array(bytes.buffer);
}

/** One axis of the coarse grid becomes one of the fine one, along straight lines. */
function stretched(
  nodes: Float32Array,
  { outer, inner }: { readonly outer: number; readonly inner: number },
): Float32Array {
  const values = new Float32Array(outer * side * inner);
  for (let block = 0, to = 0; block < outer; block += 1) {
    for (let index = 0; index < side; index += 1) {
      const place = clamp(index * spacing - beyond, 0, 254.9) / coarseSpacing;
      const node = Math.floor(place);
      const share = place - node;
      const from = (block * coarseSide + node) * inner;
      for (let part = 0; part < inner; part += 1, to += 1) {
        const near = nodes[from + part]!;
        values[to] = near + (nodes[from + inner + part]! - near) * share;
      }
    }
  }
  return values;
}

function nodesOf(grade: Grade): Float32Array {
  const nodes = new Float32Array(coarseSide ** 3 * 3);
  let at = 0;
  for (let blue = 0; blue < coarseSide; blue += 1) {
    for (let green = 0; green < coarseSide; green += 1) {
      for (let red = 0; red < coarseSide; red += 1) {
        nodes.set(grade([red * coarseSpacing, green * coarseSpacing, blue * coarseSpacing]), at);
        at += 3;
      }
    }
  }
  return nodes;
}

/** In steps whose edges are a little soft, so that they do not crawl. */
function softStep(value: number, steps: number): number {
  const place = clamp(value) * steps;
  const whole = Math.min(steps - 1, Math.floor(place));
  return (whole + clamp((place - whole - 0.42) / 0.16)) / steps;
}
