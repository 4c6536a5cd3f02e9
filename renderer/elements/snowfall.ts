/** Falling snow in depth: fine flakes far away, soft large ones close to the camera. */
import { css, mix, white } from '../color.ts';
import { wrap } from '../motion.ts';
import { type DrawAt, glowOf, type SceneContext } from '../scenes/scene.ts';

type Flake = {
  readonly x: number;
  readonly y: number;
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
    ...{ x: random(), y: random(), depth },
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
