/**
 * Finishes a graded frame: glow around highlights, a moving light, and the lines of a screen.
 */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { colorOf } from '../color.ts';
import { type DrawAt, glowOf, type SceneContext } from '../scenes/scene.ts';
import type { Size } from '../size.ts';
import type { ColorGrade } from './color-grades.ts';

type FinishOptions = Pick<SceneContext, 'size' | 'unit' | 'random' | 'seconds'> & {
  readonly grade: ColorGrade;
  readonly hasScanlines: boolean;
};

const glowScale = 10;

/** Draws over the frame on the context's own canvas. */
export function createFinish(options: FinishOptions): DrawAt {
  const { grade, hasScanlines } = options;
  const steps = [
    grade.bloom > 0 || grade.light ? createGlow(options) : null,
    hasScanlines ? createScanlines(options) : null,
  ];
  return (context, second) => {
    for (const step of steps) step?.(context, second);
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  };
}

/** Bloom and moving light, drawn small and added in one step. */
function createGlow(options: FinishOptions): DrawAt {
  const { width, height } = options.size;
  const { bloom } = options.grade;
  const bright = createCanvas(Math.ceil(width / glowScale), Math.ceil(height / glowScale));
  const brightContext = bright.getContext('2d', { alpha: false });
  brightContext.imageSmoothingQuality = 'medium';
  const glow = createCanvas(bright.width, bright.height);
  const glowContext = glow.getContext('2d', { alpha: false });
  const drawLight = lightOf(options, glow);

  function drawBloom(picture: Canvas): void {
    brightContext.globalCompositeOperation = 'copy';
    brightContext.drawImage(picture, 0, 0, bright.width, bright.height);
    // Multiplied by itself, so that dark areas do not glow.
    brightContext.globalCompositeOperation = 'multiply';
    brightContext.drawImage(bright, 0, 0);
    glowContext.filter = 'blur(4px)';
    glowContext.globalAlpha = bloom;
    glowContext.drawImage(bright, 0, 0);
    glowContext.filter = 'none';
  }

  return (context, second) => {
    glowContext.globalCompositeOperation = 'source-over';
    glowContext.globalAlpha = 1;
    glowContext.fillStyle = '#000';
    glowContext.fillRect(0, 0, glow.width, glow.height);
    if (bloom > 0) drawBloom(context.canvas as Canvas);
    drawLight?.(glowContext, second);
    context.globalCompositeOperation = 'screen';
    context.drawImage(glow, 0, 0, width, height);
  };
}

function lightOf(
  { grade, seconds, random }: FinishOptions,
  { width, height }: Size,
): DrawAt | null {
  if (!grade.light) return null;
  const { hex, strength, low } = grade.light;
  const glow = glowOf(colorOf(hex), 128);
  const leftwards = random() < 0.5;
  const phase = random() * Math.PI * 2;
  return (context, second) => {
    const share = second / Math.max(1, seconds);
    const along = leftwards ? 1 - share : share;
    const across = width * (low ? 1.7 : 1.1);
    const down = low ? height * 1.1 : width * 0.9;
    const x = width * (low ? 0.3 + 0.4 * along : -0.05 + 1.1 * along);
    const y = height * (low ? 0.62 : 0.12) + Math.sin(second * 0.6 + phase) * height * 0.03;
    context.globalCompositeOperation = 'screen';
    context.globalAlpha = strength * (0.85 + 0.15 * Math.sin(second * 1.7 + phase));
    context.drawImage(glow, x - across / 2, y - down / 2, across, down);
  };
}

function createScanlines({ size, unit }: FinishOptions): DrawAt {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = context.createPattern(scanlinesTile(unit), 'repeat');
  context.fillRect(0, 0, size.width, size.height);
  return (target) => {
    target.globalCompositeOperation = 'multiply';
    target.drawImage(canvas, 0, 0);
  };
}

function scanlinesTile(unit: number): Canvas {
  const step = Math.max(2, Math.round(3 * unit));
  const canvas = createCanvas(8, step);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, 8, step);
  context.fillStyle = 'rgba(0,0,0,.3)';
  context.fillRect(0, 0, 8, Math.max(1, Math.round(step / 3)));
  return canvas;
}
