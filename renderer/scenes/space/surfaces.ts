/** Surfaces of planets: colors by longitude and latitude, computed from noise. */
import { createCanvas, ImageData } from '@napi-rs/canvas';
import { type Color, colorTable, mix, white } from '../../color.ts';
import { clamp, smooth } from '../../motion.ts';
import type { Noise, Random } from '../../random.ts';

/** A map around the middle of the equator. */
export type Surface = {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray;
  /** How much a pixel glows, in the first of four bytes; null when nothing glows. */
  readonly glow: Uint8ClampedArray | null;
  readonly across: number;
  readonly air: Color | null;
};

/** Enlarged after computing, so that a turning sphere moves smoothly. */
const computed = { width: 416, height: 208 };
const enlarged = { width: 2048, height: 512 };

type SurfacePoint = { readonly color: Color; readonly glow?: number };
/** `x` is 0 to 2 for a full circle, `y` is 0 to 1 from pole to pole. */
type SurfacePointAt = (x: number, y: number) => SurfacePoint;

function surfaceOf(across: number, air: Color | null, pointAt: SurfacePointAt): Surface {
  const { width, height } = computed;
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  const glows = new Uint8ClampedArray(width * height * 4).fill(255);
  let hasGlow = false;
  for (let row = 0, at = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1, at += 4) {
      const x = 1 + (column / width - 0.5) * 2 * across;
      const { color, glow = 0 } = pointAt(x, row / height);
      pixels[at] = color[0];
      pixels[at + 1] = color[1];
      pixels[at + 2] = color[2];
      glows[at] = glow * 255;
      if (glow > 0) hasGlow = true;
    }
  }
  return {
    ...{ ...enlarged, across, air },
    pixels: enlarge(pixels),
    glow: hasGlow ? enlarge(glows) : null,
  };
}

function enlarge(pixels: Uint8ClampedArray): Uint8ClampedArray {
  const small = createCanvas(computed.width, computed.height);
  const image = new ImageData(pixels, computed.width, computed.height);
  small.getContext('2d').putImageData(image, 0, 0);
  const context = createCanvas(enlarged.width, enlarged.height).getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(small, 0, 0, enlarged.width, enlarged.height);
  return context.getImageData(0, 0, enlarged.width, enlarged.height).data;
}

type SurfaceOptions = {
  readonly random: Random;
  readonly noise: Noise;
  readonly across: number;
  readonly colors: readonly [Color, Color, Color, Color];
};

export function banded({ random, noise, colors, across }: SurfaceOptions): Surface {
  const start = random() * 60;
  const storm = { x: 0.6 + random() * 0.5, y: 0.55 + random() * 0.15 };
  const stops = colors.map((color, index) => [index / 3, color] as const);
  const shades = colorTable(stops);
  return surfaceOf(across, mix(colors[3], white, 0.3), (x, y) => {
    const away = Math.hypot((x - storm.x) * 1.1, (y - storm.y) * 2.6);
    const swirl = Math.exp(-((away / 0.13) ** 2));
    const bend = noise.rough(x * 3.2 + start, y * 7, 3) * 0.035 + swirl * 0.09;
    const band = noise.at(start, (y + bend) * 11) * 0.8 + noise.at(9, (y + bend) * 27) * 0.35;
    const streak = noise.rough(x * 2.4 + 20, (y + bend * 1.6) * 34, 2) * 0.4;
    const shade = clamp(0.5 + band * 0.5 + streak * 0.36 + swirl * 0.35);
    const pole = smooth(Math.abs(y - 0.5), { from: 0.26, to: 0.5 }) * 0.5;
    return { color: mix(shades[Math.round(shade * 255)]!, colors[1], pole) };
  });
}

export function earth({ random, noise, across }: SurfaceOptions): Surface {
  const start = random() * 60;
  return surfaceOf(across, [120, 180, 255], (x, y) => {
    const bend = noise.at(x * 2.1 + start, y * 2.1 + 7) * 0.25;
    const land = noise.rough(x * 1.9 + bend + start, y * 2.4 + bend, 5) + 0.02;
    const fromPole = Math.min(y, 1 - y);
    const dry = clamp(0.55 + noise.at(x * 2.4 + 30, y * 5) * 0.9 - Math.abs(y - 0.5) * 0.6);
    const shore = smooth(land, { from: -0.12, to: 0.03 });
    const sea = mix([6, 26, 74], [22, 92, 138], shore ** 2);
    const ground = mix(mix([34, 86, 44], [186, 150, 92], dry), [96, 82, 70], clamp(land * 1.6));
    const isLand = smooth(land, { from: 0.03, to: 0.05 });
    const ice = smooth(fromPole + noise.at(x * 5, y * 5) * 0.05, { from: 0.13, to: 0.09 });
    const wind = noise.at(x * 1.4 + 50, y * 4) * 0.5;
    const cover = noise.rough(x * 2.6 + wind + 80, y * 5.2 + wind, 5) + 0.04;
    const cloud = smooth(cover, { from: 0.02, to: 0.34 }) * 0.92;
    const city = noise.at(x * 90, y * 90) > 0.34 && noise.at(x * 6 + 5, y * 6) > -0.05;
    const color = mix(mix(mix(sea, ground, isLand), [238, 244, 250], ice), white, cloud);
    return { color, glow: city ? isLand * (1 - cloud) * (1 - ice) : 0 };
  });
}
