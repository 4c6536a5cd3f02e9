/**
 * Pictures that came from anywhere. Only the five formats the service accepts are decoded, and only
 * after the header has told that the picture is not too large to hold.
 */
import { readFile } from 'node:fs/promises';
import {
  type Canvas,
  createCanvas,
  type Image,
  loadImage,
  type SKRSContext2D,
} from '@napi-rs/canvas';
import { type Color, css, mix, type Palette, white } from './color.ts';
import type { Size } from './size.ts';

/** A file that is not the picture it should be; the task fails with `material_unavailable`. */
export class UnusableImage extends Error {}

/** 8,000 by 6,000: 200 MB once decoded. A few kilobytes of PNG can claim a thousand times that. */
const pixelsMax = 48_000_000;

/** Upright: turned as its EXIF data say. */
export async function loadPicture(file: string): Promise<Image> {
  const bytes = await readFile(file);
  const claimed = sizeInHeader(bytes);
  if (!claimed) throw new UnusableImage('not a PNG, JPEG, WebP, GIF or BMP picture');
  const { width, height } = claimed;
  if (width < 1 || height < 1) throw new UnusableImage('a picture without pixels');
  if (width * height > pixelsMax) {
    throw new UnusableImage(`${width}x${height} pixels are more than ${pixelsMax}`);
  }
  try {
    return await loadImage(bytes);
  } catch {
    throw new UnusableImage('the picture is damaged');
  }
}

/** What is behind a picture that can be seen through. */
export type Backdrop = { readonly middle: Color; readonly rim: Color };

/** Light, or dark where more of the picture would be lost on light; null without any holes. */
export function backdropFor(image: Image | Canvas, palette: Palette): Backdrop | null {
  const side = 64;
  const context = createCanvas(side, side).getContext('2d');
  context.imageSmoothingQuality = 'medium';
  context.drawImage(image, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  let [light, dark, seen] = [0, 0, 0];
  for (let at = 0; at < data.length; at += 4) {
    const opacity = data[at + 3]! / 255;
    const brightness = data[at]! * 0.3 + data[at + 1]! * 0.59 + data[at + 2]! * 0.11;
    seen += opacity;
    if (brightness > 195) light += opacity;
    if (brightness < 70) dark += opacity;
  }
  // A rim that is a little soft is no hole.
  if (seen > side * side * 0.995) return null;
  return light > seen * 0.3 && dark < seen * 0.005
    ? {
        middle: mix(palette.middle, palette.shade, 0.4),
        rim: mix(palette.high, palette.shade, 0.7),
      }
    : { middle: mix(palette.horizon, white, 0.82), rim: mix(palette.low, white, 0.55) };
}

/** Scaled to cover the given size, what hangs over on two sides is cut. */
export function covering(
  image: Image | Canvas,
  size: Size,
  backdrop: Backdrop | null = null,
): Canvas {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  if (backdrop) paintBackdrop(context, size, backdrop);
  const scale = Math.max(size.width / image.width, size.height / image.height);
  // Much smaller needs an average of many pixels, a little smaller or larger a sharp sample.
  context.imageSmoothingQuality = scale < 0.7 ? 'medium' : 'high';
  const width = image.width * scale;
  const height = image.height * scale;
  context.drawImage(image, (size.width - width) / 2, (size.height - height) / 2, width, height);
  return canvas;
}

function paintBackdrop(context: SKRSContext2D, size: Size, { middle, rim }: Backdrop): void {
  const { width, height } = size;
  const reach = Math.hypot(width, height) / 2;
  const [x, y] = [width / 2, height * 0.45];
  const gradient = context.createRadialGradient(x, y, 0, x, y, reach);
  gradient.addColorStop(0, css(middle));
  gradient.addColorStop(1, css(rim));
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
}

/** No longer on either side than given, its shape kept: for pictures that are shown small. */
export function reduced(
  image: Image | Canvas,
  longestSide: number,
  backdrop: Backdrop | null = null,
): Canvas {
  const scale = Math.min(1, longestSide / Math.max(image.width, image.height));
  const width = Math.max(1, Math.round(image.width * scale));
  const height = Math.max(1, Math.round(image.height * scale));
  return covering(image, { width, height }, backdrop);
}

/** As the file itself says, before anything is decoded; null when it is no such format. */
export function sizeInHeader(bytes: Buffer): Size | null {
  if (bytes.length < 30) return null;
  const text = (from: number, to: number): string => bytes.toString('latin1', from, to);
  if (text(1, 4) === 'PNG' && text(12, 16) === 'IHDR') {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (text(0, 4) === 'GIF8') {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (text(0, 2) === 'BM') {
    return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };
  }
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return sizeInWebp(bytes, text(12, 16));
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return sizeInJpeg(bytes);
  return null;
}

function sizeInWebp(bytes: Buffer, kind: string): Size | null {
  if (kind === 'VP8X') {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8 ') return null;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** Walks the segments to the frame header, wherever it stands. */
function sizeInJpeg(bytes: Buffer): Size | null {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // C0 to CF are frame headers, but for the tables C4, C8 and CC.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
