/** Schools of fish. Every fish follows its school, keeps its place and beats its tail. */
import { type Canvas, createCanvas, Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, colorOf, css, mix, white } from '../../color.ts';
import { fillPath } from '../../elements/paths.ts';
import type { SceneContext } from '../scene.ts';

type School = {
  readonly image: Canvas;
  /** Null for distant fish, whose tail does not move and is part of the image. */
  readonly tail: Canvas | null;
  readonly long: number;
  readonly depth: number;
  readonly y: number;
  readonly way: 1 | -1;
  readonly speed: number;
  readonly start: number;
  readonly wave: number;
  readonly fish: readonly {
    readonly x: number;
    readonly y: number;
    readonly beat: number;
    readonly size: number;
  }[];
};

const kinds = ['ffb030 f06e1e fff8ec', 'fadc50 e2aa28', '78bef0 3268be fae678', 'ec5c6e b4325a'];

export function createFish(scene: SceneContext) {
  const { random } = scene;
  const far = [14, 12, 10].map((count) => schoolOf(scene, { count, depth: 0.16 + random() * 0.1 }));
  const near = [
    schoolOf(scene, { count: 7, depth: 0.46 }),
    schoolOf(scene, { count: 4, depth: 0.58 }),
    schoolOf(scene, { count: 1 + Math.floor(random() * 2), depth: 0.85 }),
  ];
  const drawAll =
    (schools: readonly School[]) =>
    (context: SKRSContext2D, camera: Camera): void => {
      for (const school of schools) {
        camera.look(context, school.depth, () => drawSchool(context, scene, school, camera.second));
      }
    };
  return { drawFar: drawAll(far), drawNear: drawAll(near) };
}

function schoolOf(scene: SceneContext, options: { count: number; depth: number }): School {
  const { size, random, unit, palette } = scene;
  const { count, depth } = options;
  const kind = kinds[Math.floor(random() * kinds.length)]!;
  const [body, back, stripe] = kind.split(' ').map(colorOf) as [Color, Color, Color?];
  const water = mix(palette.middle, palette.low, 0.35);
  const veil = (0.72 - depth * 0.75) * (palette.night ? 1.2 : 1) + (palette.night ? 0.18 : 0);
  const dyed = (color: Color): Color => mix(color, water, Math.min(0.9, Math.max(0.05, veil)));
  const long = (14 + 70 * depth ** 1.4) * unit;
  const { image, tail } = fishOf({
    body: dyed(body),
    back: dyed(back),
    stripe: stripe ? dyed(stripe) : null,
  });
  const isFar = depth < 0.3;
  if (isFar) image.getContext('2d').drawImage(tail, -50, -14);
  const spread = count === 1 ? 0 : Math.sqrt(count) * long * 0.9;
  return {
    ...{ image, tail: isFar ? null : tail, long, depth },
    y: size.height * (0.24 + random() * 0.36),
    way: random() < 0.5 ? 1 : -1,
    speed: long * (0.9 + random() * 0.5),
    start: random(),
    wave: random() * 6,
    fish: Array.from({ length: count }, () => ({
      x: (random() - 0.5) * 2 * spread,
      y: (random() - 0.5) * spread * 0.8,
      beat: 5 + random() * 3,
      size: 0.8 + random() * 0.4,
    })),
  };
}

function drawSchool(
  context: SKRSContext2D,
  scene: SceneContext,
  school: School,
  second: number,
): void {
  const { size, brief, noise } = scene;
  const { long, way } = school;
  const room = size.width + size.height * 0.9;
  const pace = brief.pace ** 0.6;
  const gone = (school.start + (second * school.speed * pace) / room) % 1;
  const lead =
    way === 1 ? gone * room - size.height * 0.45 : size.width + size.height * 0.45 - gone * room;
  const heave = (x: number): number =>
    Math.sin(x / (size.height * 0.34) + school.wave) * size.height * 0.05;
  for (const [index, one] of school.fish.entries()) {
    const wander = noise.at(index * 7.3 + school.wave, second * 0.35);
    const x = lead + one.x + wander * long * 0.9;
    const y = school.y + heave(x) + one.y + noise.at(second * 0.3, index * 5.1) * long * 0.6;
    const slope = Math.atan2(heave(x + way * 8) - heave(x), 8) * 0.7;
    const beat = Math.sin(second * one.beat * pace + index);
    const scale = one.size * (long / 64);
    context.save();
    context.translate(x, y);
    context.scale(way * scale, scale);
    context.rotate(slope * 0.8 + beat * 0.03);
    if (school.tail) {
      const reach = 20 * (0.72 + 0.28 * beat);
      context.drawImage(school.tail, -28 - reach, -14, reach + 2, 28);
    }
    context.drawImage(school.image, -52, -20);
    context.restore();
  }
}

function fishOf(look: { body: Color; back: Color; stripe: Color | null }) {
  const image = createCanvas(88, 40);
  const context = image.getContext('2d');
  context.translate(52, 20);
  const side = context.createLinearGradient(0, -16, 0, 16);
  side.addColorStop(0, css(look.back));
  side.addColorStop(0.45, css(look.body));
  side.addColorStop(1, css(mix(look.body, white, 0.35)));
  const fins = 'M-14-10Q0-22 14-10L-8-6M-4 10Q2 18-10 16';
  fillPath(context, mix(look.back, look.body, 0.3), fins);
  const outline = new Path2D('M33 1Q16-17-8-11Q-24-6-31 0Q-22 8-6 12Q18 15 33 1');
  context.fillStyle = side;
  context.fill(outline);
  context.save();
  context.clip(outline);
  if (look.stripe) {
    context.fillStyle = css(look.stripe, 0.92);
    for (const x of [12, -8]) context.fillRect(x, -18, 5.5, 36);
  }
  context.restore();
  fillPath(context, css(white, 0.95), 'M19.8-3a3.2 3.2 0 1 1 6.4 0a3.2 3.2 0 1 1-6.4 0');
  fillPath(context, [10, 14, 24], 'M21.9-3a1.9 1.9 0 1 1 3.8 0a1.9 1.9 0 1 1-3.8 0');
  const tail = createCanvas(24, 28);
  const color = mix(look.back, look.body, 0.4);
  fillPath(tail.getContext('2d'), color, 'M24 14Q10 4 1 1Q8 14 1 27Q10 24 24 14');
  return { image, tail };
}
