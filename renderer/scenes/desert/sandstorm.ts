/** Sand in the wind: veils that race along the crests; in a storm a wall that takes the view. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { paintMask } from '../../elements/paint.ts';
import { smooth, wrap } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';

export type SandstormPlan = { readonly heavy: boolean; readonly color: Color };

export function createSandstorm(setting: SceneContext, { heavy, color }: SandstormPlan) {
  const { size, noise, random, unit, brief, palette } = setting;
  const { width, height } = size;
  const way = random() < 0.5 ? -1 : 1;
  const sand = mix(
    mix(color, [226, 170, 104], palette.night ? 0.1 : 0.35),
    white,
    heavy ? 0.02 : 0.1,
  );
  const pace = brief.pace ** 0.6;
  /** Wide enough that its repetition is not seen, and seamless where it meets itself. */
  const tile = Math.ceil(width * 1.2);
  const veilOf = (tall: number, alpha: number) => {
    const start = random() * 100;
    return paintMask({ width: tile, height: tall }, { coarseness: 8, color: sand }, (x, y) => {
      // Faded into itself a tile further on, so that the two ends meet.
      const share = x / tile;
      const massAt = (at: number) =>
        noise.rough((at / height) * 1.1 + start, (y / height) * 3.2, 4);
      const mass = massAt(x) * (1 - share) + massAt(x - tile) * share;
      const down = y / tall;
      const body = smooth(down, { from: 0, to: 0.5 }) * smooth(down, { from: 1, to: 0.6 });
      return body * smooth(mass, { from: heavy ? -0.5 : -0.2, to: heavy ? 0.25 : 0.45 }) * alpha;
    });
  };
  const veils = heavy
    ? [
        { picture: veilOf(Math.ceil(height * 1.02), 0.92), y: -height * 0.06, speed: 0.16 },
        { picture: veilOf(Math.ceil(height * 0.62), 0.95), y: height * 0.42, speed: 0.34 },
      ]
    : [{ picture: veilOf(Math.ceil(height * 0.22), 0.5), y: height * 0.6, speed: 0.12 }];
  const grains = Array.from({ length: heavy ? 90 : 26 }, () => ({
    x: random(),
    y: heavy ? random() : 0.6 + random() * 0.4,
    speed: 0.5 + random() * 0.7,
    long: 8 + random() * 22,
  }));

  return (context: SKRSContext2D, camera: Camera): void => {
    const time = camera.second * pace;
    for (const { picture, y, speed } of veils) {
      // Soft enough to go by whole pixels.
      const gone = Math.round(wrap(way * time * speed * (height / tile)) * tile);
      for (const x of [gone - tile, gone])
        if (x < width) context.drawImage(picture, x, Math.round(y));
    }
    context.strokeStyle = css(mix(sand, white, 0.3), heavy ? 0.3 : 0.22);
    context.lineWidth = 1.2 * unit;
    context.beginPath();
    for (const { x, y, speed, long } of grains) {
      const flown = x + way * time * speed * (heavy ? 1 : 0.6);
      const px = wrap(flown) * (width + 60 * unit) - 30 * unit;
      const py = wrap(y + Math.floor(flown) * 0.618 * (heavy ? 1 : 0)) * height;
      context.moveTo(px, py);
      context.lineTo(px - way * long * unit, py + 1.5 * unit);
    }
    context.stroke();
  };
}
