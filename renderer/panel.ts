/** Cards for materials without an image: a panel with name and source. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { withoutMissing } from './captions/coverage.ts';
import { oneLine } from './captions/lines.ts';
import { cleaned, isRightToLeft } from './captions/text.ts';
import { typefaceFor } from './captions/typeface.ts';
import { css, mix, type Palette } from './color.ts';
import type { JobMaterial } from './render-job.ts';
import type { Size } from './size.ts';

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
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
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
  return canvas;
}

const unavailable = 'could not be reached';
/** As the prompt refers to it: `Image 2`. */
const materialName = ({ kind, index }: JobMaterial): string => `${kindNames[kind]} ${index + 1}`;

function fillBackground(context: SKRSContext2D, { width, height }: Size, palette: Palette): void {
  const ground = context.createLinearGradient(0, 0, width * 0.4, height);
  ground.addColorStop(0, css(mix(palette.middle, palette.shade, 0.35)));
  ground.addColorStop(1, css(mix(palette.high, palette.shade, 0.7)));
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
}

type TextLine = { readonly y: number; readonly pixels: number; readonly alpha: number };

/** Centered at `x`. */
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
    ...{ x: rightToLeft ? left + widthOf(shown) : left, baseline: line.y },
    ...{ pixels, rightToLeft },
  });
}
