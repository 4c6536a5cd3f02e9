/** Weather in front of a scene: rain, snow and banks of fog. */
import { type Color, css, mix, white } from '../color.ts';
import { smooth, wrap } from '../motion.ts';
import { type DrawAt, glowOf, type SceneContext } from '../scenes/scene.ts';
import type { Point } from '../size.ts';
import { drawSoft } from './layer.ts';
import { paintMask } from './paint.ts';

/** Fine threads far away, long ones close to the camera. */
const depths = [
  { drops: 120, long: 20, wide: 0.9, alpha: 0.2, speed: 1.15, near: 0.3 },
  { drops: 64, long: 42, wide: 1.3, alpha: 0.24, speed: 1.6, near: 0.7 },
  { drops: 18, long: 92, wide: 2.2, alpha: 0.17, speed: 2.3, near: 1.3 },
] as const;
/** The golden ratio: successive drops of a thread never repeat a position. */
const golden = 0.618034;

export function createRainfall(scene: SceneContext, strength = 1): DrawAt {
  const { size, palette, random, unit, brief, camera } = scene;
  const { width, height } = size;
  const isStorm = brief.weather === 'storm';
  const lean = (isStorm ? 0.34 : 0.1) * (random() < 0.5 ? -1 : 1);
  // In slow motion the drops must still fall, not float.
  const pace = brief.pace < 0.55 ? 0.35 : 0.85 + 0.15 * brief.pace;
  const area = (width * height) / (1280 * 720 * unit * unit);
  const sheets = depths.map((depth) => ({
    ...depth,
    drops: Array.from({ length: Math.round(depth.drops * area * (isStorm ? 1.1 : 1)) }, () => ({
      x: random(),
      phase: random(),
      speed: depth.speed * (0.85 + random() * 0.3),
      long: depth.long * unit * (0.7 + random() * 0.6),
    })),
  }));
  const color = mix(mix(palette.horizon, palette.light, 0.5), white, 0.4);

  return (context, second) => {
    const view = camera.at(second);
    const wide = width + height * Math.abs(lean);
    for (const { drops, wide: thick, alpha, near } of sheets) {
      context.strokeStyle = css(color, alpha * strength * (palette.time === 'day' ? 1.3 : 1));
      context.lineWidth = thick * unit;
      context.beginPath();
      for (const { x, phase, speed, long } of drops) {
        const fallen = phase + second * speed * pace;
        const share = wrap(fallen);
        const place = wrap(x + Math.floor(fallen) * golden + view.x(near) / wide);
        const top = share * (height + long) - long;
        const left = place * wide - (lean > 0 ? height * lean : 0) + top * lean;
        context.moveTo(left, top);
        context.lineTo(left + long * lean, top + long);
      }
      context.stroke();
    }
  };
}

type Flake = Point & {
  readonly phase: number;
  readonly pace: number;
  readonly depth: number;
};

export function createSnowfall(scene: SceneContext, strength = 1): DrawAt {
  const { size, palette, random, unit, brief, camera } = scene;
  const { width, height } = size;
  const isBlizzard = brief.mentions(/\b(blizzard|snowstorm)/) || brief.weather === 'storm';
  const wind = (isBlizzard ? 0.42 : 0.045) * (random() < 0.5 ? -1 : 1);
  const speed = (isBlizzard ? 1.9 : 1) * Math.min(1.6, brief.pace ** 0.7);
  const area = (width * height) / (1280 * 720 * unit * unit);
  const flake = (depth: number): Flake => ({
    x: random(),
    y: random(),
    depth,
    phase: random() * Math.PI * 2,
    pace: 0.7 + random() * 0.6,
  });
  const count = (flakes: number): number =>
    Math.round(flakes * area * strength * (isBlizzard ? 1.6 : 1));
  const far = Array.from({ length: count(190) }, () => flake(random() ** 1.4 * 0.6));
  const near = Array.from({ length: count(46) }, () => flake(0.6 + random() ** 2 * 0.9));
  const tone = mix(mix(palette.light, palette.horizon, 0.25), white, 0.6);
  const [round, soft] = [glowOf(tone, 24), glowOf(tone, 64)];

  /** Position in pixels. A flake leaves the frame completely before it returns. */
  const placeOf = ({ x, y, phase, pace, depth }: Flake, second: number) => {
    const [wide, tall] = [width + 60 * unit, height + 60 * unit];
    const time = second * speed * pace;
    const sway = Math.sin(second * 0.9 * pace + phase) * 0.012 * (0.4 + depth);
    const across = x + sway + wind * time * (0.4 + depth) + camera.at(second).x(depth) / wide;
    return {
      x: wrap(across) * wide - 30 * unit,
      y: wrap(y + time * (0.045 + 0.11 * depth)) * tall - 30 * unit,
    };
  };

  return (context, second) => {
    context.fillStyle = css(tone, 0.55);
    for (const one of far) {
      const { x, y } = placeOf(one, second);
      const side = (1.5 + one.depth * 4) * unit;
      // Too small to be seen as a square.
      if (side < 2.6 * unit) context.fillRect(x, y, side, side);
      else context.drawImage(round, x - side, y - side, side * 2, side * 2);
    }
    for (const one of near) {
      const { x, y } = placeOf(one, second);
      const radius = (3.4 + (one.depth - 0.6) * 13) * unit;
      context.globalAlpha = 1.05 - (one.depth - 0.6) * 0.75;
      context.drawImage(soft, x - radius * 1.4, y - radius * 1.4, radius * 2.8, radius * 2.8);
    }
    context.globalAlpha = 1;
  };
}

type FogBank = {
  readonly y: number;
  readonly tall: number;
  readonly depth: number;
  readonly alpha: number;
};

const coarseness = 7;

const fogColor = ({ palette }: SceneContext): Color =>
  palette.night
    ? mix(palette.low, palette.middle, 0.35)
    : mix(mix(palette.horizon, palette.low, 0.3), white, 0.2);

export function createFogBank(scene: SceneContext, bank: FogBank): DrawAt {
  const { size, noise, random, camera, brief } = scene;
  const { width, height } = size;
  const margin = camera.margin(bank.depth);
  const way = random() < 0.5 ? -1 : 1;
  const pace = brief.pace > 1.5 ? 3 : brief.pace;
  const speed = Math.min(height * 0.018 * (0.5 + bank.depth) * pace, width / scene.seconds);
  const drift = Math.ceil(speed * scene.seconds);
  const tall = Math.ceil(height * bank.tall);
  const wide = width + margin.x * 2 + drift;
  const [startX, startY] = [random() * 100, random() * 100];
  const image = paintMask(
    { width: wide, height: tall },
    { coarseness, color: fogColor(scene) },
    (x, y) => {
      const down = y / tall;
      const body = smooth(down, { from: 0, to: 0.6 }) * smooth(down, { from: 1, to: 0.62 });
      const mass = noise.rough((x / height) * 1.7 + startX, (y / height) * 4.5 + startY, 4);
      return body * smooth(mass, { from: -0.38, to: 0.5 }) * bank.alpha;
    },
  );
  const left = -margin.x - (way === 1 ? drift : 0);
  const top = height * bank.y - tall / 2;
  return (context, second) => {
    const x = left + way * speed * Math.min(second, scene.seconds);
    drawSoft(context, camera.at(second), { image, x, y: top, depth: bank.depth });
  };
}
