/**
 * What a lens, a lamp and a ground add to a graded picture: glow around what is bright, a passing
 * light, dark corners, the grain of paper. Everything is made once and only laid on.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { colorOf } from '../color.ts';
import type { Random } from '../random.ts';
import { glowOf } from '../scenes/scene.ts';
import type { Size } from '../size.ts';
import type { ColorGrade } from './color-grades.ts';
import type { Overlay, Room } from './overlay.ts';
import type { Style } from './styles.ts';

export type FinishOptions = Room & {
  readonly seconds: number;
  readonly look: ColorGrade;
  readonly ground: Style['ground'];
};

/** A glow is soft: it is made from so much smaller a picture. */
const glowScale = 10;

/** Over the picture that stands on the context's own canvas. */
export function createFinish(options: FinishOptions): Overlay {
  const { look, ground } = options;
  const steps = [
    look.bloom > 0 || look.light ? glowing(options) : null,
    ground ? groundOf(ground, options) : null,
  ];
  return {
    draw(context, second) {
      for (const step of steps) step?.(context, second);
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
    },
  };
}

type Step = (context: SKRSContext2D, second: number) => void;

/** Bloom and passing light together, small, and then laid on at once. */
function glowing(options: FinishOptions): Step {
  const { width, height } = options.size;
  const { bloom } = options.look;
  const bright = createCanvas(Math.ceil(width / glowScale), Math.ceil(height / glowScale));
  const brightContext = bright.getContext('2d', { alpha: false });
  brightContext.imageSmoothingQuality = 'medium';
  const glow = createCanvas(bright.width, bright.height);
  const glowContext = glow.getContext('2d', { alpha: false });
  const light = lightOf(options, glow);

  function drawBloom(picture: Canvas): void {
    brightContext.globalCompositeOperation = 'copy';
    brightContext.drawImage(picture, 0, 0, bright.width, bright.height);
    // Times itself: what is dark does not glow.
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
    light?.(glowContext, second);
    context.globalCompositeOperation = 'screen';
    context.drawImage(glow, 0, 0, width, height);
  };
}

function lightOf({ look, seconds, random }: FinishOptions, { width, height }: Size): Step | null {
  if (!look.light) return null;
  const { hex, strength, low } = look.light;
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

function groundOf(
  ground: NonNullable<Style['ground']>,
  { size, unit, random }: FinishOptions,
): Step {
  const { width, height } = size;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const tile = { paper: paperTile, canvas: clothTile, scanlines: linesTile, dots: dotsTile };
  context.fillStyle = context.createPattern(tile[ground](unit, random), 'repeat');
  context.fillRect(0, 0, width, height);
  return (target) => {
    target.globalCompositeOperation = 'multiply';
    target.drawImage(canvas, 0, 0);
  };
}

/** Mottled white: fine grain over wide, faint stains. */
function paperTile(unit: number, random: Random): Canvas {
  const side = 256;
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fbf8f1';
  context.fillRect(0, 0, side, side);
  for (let fleck = 0; fleck < 5200; fleck += 1) {
    const radius = (0.5 + random() * 1.4) * Math.max(0.7, unit);
    const [x, y] = [random() * side, random() * side];
    context.fillStyle = random() < 0.5 ? 'rgba(96,84,66,.06)' : 'rgba(255,255,255,.12)';
    for (const [dx, dy] of [
      [0, 0],
      [side, 0],
      [0, side],
      [-side, 0],
      [0, -side],
    ] as const) {
      context.fillRect(x + dx, y + dy, radius * 2, radius);
    }
  }
  return canvas;
}

/** Threads over and under. */
function clothTile(unit: number): Canvas {
  const thread = Math.max(2, Math.round(2.5 * unit));
  const canvas = createCanvas(thread * 2, thread * 2);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, thread * 2, thread * 2);
  context.fillStyle = 'rgba(60,50,40,.13)';
  context.fillRect(0, thread - 1, thread, 1);
  context.fillRect(thread - 1, thread, 1, thread);
  context.fillRect(thread, thread * 2 - 1, thread, 1);
  context.fillRect(thread * 2 - 1, 0, 1, thread);
  return canvas;
}

function linesTile(unit: number): Canvas {
  const step = Math.max(2, Math.round(3 * unit));
  const canvas = createCanvas(8, step);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, 8, step);
  context.fillStyle = 'rgba(0,0,0,.3)';
  context.fillRect(0, 0, 8, Math.max(1, Math.round(step / 3)));
  return canvas;
}

/** The screen of a print, faint. */
function dotsTile(unit: number): Canvas {
  const step = Math.max(4, Math.round(6 * unit));
  const canvas = createCanvas(step, step);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, step, step);
  context.fillStyle = 'rgba(0,0,0,.1)';
  context.beginPath();
  context.arc(step / 2, step / 2, step * 0.28, 0, Math.PI * 2);
  context.fill();
  return canvas;
}
