/** Lines of light that stream through the dark: for prompts that name no place. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { along, css, mix } from '../colour.ts';
import { clamp } from '../motion.ts';
import { createAir } from './air.ts';
import type { Scene, Setting } from './scene.ts';

const ribbonsCount = 16;
const pointsCount = 28;
/** The backdrop is all soft shapes: one computed point for many pixels. */
const backdropCells = 144;

export function createFlow(setting: Setting): Scene {
  const { size, palette, noise, random, unit } = setting;
  const { width, height } = size;
  const air = createAir(setting, { horizon: 1 });
  const backdrop = createBackdrop(setting);
  const ribbons = Array.from({ length: ribbonsCount }, () => ({
    start: 0.05 + random() * 0.9,
    own: random() * 0.6,
    phase: random() * Math.PI * 2,
    thickness: 0.8 + random() * 2.2,
    colour: mix(mix(palette.low, palette.horizon, random()), palette.light, random() * 0.5),
  }));
  const [fieldX, fieldY] = [random() * 100, random() * 100];

  function trace(context: SKRSContext2D, ribbon: (typeof ribbons)[number], second: number): void {
    const travel = setting.camera.at(second).share * 0.2;
    const step = (width * 1.6) / pointsCount;
    let x = -width * 0.12;
    let y = ribbon.start * height;
    context.beginPath();
    context.moveTo(x, y);
    for (let point = 0; point < pointsCount; point += 1) {
      const across = (x / width) * 1.7 + fieldX + second * 0.06 + travel;
      const down = (y / height) * 1.2 + ribbon.own + fieldY - second * 0.05;
      const angle = noise.at(across, down) * 1.5;
      const nextX = x + step * Math.cos(angle);
      const nextY = y + step * Math.sin(angle) * 0.85;
      // Curves through the middles of the points have no corners at them.
      context.quadraticCurveTo(x, y, (x + nextX) / 2, (y + nextY) / 2);
      x = nextX;
      y = nextY;
    }
  }

  return {
    draw(context, second) {
      backdrop(context, second);
      context.globalCompositeOperation = 'lighter';
      context.lineCap = 'round';
      for (const ribbon of ribbons) {
        const breath = 0.55 + 0.45 * Math.sin(second * 0.9 + ribbon.phase);
        trace(context, ribbon, second);
        context.strokeStyle = css(ribbon.colour, 0.07 * breath + 0.04);
        context.lineWidth = ribbon.thickness * 8 * unit;
        context.stroke();
        context.strokeStyle = css(mix(ribbon.colour, palette.light, 0.6), 0.5 * breath + 0.18);
        context.lineWidth = ribbon.thickness * unit;
        context.stroke();
      }
      context.globalCompositeOperation = 'source-over';
      air.drawSpecks(context, second);
    },
  };
}

/** Slow clouds of colour, computed small and enlarged. */
function createBackdrop(setting: Setting) {
  const { size, palette, noise, random } = setting;
  const columns = backdropCells;
  const rows = Math.max(8, Math.round((columns * size.height) / size.width));
  const small: Canvas = createCanvas(columns, rows);
  const smallContext = small.getContext('2d');
  const image = smallContext.createImageData(columns, rows);
  const [startX, startY] = [random() * 100, random() * 100];
  const stops = [
    [0, palette.shade],
    [0.35, palette.high],
    [0.75, palette.middle],
    [1, palette.low],
  ] as const;
  const shades = Array.from({ length: 256 }, (_, index) => along(stops, index / 255));

  return (context: SKRSContext2D, second: number): void => {
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const x = (column / rows) * 1.1 + startX;
        const y = (row / rows) * 1.1 + startY;
        const bendX = noise.at(x * 1.3 + second * 0.04, y * 1.3);
        const bendY = noise.at(x * 1.3, y * 1.3 + 40 - second * 0.045);
        const mass = noise.rough(x + bendX, y + bendY + second * 0.02, 2);
        const colour = shades[Math.round(clamp(0.46 + mass * 1.1) * 255)]!;
        const at = (row * columns + column) * 4;
        image.data[at] = colour[0];
        image.data[at + 1] = colour[1];
        image.data[at + 2] = colour[2];
        image.data[at + 3] = 255;
      }
    }
    smallContext.putImageData(image, 0, 0);
    // A border of a cell is left out: enlarging fades it.
    context.drawImage(small, 1, 1, columns - 2, rows - 2, 0, 0, size.width, size.height);
  };
}
