/** The stars of a night sky: hundreds of small ones and a few bright ones. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../color.ts';
import { smooth } from '../motion.ts';
import { addLight, type DrawAt, glowOf, type SceneContext } from '../scenes/scene.ts';
import type { Edges } from './layer.ts';

/** Small stars of a group twinkle together. */
const groups = 6;

export function createStars(scene: SceneContext, options: { readonly horizon: number }): DrawAt {
  const { size, palette, random, unit, brief, camera } = scene;
  const { width, height } = size;
  const margin = camera.margin(0);
  const veil = { fog: 0.35, clouds: 0.6, rain: 0.12, storm: 0.08, snow: 0.3, clear: 1, any: 1 };
  const clearness = veil[brief.weather ?? 'any'];
  const many = brief.shows('stars') ? 1.7 : 1;
  const reach = height * options.horizon;
  const place = () => {
    const y = random();
    return {
      x: random() * (width + margin.x * 2) - margin.x,
      y: y * (reach + margin.y) - margin.y,
      shine: smooth(y, { from: 1, to: 0.35 }) * (0.3 + random() * 0.7),
      phase: random() * Math.PI * 2,
      pace: 0.6 + random(),
    };
  };
  const area = (width * reach) / (1280 * 400 * unit * unit);
  const small = Array.from({ length: Math.round(260 * many * area) }, place);
  const bright = Array.from({ length: Math.round(22 * many * area) }, place);
  const dot = glowOf(mix(palette.light, white, 0.5), 48);
  const color = mix(palette.light, white, 0.3);

  function drawSmall(context: SKRSContext2D, second: number): void {
    for (let group = 0; group < groups; group += 1) {
      const twinkle = 0.75 + 0.25 * Math.sin(second * (1.1 + group * 0.37) + group * 2);
      const shine = ((group + 1) / groups) * twinkle * clearness;
      context.fillStyle = css(color, Number(shine.toFixed(3)));
      for (const star of small) {
        if (Math.min(groups - 1, Math.floor(star.shine * groups)) !== group) continue;
        const side = (0.7 + star.shine * 1.1) * unit;
        context.fillRect(star.x - side / 2, star.y - side / 2, side, side);
      }
    }
  }

  return (context, second) => {
    camera.at(second).look(context, 0, () => {
      drawSmall(context, second);
      addLight(context, () => {
        for (const star of bright) {
          const radius = (3 + star.shine * 5) * unit;
          const twinkle = 0.55 + 0.45 * Math.sin(second * (1 + star.pace * 1.6) + star.phase) ** 2;
          context.globalAlpha = twinkle * star.shine * clearness;
          context.drawImage(dot, star.x - radius, star.y - radius, radius * 2, radius * 2);
        }
      });
    });
  };
}

/** Paints the faintest stars onto a sky, in clouds like the milky way. */
export function paintDust(
  context: SKRSContext2D,
  { random, unit, noise }: SceneContext,
  { left, right, top, bottom }: Edges,
): void {
  const [wide, tall] = [right - left, bottom - top];
  const count = Math.round((wide * tall) / (unit * unit) / 330);
  for (let star = 0; star < count; star += 1) {
    const [x, y] = [left + random() * wide, top + random() * tall];
    const crowd = noise.rough((x / tall) * 2.2 + 40, (y / tall) * 2.2, 2);
    if (random() > 0.5 + crowd) continue;
    const side = (0.6 + random() ** 4 * 1.2) * unit;
    context.fillStyle = css(white, 0.18 + random() ** 2 * 0.6);
    context.fillRect(x, y, side, side);
  }
}
