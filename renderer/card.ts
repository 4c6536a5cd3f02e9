/** Opens materials as cards: the image itself, or a panel with its name and source. */
import type { Canvas, Image } from '@napi-rs/canvas';
import type { CardContent } from './card-mount.ts';
import type { Palette } from './color.ts';
import { backdropFor, coverBox, loadImageFile, reduced } from './image.ts';
import { drawPanel } from './panel.ts';
import type { JobMaterial } from './render-job.ts';
import type { VideoSource } from './source/video.ts';
import { videoCard } from './source/video-card.ts';
import { namingMaterial } from './unusable.ts';

type CardOptions = {
  readonly palette: Palette;
  /** The longest side it will be drawn at, in pixels; larger images are reduced to it. */
  readonly longestSide: number;
};

const panelAspect = 16 / 9;
const audioAspect = 3;

/** The last opened image: the plan reads the first image's size before it is drawn. */
let cached: { readonly material: JobMaterial; readonly image: Image } | null = null;

/** Returns null when it could not be fetched. Throws `UnusableImage`, naming the material. */
export async function openImage(material: JobMaterial): Promise<Image | null> {
  const { file } = material;
  if (file === null) return null;
  if (cached?.material !== material) {
    cached = { material, image: await namingMaterial(material, () => loadImageFile(file)) };
  }
  return cached.image;
}

export async function openMaterialCard(
  material: JobMaterial,
  options: CardOptions & {
    readonly videos: ReadonlyMap<number, VideoSource>;
  },
): Promise<CardContent> {
  const { kind, index } = material;
  const video = kind === 'video' ? options.videos.get(index) : undefined;
  if (video) return await videoCard(video, options);
  const image = kind === 'image' ? await openImage(material) : null;
  if (!image) return panelCard(material, options);
  const backdrop = backdropFor(image, options.palette);
  return imageCard(reduced(image, options.longestSide, backdrop));
}

function imageCard(picture: Canvas): CardContent {
  const levels = [picture, ...mipmapsOf(picture)];
  return {
    aspect: picture.width / picture.height,
    isStill: true,
    draw(context, box) {
      const fits = (level: Canvas): boolean =>
        level.width >= box.width && level.height >= box.height;
      coverBox(context, levels.findLast(fits) ?? picture, box);
    },
  };
}

/** Mipmaps: each half as large as the one before, since reducing in one step would flicker. */
function mipmapsOf(picture: Canvas): Canvas[] {
  if (Math.max(picture.width, picture.height) < 128) return [];
  const half = reduced(picture, Math.max(picture.width, picture.height) / 2);
  return [half, ...mipmapsOf(half)];
}

export function panelCard(
  material: JobMaterial,
  { palette, longestSide }: CardOptions,
): CardContent {
  const isAudio = material.kind === 'audio';
  const height = Math.round(longestSide / (isAudio ? audioAspect : panelAspect));
  const size = { width: Math.round(longestSide), height };
  return imageCard(drawPanel({ material, size, palette }));
}
