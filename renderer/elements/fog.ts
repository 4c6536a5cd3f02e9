/** Banks of fog that drift in front of the land. */
import { type Color, mix, white } from '../color.ts';
import { smooth } from '../motion.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';
import { paintMask } from './paint.ts';
import { drawSoft } from './sprite.ts';

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
