/**
 * A material as it is shown: the picture itself, or, for what cannot be shown, a panel that says
 * what it is and where it came from.
 */
import type { Canvas, Image, SKRSContext2D } from '@napi-rs/canvas';
import type { Box, CardContent } from './card-content.ts';
import type { Palette } from './color.ts';
import { backdropFor, covering, loadPicture, reduced, UnusableImage } from './image.ts';
import { drawPanel, waveformCard } from './panel.ts';
import type { JobMaterial } from './render-job.ts';
import type { Size } from './size.ts';

export type FaceOptions = {
  readonly palette: Palette;
  /** The longest side it will ever be drawn at, in pixels: more is not kept. */
  readonly longestSide: number;
};

const panelShape = 16 / 9;

/** The one opened last is kept: a clip's first image tells its shape before it is shown. */
let kept: { readonly material: JobMaterial; readonly image: Image } | null = null;

/** The picture of an image; null when it could not be fetched. Names it when it is unusable. */
export async function openImage(material: JobMaterial): Promise<Image | null> {
  if (material.file === null) return null;
  if (kept?.material === material) return kept.image;
  try {
    kept = { material, image: await loadPicture(material.file) };
    return kept.image;
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    throw new UnusableImage(`image ${material.index + 1} (${material.title}): ${error.message}`);
  }
}

/** How a card shows the material: an image as it is, a sound as bars, all else as a panel. */
export async function openFace(material: JobMaterial, options: FaceOptions): Promise<CardContent> {
  if (material.kind === 'audio') return waveformCard(material, { ...options, loudnessAt: null });
  const image = material.kind === 'image' ? await openImage(material) : null;
  if (!image) return panelFace(material, options);
  const backdrop = backdropFor(image, options.palette);
  return faceOf(reduced(image, options.longestSide, backdrop));
}

/** A picture that does not move. */
export function faceOf(picture: Canvas): CardContent {
  const levels = [picture, ...halvesOf(picture)];
  return {
    shape: picture.width / picture.height,
    isStill: true,
    draw(context, box) {
      const fits = (level: Canvas): boolean =>
        level.width >= box.width && level.height >= box.height;
      coverBox(context, levels.findLast(fits) ?? picture, box);
    },
  };
}

/** Each half as large as the one before: a picture much reduced at once would glitter. */
function halvesOf(picture: Canvas): Canvas[] {
  if (Math.max(picture.width, picture.height) < 128) return [];
  const half = reduced(picture, Math.max(picture.width, picture.height) / 2);
  return [half, ...halvesOf(half)];
}

export function panelFace(
  material: JobMaterial,
  { palette, longestSide }: FaceOptions,
): CardContent {
  const size = { width: Math.round(longestSide), height: Math.round(longestSide / panelShape) };
  return faceOf(drawPanel({ material, size, palette }));
}

/** Lays a picture into the box, as large as it must be to fill it, cut evenly on two sides. */
export function coverBox(context: SKRSContext2D, picture: Canvas, box: Box): void {
  const scale = Math.max(box.width / picture.width, box.height / picture.height);
  const [width, height] = [box.width / scale, box.height / scale];
  const [left, top] = [(picture.width - width) / 2, (picture.height - height) / 2];
  context.drawImage(picture, left, top, width, height, box.x, box.y, box.width, box.height);
}

/** The material as a whole picture of the given size. */
export function frameOf(
  material: JobMaterial,
  image: Image | null,
  look: { readonly size: Size; readonly palette: Palette },
): Canvas {
  if (!image) return drawPanel({ material, ...look });
  return covering(image, look.size, backdropFor(image, look.palette));
}
