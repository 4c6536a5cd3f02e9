/** Opens materials as cards: the image itself, or a panel with its name and source. */
import { type Canvas, createCanvas, type Image, type SKRSContext2D } from '@napi-rs/canvas';
import { typefaceFor, withoutMissing } from './captions/coverage.ts';
import { oneLine } from './captions/lines.ts';
import { cleaned, isRightToLeft } from './captions/text.ts';
import type { CardContent } from './card-mount.ts';
import { css, mix, type Palette } from './color.ts';
import { backdropFor, coverBox, loadImageFile, reduced } from './image.ts';
import type { JobMaterial } from './render-job.ts';
import type { Size } from './size.ts';
import { putPixels, type VideoSource } from './source/video.ts';
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

/** Returns null when it could not be fetched. Throws `UnusableMaterial`, naming the material. */
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
  return {
    aspect: picture.width / picture.height,
    isStill: true,
    draw: (context, box) => coverBox(context, picture, box),
  };
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

/** A video beyond the memory limit shows its last frame only. */
async function videoCard(
  source: VideoSource,
  { longestSide }: { readonly longestSide: number },
): Promise<CardContent> {
  const { width, height } = source.size;
  const scale = Math.min(1, longestSide / Math.max(width, height));
  const size = {
    width: Math.max(2, Math.round(width * scale)),
    height: Math.max(2, Math.round(height * scale)),
  };
  const aspect = width / height;
  if (source.isStill) {
    const still = await source.lastFrame(size);
    return { aspect, isStill: true, draw: (context, box) => coverBox(context, still, box) };
  }
  const player = await source.play({ size, atEnd: 'repeat', threads: 1 });
  const canvas = createCanvas(size.width, size.height);
  return {
    aspect,
    async draw(context, box) {
      putPixels(canvas, await player.next());
      coverBox(context, canvas, box);
    },
    close: () => player.close(),
  };
}

const kindNames = { image: 'Image', video: 'Video', audio: 'Audio' } as const;
const kindIcons = { image: '🖼️', video: '🎬', audio: '🎵' } as const;

type PanelOptions = {
  readonly material: JobMaterial;
  readonly size: Size;
  readonly palette: Palette;
};

/** Opaque, of the given size: a small card or a whole frame. */
export function drawPanel({ material, size, palette }: PanelOptions): Canvas {
  const { width, height } = size;
  const context = createCanvas(width, height).getContext('2d', { alpha: false });
  fillBackground(context, size, palette);
  const scale = Math.min(height / 9, width / 12);
  const middle = width / 2;
  const write = (text: string, line: TextLine): void =>
    drawLine(context, text, { ...line, x: middle, width: width * 0.86 });
  write(kindIcons[material.kind], { y: height * 0.5 - scale, pixels: scale * 1.8, alpha: 1 });
  write(materialName(material), { y: height * 0.5 + scale * 0.7, pixels: scale * 0.86, alpha: 1 });
  write(material.title, { y: height * 0.5 + scale * 1.75, pixels: scale * 0.56, alpha: 0.72 });
  if (material.file === null) {
    write(unavailable, { y: height * 0.5 + scale * 2.6, pixels: scale * 0.5, alpha: 0.5 });
  }
  return context.canvas;
}

const unavailable = 'could not be reached';
const materialName = ({ kind, index }: JobMaterial): string => `${kindNames[kind]} ${index + 1}`;

function fillBackground(context: SKRSContext2D, { width, height }: Size, palette: Palette): void {
  const ground = context.createLinearGradient(0, 0, width * 0.4, height);
  ground.addColorStop(0, css(mix(palette.middle, palette.shade, 0.35)));
  ground.addColorStop(1, css(mix(palette.high, palette.shade, 0.7)));
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
}

type TextLine = { readonly y: number; readonly pixels: number; readonly alpha: number };

type TextSpan = { readonly x: number; readonly width: number };

function drawLine(context: SKRSContext2D, text: string, line: TextLine & TextSpan): void {
  const pixels = Math.max(6, line.pixels);
  const whole = withoutMissing(cleaned(text));
  const typeface = typefaceFor(`${whole}…`);
  const widthOf = (part: string): number => typeface.extentOf(part).width * pixels;
  const shown = oneLine(whole, line.width, widthOf);
  const rightToLeft = isRightToLeft(shown);
  const left = line.x - widthOf(shown) / 2;
  context.fillStyle = `rgba(255,255,255,${line.alpha})`;
  typeface.draw(context, shown, {
    x: rightToLeft ? left + widthOf(shown) : left,
    baseline: line.y,
    pixels,
    rightToLeft,
  });
}
