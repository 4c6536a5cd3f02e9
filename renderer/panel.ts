/** Cards for materials without an image: a panel with name and source, and an audio waveform. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { withoutMissing } from './captions/coverage.ts';
import { oneLine } from './captions/lines.ts';
import { cleaned, isRightToLeft } from './captions/text.ts';
import { typefaceFor } from './captions/typeface.ts';
import type { CardContent, Rect } from './card-content.ts';
import { css, mix, type Palette } from './color.ts';
import { randomFrom, seedFrom } from './random.ts';
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
    drawLine(context, text, { ...line, x: middle, width: width * 0.86, isCentered: true });
  write(kindIcons[material.kind], { y: height * 0.5 - scale, pixels: scale * 1.8, alpha: 1 });
  write(materialName(material), { y: height * 0.5 + scale * 0.7, pixels: scale * 0.86, alpha: 1 });
  write(material.title, { y: height * 0.5 + scale * 1.75, pixels: scale * 0.56, alpha: 0.72 });
  if (material.file === null) {
    write(unavailable, { y: height * 0.5 + scale * 2.6, pixels: scale * 0.5, alpha: 0.5 });
  }
  return canvas;
}

const waveformAspect = 3;
const barsCount = 36;

type WaveformOptions = {
  readonly palette: Palette;
  readonly longestSide: number;
  /** Loudness from 0 to 1 at a time of the clip; null for a still waveform. */
  readonly loudnessAt: ((second: number) => number) | null;
};

/** Seconds between two bars; the middle one is playing now. */
const barSeconds = 1 / 24;

/** The name of an audio file and its scrolling waveform. */
export function waveformCard(
  material: JobMaterial,
  { palette, longestSide, loudnessAt }: WaveformOptions,
): CardContent {
  const size = { width: Math.round(longestSide), height: Math.round(longestSide / waveformAspect) };
  const ground = createCanvas(size.width, size.height);
  const context = ground.getContext('2d', { alpha: false });
  fillBackground(context, size, palette);
  const pixels = size.height * 0.17;
  const x = size.width * 0.07;
  const write = (text: string, line: TextLine): void =>
    drawLine(context, text, { ...line, x, width: size.width * 0.4 });
  write(materialName(material), { y: size.height * 0.47, pixels, alpha: 1 });
  write(material.title, { y: size.height * 0.66, pixels: pixels * 0.62, alpha: 0.7 });
  if (material.file === null)
    write(unavailable, { y: size.height * 0.82, pixels: pixels * 0.55, alpha: 0.5 });
  const random = randomFrom(seedFrom(material.title, material.index));
  const stillBars = Array.from({ length: barsCount }, () => 0.1 + random() * 0.3);

  function drawBars(target: SKRSContext2D, box: Rect, span: BarSpan): void {
    target.strokeStyle = css(palette.light, span.alpha);
    target.beginPath();
    for (let at = span.from; at < span.to; at += 1) {
      const share = (at + 0.5) / barsCount;
      const loud = span.loudness(at);
      const half = box.height * 0.36 * (0.03 + 0.97 * loud) * Math.sin(share * Math.PI) ** 0.4;
      const across = box.x + box.width * (0.51 + 0.43 * share);
      target.moveTo(across, box.y + box.height / 2 - half);
      target.lineTo(across, box.y + box.height / 2 + half);
    }
    target.stroke();
  }

  return {
    aspect: waveformAspect,
    ...(loudnessAt ? {} : { isStill: true as const }),
    draw(target, box, second) {
      target.drawImage(ground, box.x, box.y, box.width, box.height);
      target.lineWidth = box.width * 0.0075;
      target.lineCap = 'round';
      if (!loudnessAt) {
        const loudness = (at: number): number => stillBars[at]!;
        return drawBars(target, box, { from: 0, to: barsCount, alpha: 0.4, loudness });
      }
      const now = barsCount / 2;
      // Rounded to whole bars, so that each keeps its height while it moves.
      const bars = Math.floor(second / barSeconds);
      const loudness = (at: number): number => loudnessAt((bars + at - now) * barSeconds);
      drawBars(target, box, { from: 0, to: now, alpha: 0.95, loudness });
      drawBars(target, box, { from: now, to: barsCount, alpha: 0.45, loudness });
    },
  };
}

type BarSpan = {
  readonly from: number;
  readonly to: number;
  readonly alpha: number;
  loudness(bar: number): number;
};

const unavailable = 'could not be reached';
/** As the prompt refers to it: `Image 2`. */
export const materialName = ({ kind, index }: JobMaterial): string =>
  `${kindNames[kind]} ${index + 1}`;

function fillBackground(context: SKRSContext2D, { width, height }: Size, palette: Palette): void {
  const ground = context.createLinearGradient(0, 0, width * 0.4, height);
  ground.addColorStop(0, css(mix(palette.middle, palette.shade, 0.35)));
  ground.addColorStop(1, css(mix(palette.high, palette.shade, 0.7)));
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
}

type TextLine = { readonly y: number; readonly pixels: number; readonly alpha: number };

type TextSpan = {
  /** The left end, or the center if `isCentered`. */
  readonly x: number;
  readonly width: number;
  readonly isCentered?: boolean;
};

/** One line, shortened with an ellipsis to fit. */
function drawLine(context: SKRSContext2D, text: string, line: TextLine & TextSpan): void {
  const pixels = Math.max(6, line.pixels);
  const whole = withoutMissing(cleaned(text));
  const typeface = typefaceFor(`${whole}…`, { weight: line.alpha === 1 ? 600 : 500 });
  const widthOf = (part: string): number => typeface.extentOf(part).width * pixels;
  const shown = oneLine(whole, line.width, widthOf);
  const rightToLeft = isRightToLeft(shown);
  const left = line.isCentered ? line.x - widthOf(shown) / 2 : line.x;
  context.fillStyle = `rgba(255,255,255,${line.alpha})`;
  typeface.draw(context, shown, {
    ...{ x: rightToLeft ? left + widthOf(shown) : left, baseline: line.y },
    ...{ pixels, rightToLeft },
  });
}
