/**
 * Color transforms, and their application to whole frames through a lookup table, which costs one
 * lookup per pixel.
 */
import { along, type Color, colorOf, mix } from '../color.ts';
import { clamp } from '../motion.ts';
import type { Random } from '../random.ts';
import type { Size } from '../size.ts';

/** Components from 0 to 255; results outside are clamped. */
export type ColorTransform = (color: Color) => Color;

export const luminance = ([red, green, blue]: Color): number =>
  (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;

export const chain =
  (...transforms: readonly ColorTransform[]): ColorTransform =>
  (color) =>
    transforms.reduce((result, transform) => transform(result), color);

export const saturated =
  (amount: number): ColorTransform =>
  (color) => {
    const gray = luminance(color) * 255;
    return mix([gray, gray, gray], color, amount);
  };

/**
 * `gamma` above 1 darkens midtones; `contrast` is an S-curve; `from` and `to` are output levels.
 */
export function levels(options: {
  readonly gamma?: number;
  readonly contrast?: number;
  readonly from?: number;
  readonly to?: number;
}): ColorTransform {
  const { gamma = 1, contrast = 0, from = 0, to = 1 } = options;
  const bend = (value: number): number => {
    const share = clamp(value / 255) ** gamma;
    const curved = share * share * (3 - 2 * share);
    return (from + (to - from) * (share + (curved - share) * contrast)) * 255;
  };
  return ([red, green, blue]) => [bend(red), bend(green), bend(blue)];
}

/**
 * A gradient map, mixed in by `strength`. Tones are hex colors from dark to light, evenly spaced.
 */
export function toned(tones: string, strength: number): ColorTransform {
  const colors = tones.split(' ');
  const stops = colors.map((hex, at) => [at / (colors.length - 1), colorOf(hex)] as const);
  return (color) => mix(color, along(stops, clamp(luminance(color))), strength);
}

type FrameGrader = {
  /** RGBA to RGBA of the grader's size. The grain changes with `second`. */
  apply(from: Uint8Array | Uint8ClampedArray, to: Uint8ClampedArray, second: number): void;
};

/** The table has an entry every four levels, and a margin at both ends for the grain. */
const [spacing, margin] = [4, 16];
const side = (256 + 2 * margin) / spacing;
const grainSamples = 1 << 16;

type GraderOptions = {
  readonly size: Size;
  readonly vignette: number;
  /** Film grain from 0 to 1. With 0, an invisible still pattern dithers soft gradients. */
  readonly grain: number;
  readonly posterLevels: number;
  readonly random: Random;
};

export function createGrader(transform: ColorTransform, options: GraderOptions): FrameGrader {
  const { grain, random } = options;
  const table = tableOf(transform, options.posterLevels);
  const vignette = vignetteOf(options);
  const spread = Math.max(spacing, grain * 2 * margin);
  const noise = Uint8Array.from({ length: grainSamples }, () => {
    // The mean of two draws makes most grain faint.
    const value = grain > 0 ? (random() + random()) / 2 : random();
    return margin + Math.floor((value - 0.5) * spread + spacing / 2);
  });
  const starts = Uint16Array.from({ length: 64 }, () => random() * grainSamples);
  return {
    // Runs for every pixel: small integers, no allocation.
    apply(from, to, second) {
      const source = new Int32Array(from.buffer, from.byteOffset, from.length >> 2);
      const target = new Int32Array(to.buffer, to.byteOffset, to.length >> 2);
      let position = grain > 0 ? starts[Math.round(second * 24) & 63]! : 0;
      for (let at = 0; at < source.length; at += 1) {
        const pixel = source[at]!;
        const light = vignette[at]!;
        const add = noise[position]!;
        position = (position + 1) & (grainSamples - 1);
        const red = (((pixel & 255) * light) >> 8) + add;
        const green = ((((pixel >> 8) & 255) * light) >> 8) + add;
        const blue = ((((pixel >> 16) & 255) * light) >> 8) + add;
        target[at] = table[((blue >> 2) * side + (green >> 2)) * side + (red >> 2)]!;
      }
    },
  };
}

/** The share of light that each pixel keeps, in 256ths. */
function vignetteOf({ size, vignette }: GraderOptions): Uint16Array {
  const { width, height } = size;
  const light = new Uint16Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    const down = (y / height - 0.5) * 2;
    for (let x = 0; x < width; x += 1, at += 1) {
      const across = (x / width - 0.5) * 2;
      const away = clamp((across * across + down * down - 0.3) / 1.7);
      light[at] = 256 * (1 - vignette * away * (1.25 - 0.25 * away));
    }
  }
  return light;
}

function tableOf(transform: ColorTransform, posterLevels: number): Int32Array {
  const levelAt = (index: number): number => clamp(index * spacing - margin, 0, 255);
  const bytes = new Uint8ClampedArray(side ** 3 * 4);
  let at = 0;
  for (let blue = 0; blue < side; blue += 1) {
    for (let green = 0; green < side; green += 1) {
      for (let red = 0; red < side; red += 1) {
        for (const value of transform([levelAt(red), levelAt(green), levelAt(blue)])) {
          bytes[at] = posterLevels > 0 ? softStep(value / 255, posterLevels) * 255 : value;
          at += 1;
        }
        bytes[at] = 255;
        at += 1;
      }
    }
  }
  return new Int32Array(bytes.buffer);
}

/** Posterization with slightly soft edges, which flicker less. */
function softStep(value: number, steps: number): number {
  const position = clamp(value) * steps;
  const whole = Math.min(steps - 1, Math.floor(position));
  return (whole + clamp((position - whole - 0.42) / 0.16)) / steps;
}
