/** Stars in depth: dust that is painted once, and nearer stars that twinkle and move apart. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { type Color, css, mix, white } from '../color.ts';
import { addLight, glowOf, type SceneContext } from '../scenes/scene.ts';

type Starfield = { draw(context: SKRSContext2D, camera: Camera, second: number): void };

const depths = [
  { depth: 0.1, count: 130, radius: 0.8 },
  { depth: 0.28, count: 60, radius: 1.15 },
] as const;
/** Stars of a group twinkle together and are filled as one path. */
const groupsCount = 5;
const brightCount = 16;
const brightDepth = 0.4;

/** Hot stars are blue, cool ones are orange. */
const tints: readonly Color[] = [white, [190, 214, 255], [255, 226, 190], [255, 244, 226]];

/** Paints the faintest stars onto a sky. */
export function paintDust(
  context: SKRSContext2D,
  { random, unit, noise }: SceneContext,
  area: { left: number; right: number; top: number; bottom: number },
): void {
  const wide = area.right - area.left;
  const tall = area.bottom - area.top;
  const count = Math.round((wide * tall) / (unit * unit) / 330);
  for (let star = 0; star < count; star += 1) {
    const x = area.left + random() * wide;
    const y = area.top + random() * tall;
    // Dust gathers in clouds, like the milky way.
    const crowd = noise.rough((x / tall) * 2.2 + 40, (y / tall) * 2.2, 2);
    if (random() > 0.5 + crowd) continue;
    const side = (0.6 + random() ** 4 * 1.2) * unit;
    context.fillStyle = css(tints[star % tints.length]!, 0.18 + random() ** 2 * 0.6);
    context.fillRect(x, y, side, side);
  }
}

export function createStarfield(scene: SceneContext): Starfield {
  const { random, unit } = scene;
  const scattered = (depth: number) => {
    const margin = scene.camera.margin(depth);
    return {
      x: random() * (scene.size.width + margin.x * 2) - margin.x,
      y: random() * (scene.size.height + margin.y * 2) - margin.y,
    };
  };
  const fields = depths.map(({ depth, count, radius }) => ({
    depth,
    groups: Array.from({ length: groupsCount }, (_, group) => ({
      phase: (group / groupsCount) * Math.PI * 2,
      color: tints[group % tints.length]!,
      stars: Array.from({ length: count / groupsCount }, () => ({
        ...scattered(depth),
        radius: radius * (0.6 + random() ** 3) * unit,
      })),
    })),
  }));
  const sprites = tints.map(starOf);
  const bright = Array.from({ length: brightCount }, (_, index) => ({
    ...scattered(brightDepth),
    sprite: sprites[index % sprites.length]!,
    radius: (7 + random() ** 2 * 16) * unit,
    phase: random() * Math.PI * 2,
    pace: 0.8 + random() * 1.6,
  }));

  return {
    draw(context, camera, second) {
      for (const { depth, groups } of fields) {
        camera.look(context, depth, () => {
          for (const { stars, phase, color } of groups) {
            context.fillStyle = css(color, 0.55 + 0.3 * Math.sin(second * 1.7 + phase));
            context.beginPath();
            for (const { x, y, radius } of stars) {
              context.rect(x - radius, y - radius, radius * 2, radius * 2);
            }
            context.fill();
          }
        });
      }
      camera.look(context, brightDepth, () => {
        addLight(context, () => {
          for (const { x, y, sprite, radius, phase, pace } of bright) {
            context.globalAlpha = 0.6 + 0.4 * Math.sin(second * pace + phase);
            context.drawImage(sprite, x - radius, y - radius, radius * 2, radius * 2);
          }
        });
      });
    },
  };
}

/** A bright point with four fine rays, like a lens shows it. */
function starOf(color: Color): Canvas {
  const canvas = createCanvas(96, 96);
  const context = canvas.getContext('2d');
  context.globalAlpha = 0.7;
  context.drawImage(glowOf(color, 64), 24, 24, 48, 48);
  context.globalAlpha = 1;
  for (const [across, down] of [
    [48, 1.1],
    [1.1, 48],
  ] as const) {
    context.save();
    context.translate(48, 48);
    context.scale(across, down);
    const ray = context.createRadialGradient(0, 0, 0, 0, 0, 1);
    ray.addColorStop(0, css(mix(color, white, 0.6), 0.9));
    ray.addColorStop(1, css(color, 0));
    context.fillStyle = ray;
    context.fillRect(-1, -1, 2, 2);
    context.restore();
  }
  return canvas;
}
