/** Pixels in the colors of a video: BT.709 of limited range, with chroma of half the size. */
import type { Size } from '../size.ts';

/** Weights of red, green and blue in 65,536ths; luma has 219 steps, chroma 224. */
const [lumaR, lumaG, lumaB] = [11_966, 40_254, 4_064] as const;
const [blueR, blueG, blueB] = [-6_596, -22_189, 28_785] as const;
const [redR, redG, redB] = [28_785, -26_145, -2_640] as const;
/** Offsets of 16 and 128, plus a half for rounding, of one pixel and of the sum of four. */
const lumaBase = (16 << 16) + (1 << 15);
const chromaBase = (128 << 18) + (1 << 17);

/** Luma or chroma of a frame; a row begins every `stride` bytes. */
export type Plane = { readonly values: Uint8Array; readonly stride: number };

export const planesLength = ({ width, height }: Size): number => (width * height * 3) / 2;

/** Fills `planes` with luma and chroma. Width and height must be even. */
export function toPlanes(rgba: Uint8Array, size: Size, planes: Uint8Array): void {
  const pixels = size.width * size.height;
  for (let pixel = 0, at = 0; pixel < pixels; pixel += 1, at += 4) {
    const luma = lumaR * rgba[at]! + lumaG * rgba[at + 1]! + lumaB * rgba[at + 2]!;
    planes[pixel] = (luma + lumaBase) >> 16;
  }
  const stride = size.width * 4;
  let blueAt = pixels;
  let redAt = pixels + pixels / 4;
  for (let row = 0; row < size.height; row += 2) {
    const end = (row + 1) * stride;
    for (let at = row * stride; at < end; at += 8) {
      const below = at + stride;
      const red = rgba[at]! + rgba[at + 4]! + rgba[below]! + rgba[below + 4]!;
      const green = rgba[at + 1]! + rgba[at + 5]! + rgba[below + 1]! + rgba[below + 5]!;
      const blue = rgba[at + 2]! + rgba[at + 6]! + rgba[below + 2]! + rgba[below + 6]!;
      planes[blueAt++] = (blueR * red + blueG * green + blueB * blue + chromaBase) >> 18;
      planes[redAt++] = (redR * red + redG * green + redB * blue + chromaBase) >> 18;
    }
  }
}

/** Luma, then both of chroma, of what `toPlanes` fills. */
export function planesIn(planes: Uint8Array, { width, height }: Size): readonly Plane[] {
  const pixels = width * height;
  const stride = width / 2;
  return [
    { values: planes.subarray(0, pixels), stride: width },
    { values: planes.subarray(pixels, pixels * 1.25), stride },
    { values: planes.subarray(pixels * 1.25), stride },
  ];
}
