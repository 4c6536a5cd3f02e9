/** Panels for what has no picture to show: what it is, and where it came from. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { withoutMissing } from './captions/coverage.ts';
import { oneLine } from './captions/lines.ts';
import { isRightToLeft, tidied } from './captions/text.ts';
import { typefaceFor } from './captions/typeface.ts';
import type { Box, CardContent } from './card-content.ts';
import { css, mix, type Palette } from './color.ts';
import { randomFrom, seedFrom } from './random.ts';
import type { JobMaterial } from './render-job.ts';
import type { Size } from './size.ts';

const kindNames = { image: 'Image', video: 'Video', audio: 'Audio' } as const;

type PanelOptions = {
  readonly material: JobMaterial;
  readonly size: Size;
  readonly palette: Palette;
};

/** An opaque picture of the given size, whatever that is: a small card or a whole frame. */
export function drawPanel({ material, size, palette }: PanelOptions): Canvas {
  const { width, height } = size;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  fillGround(context, size, palette);
  const scale = Math.min(height / 9, width / 12);
  const middle = width / 2;
  context.fillStyle = css(palette.light, 0.9);
  context.strokeStyle = css(palette.light, 0.9);
  drawSign(context, material, { x: middle, y: height * 0.5 - scale * 1.6, scale });
  const say = (text: string, line: Line): void =>
    drawLine(context, text, { ...line, x: middle, width: width * 0.86, isCentred: true });
  say(nameOf(material), { y: height * 0.5 + scale * 0.7, pixels: scale * 0.86, alpha: 1 });
  say(material.title, { y: height * 0.5 + scale * 1.75, pixels: scale * 0.56, alpha: 0.72 });
  if (material.file === null) {
    say(unreached, { y: height * 0.5 + scale * 2.6, pixels: scale * 0.5, alpha: 0.5 });
  }
  return canvas;
}

/** Width over height of a panel for something that is heard. */
const soundShape = 3;
const barsCount = 36;

export type SoundFaceOptions = {
  readonly palette: Palette;
  readonly longestSide: number;
  /** How loud it is when, from 0 to 1, in the clip's time; null where nothing is to be heard. */
  readonly loudnessAt: ((second: number) => number) | null;
};

/** Seconds of sound between two bars; the one in the middle is heard now. */
const barSeconds = 1 / 24;

/** Something that is heard: its name, and its wave form passing by; at rest without one. */
export function waveformCard(
  material: JobMaterial,
  { palette, longestSide, loudnessAt }: SoundFaceOptions,
): CardContent {
  const size = { width: Math.round(longestSide), height: Math.round(longestSide / soundShape) };
  const ground = createCanvas(size.width, size.height);
  const context = ground.getContext('2d', { alpha: false });
  fillGround(context, size, palette);
  const pixels = size.height * 0.17;
  const x = size.width * 0.07;
  const say = (text: string, line: Line): void =>
    drawLine(context, text, { ...line, x, width: size.width * 0.4 });
  say(nameOf(material), { y: size.height * 0.47, pixels, alpha: 1 });
  say(material.title, { y: size.height * 0.66, pixels: pixels * 0.62, alpha: 0.7 });
  const isThere = material.file !== null;
  if (!isThere) say(unreached, { y: size.height * 0.82, pixels: pixels * 0.55, alpha: 0.5 });
  const random = randomFrom(seedFrom(material.title, material.index));
  const resting = Array.from({ length: barsCount }, () => 0.1 + random() * 0.3);

  function drawBars(target: SKRSContext2D, box: Box, span: BarSpan): void {
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
    shape: soundShape,
    ...(loudnessAt ? {} : { isStill: true as const }),
    draw(target, box, second) {
      target.drawImage(ground, box.x, box.y, box.width, box.height);
      target.lineWidth = box.width * 0.0075;
      target.lineCap = 'round';
      if (!loudnessAt) {
        const loudness = (at: number): number => resting[at]!;
        return drawBars(target, box, { from: 0, to: barsCount, alpha: 0.4, loudness });
      }
      const now = barsCount / 2;
      // To whole bars, so that each keeps its height while it passes.
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

const unreached = 'could not be reached';
const nameOf = ({ kind, index }: JobMaterial): string => `${kindNames[kind]} ${index + 1}`;

function fillGround(context: SKRSContext2D, { width, height }: Size, palette: Palette): void {
  const ground = context.createLinearGradient(0, 0, width * 0.4, height);
  ground.addColorStop(0, css(mix(palette.middle, palette.shade, 0.35)));
  ground.addColorStop(1, css(mix(palette.high, palette.shade, 0.7)));
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
}

type Line = { readonly y: number; readonly pixels: number; readonly alpha: number };

type Span = {
  /** Its left end, or its middle. */
  readonly x: number;
  readonly width: number;
  readonly isCentred?: boolean;
};

/** One line, shortened from its end until it fits. */
function drawLine(context: SKRSContext2D, text: string, line: Line & Span): void {
  const pixels = Math.max(6, line.pixels);
  const whole = withoutMissing(tidied(text));
  const face = typefaceFor(`${whole}…`, { weight: line.alpha === 1 ? 600 : 500 });
  const widthOf = (part: string): number => face.extentOf(part).width * pixels;
  const shown = oneLine(whole, line.width, widthOf);
  const rightToLeft = isRightToLeft(shown);
  const left = line.isCentred ? line.x - widthOf(shown) / 2 : line.x;
  context.fillStyle = `rgba(255,255,255,${line.alpha})`;
  face.draw(context, shown, {
    ...{ x: rightToLeft ? left + widthOf(shown) : left, baseline: line.y },
    ...{ pixels, rightToLeft },
  });
}

type Place = { readonly x: number; readonly y: number; readonly scale: number };

/** A framed hill for an image, a play sign for a video, a wave form for audio. */
function drawSign(context: SKRSContext2D, material: JobMaterial, { x, y, scale }: Place): void {
  context.lineWidth = Math.max(1.5, scale * 0.11);
  context.lineJoin = 'round';
  context.lineCap = 'round';
  context.beginPath();
  if (material.kind === 'audio') {
    const random = randomFrom(seedFrom(material.title));
    for (let bar = -7; bar <= 7; bar += 1) {
      const half = scale * (0.15 + random() * 0.9 * Math.cos((bar / 7) * 1.3));
      context.moveTo(x + bar * scale * 0.26, y - half);
      context.lineTo(x + bar * scale * 0.26, y + half);
    }
    context.stroke();
    return;
  }
  if (material.kind === 'video') {
    context.arc(x, y, scale, 0, Math.PI * 2);
    context.stroke();
    context.beginPath();
    context.moveTo(x - scale * 0.3, y - scale * 0.46);
    context.lineTo(x + scale * 0.5, y);
    context.lineTo(x - scale * 0.3, y + scale * 0.46);
    context.fill();
    return;
  }
  context.roundRect(x - scale * 1.2, y - scale * 0.9, scale * 2.4, scale * 1.8, scale * 0.2);
  context.moveTo(x - scale * 1.15, y + scale * 0.55);
  context.lineTo(x - scale * 0.3, y - scale * 0.2);
  context.lineTo(x + scale * 0.25, y + scale * 0.35);
  context.lineTo(x + scale * 0.6, y + scale * 0.05);
  context.lineTo(x + scale * 1.15, y + scale * 0.55);
  context.stroke();
}
