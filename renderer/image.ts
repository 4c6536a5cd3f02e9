/**
 * Loads untrusted images. Only the six supported formats are decoded, and only if the size in the
 * header is within the limit.
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
import { decodableSizeOf } from './image-size.ts';
import type { Rect, Size } from './size.ts';
import { UnusableMaterial } from './unusable.ts';

/** 200 MB once decoded. A PNG of a few kilobytes can claim a thousand times as much. */
const pixelsMax = 48_000_000;

/** Returns the image rotated as its EXIF data require. Throws `UnusableMaterial`. */
export async function loadImageFile(file: string): Promise<Image> {
  const bytes = await readFile(file);
  const size = decodableSizeOf(bytes);
  if (!size) throw new UnusableMaterial('not a PNG, JPEG, WebP, GIF, BMP or AVIF image');
  const { width, height } = size;
  if (width < 1 || height < 1) throw new UnusableMaterial('the image has no pixels');
  if (width * height > pixelsMax) {
    throw new UnusableMaterial(`${width}x${height} pixels exceed the limit of ${pixelsMax}`);
  }
  try {
    return await loadImage(bytes);
  } catch {
    throw new UnusableMaterial('the image is damaged');
  }
}

/** The background of a transparent image: a radial gradient. */
type Backdrop = { readonly middle: Color; readonly rim: Color };

/** Light, or dark for a light image; null when the image is opaque. */
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
  // Slightly soft edges do not count as transparency.
  if (seen > side * side * 0.995) return null;
  return light > seen * 0.3 && dark < seen * 0.005
    ? {
        middle: mix(palette.middle, palette.shade, 0.4),
        rim: mix(palette.high, palette.shade, 0.7),
      }
    : { middle: mix(palette.horizon, white, 0.82), rim: mix(palette.low, white, 0.55) };
}

/** Scales the image to cover the size, cropped evenly on two sides. */
export function covering(
  image: Image | Canvas,
  size: Size,
  backdrop: Backdrop | null = null,
): Canvas {
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  if (backdrop) paintBackdrop(context, size, backdrop);
  const scale = Math.max(size.width / image.width, size.height / image.height);
  // Strong reduction needs averaging (mipmaps); other scales need a sharp filter.
  context.imageSmoothingQuality = scale < 0.7 ? 'medium' : 'high';
  const width = image.width * scale;
  const height = image.height * scale;
  context.drawImage(image, (size.width - width) / 2, (size.height - height) / 2, width, height);
  return context.canvas;
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

/** Reduced so that its longest side is at most `longestSide`; the aspect ratio stays. */
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

/** Scales the picture to cover the box, cropped evenly on two sides. */
export function coverBox(context: SKRSContext2D, picture: Canvas, box: Rect): void {
  const scale = Math.max(box.width / picture.width, box.height / picture.height);
  const [width, height] = [box.width / scale, box.height / scale];
  const [left, top] = [(picture.width - width) / 2, (picture.height - height) / 2];
  context.drawImage(picture, left, top, width, height, box.x, box.y, box.width, box.height);
}

/** The same canvas if it has this size already. */
export function enlargedCanvas(canvas: Canvas, { width, height }: Size): Canvas {
  if (canvas.width === width) return canvas;
  const enlarged = createCanvas(width, height);
  enlarged.getContext('2d', { alpha: false }).drawImage(canvas, 0, 0, width, height);
  return enlarged;
}
