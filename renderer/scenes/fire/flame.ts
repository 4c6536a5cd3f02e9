/**
 * Flames, computed on a small grid for every frame and enlarged: noise that streams upwards within
 * the shape of a fire, with heat mapped to color. Sparks rise from it.
 */
import { createCanvas } from '@napi-rs/canvas';
import { type Color, colorTable, css, mix, pixelOf } from '../../color.ts';
import { clamp, wrap } from '../../motion.ts';
import { between } from '../../random.ts';
import type { Point, Rect } from '../../size.ts';
import { addLight, type DrawAt, type SceneContext } from '../scene.ts';

/** Width of the grid; more points give finer flames. */
const columns = 96;

const colors = [
  [120, 12, 4],
  [226, 62, 10],
  [255, 160, 40],
  [255, 244, 196],
] as const;

export function createFlame(scene: SceneContext, plan: Rect): DrawAt {
  const { noise, random, brief } = scene;
  const rows = Math.max(8, Math.round((columns * plan.height) / plan.width));
  const context = createCanvas(columns, rows).getContext('2d');
  const image = context.createImageData(columns, rows);
  const heats = heatTable();
  const start = random() * 100;
  const speed = 1.8 * (0.7 + brief.pace * 0.3);

  function burn(second: number): void {
    const words = new Uint32Array(image.data.buffer);
    const flow = second * speed;
    for (let row = 0, at = 0; row < rows; row += 1) {
      const up = 1 - (row + 0.5) / rows;
      const sway = noise.at(start + up * 1.2, flow * 0.7) * 0.34 * up * 1.25;
      for (let column = 0; column < columns; column += 1, at += 1) {
        const across = ((column + 0.5) / columns) * 2 - 1;
        const rough = noise.rough(across * 1.9 + start, up * 2.1 - flow, 3);
        const heat = heatAt({ across: across - sway, up, rough });
        words[at] = heats[Math.round(clamp(heat) * 255)]!;
      }
    }
    context.putImageData(image, 0, 0);
  }

  return (target, second) => {
    burn(second);
    const [left, top] = [plan.x - plan.width / 2, plan.y - plan.height];
    addLight(target, () => {
      target.drawImage(context.canvas, left, top, plan.width, plan.height);
    });
  };
}

type FlamePoint = { readonly across: number; readonly up: number; readonly rough: number };

function heatAt({ across, up, rough }: FlamePoint): number {
  const belly = Math.min(1, 0.42 + up * 2.6) * (1 - up) ** 0.72;
  const inside = 1 - (across / (0.12 + belly * 0.72)) ** 2;
  const torn = rough * (0.18 + up * 1.25);
  return (inside * 0.86 + torn - up * 0.36 + 0.06) * Math.min(1, up * 12, (1 - up) * 5);
}

/** Maps heat to a pixel. Flames are added to the frame, so black is transparent. */
function heatTable(): Uint32Array {
  const stops = [
    [0, [0, 0, 0]],
    [0.1, [0, 0, 0]],
    [0.2, colors[0]],
    [0.4, colors[1]],
    [0.74, colors[2]],
    [1, mix(colors[2], colors[3], 0.8)],
  ] as const;
  return Uint32Array.from(colorTable(stops), pixelOf);
}

export const flickerAt = ({ noise }: SceneContext, second: number): number =>
  1 + noise.at(second * 2.6, 3.3) * 0.16 + noise.at(second * 7.1, 8.8) * 0.08;

type SparksPlan = Point & {
  readonly spread: number;
  readonly rise: number;
};

const sparksCount = 70;
const youngSpark: Color = [255, 214, 130];
const oldSpark: Color = [255, 104, 30];

/** Sparks of similar age are stroked as one path. */
const ages = 5;

export function createSparks(scene: SceneContext, plan: SparksPlan): DrawAt {
  const { random, noise, unit, brief } = scene;
  const sparks = Array.from({ length: sparksCount }, () => ({
    phase: random(),
    from: (random() - 0.5) * 2,
    row: random() * 60,
    life: between(random, { from: 1.6, to: 4.2 }),
    rise: between(random, { from: 0.5, to: 1 }),
  }));
  type Spark = (typeof sparks)[number];

  const placeOf = ({ from, row, rise }: Spark, age: number) => {
    const sway = noise.at(age * 2.2 + row, row) * (0.2 + age);
    return {
      x: plan.x + from * plan.spread * (0.35 + age * 0.4) + sway * plan.rise * 0.22,
      y: plan.y - plan.rise * rise * age ** 0.85,
    };
  };

  return (context, second) => {
    const passed = second * brief.pace ** 0.5;
    addLight(context, () => {
      context.lineCap = 'round';
      for (let group = 0; group < ages; group += 1) {
        const age = (group + 0.5) / ages;
        context.strokeStyle = css(
          age < 0.5 ? youngSpark : oldSpark,
          Math.min(1, age * 8) * (1 - age) ** 0.8,
        );
        context.lineWidth = 1.6 * unit;
        context.beginPath();
        for (const spark of sparks) {
          const own = wrap(spark.phase + passed / spark.life);
          if (Math.floor(own * ages) !== group) continue;
          const [head, tail] = [placeOf(spark, own), placeOf(spark, Math.max(0, own - 0.012))];
          context.moveTo(tail.x, tail.y);
          context.lineTo(head.x, head.y);
        }
        context.stroke();
      }
    });
  };
}
