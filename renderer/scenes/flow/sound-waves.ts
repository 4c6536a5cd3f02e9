/** Music as an image: strings that swing to a slow beat, and bars below them. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { clamp } from '../../motion.ts';
import { addLight, type Scene, type SceneContext } from '../scene.ts';
import { createSoftStage } from './soft-stage.ts';

const stringsCount = 6;
const pointsCount = 36;
const barsCount = 72;

export function createSoundWaves(scene: SceneContext): Scene {
  const { palette, unit } = scene;
  const stage = createSoftStage(scene, { depth: 0.5 });
  const air = createAir(scene, { horizon: 1 });
  const strings = stringsOf(scene);
  const beat = beatOf(scene);
  return {
    draw(context, second) {
      const loud = beat(second);
      stage.draw(context, second, (glow) => {
        for (const string of strings) {
          trace(glow, scene, { string, second, loud });
          for (const [times, alpha] of [
            [40, 0.09],
            [12, 0.2],
          ] as const) {
            glow.strokeStyle = css(string.color, alpha * (0.5 + loud * 0.7));
            glow.lineWidth = times * unit;
            glow.stroke();
          }
        }
      });
      context.fillStyle = css(mix(palette.low, palette.horizon, 0.4), 0.4);
      fillBars(context, scene, { second, loud });
      addLight(context, () => {
        for (const string of strings) {
          trace(context, scene, { string, second, loud });
          context.strokeStyle = css(mix(string.color, palette.light, 0.6), 0.8);
          context.lineWidth = Math.max(0.9, 1.8 * unit);
          context.stroke();
        }
      });
      air.drawSpecks(context, second);
    },
  };
}

const stringsOf = ({ random, palette }: SceneContext) =>
  Array.from({ length: stringsCount }, (_, index) => ({
    share: index / (stringsCount - 1),
    waves: 1.4 + random() * 1.6,
    pace: 0.5 + random() * 0.6,
    phase: random() * Math.PI * 2,
    row: random() * 60,
    color: mix(mix(palette.low, palette.horizon, index / stringsCount), palette.light, 0.2),
  }));

function beatOf({ brief }: SceneContext): (second: number) => number {
  const beatsPerSecond = 1.3 * brief.pace ** 0.6;
  return (second) => {
    const share = (second * beatsPerSecond) % 1;
    return 0.62 + 0.38 * Math.exp(-share * 3.4) * clamp(share * 14);
  };
}

type SoundFrame = { readonly second: number; readonly loud: number };
type StringFrame = SoundFrame & { readonly string: ReturnType<typeof stringsOf>[number] };

function trace(
  context: SKRSContext2D,
  { size, noise, camera }: SceneContext,
  { string, second, loud }: StringFrame,
): void {
  const { width, height } = size;
  const reach = Math.min(height * 0.2, width * 0.24);
  const strength = loud * (0.5 + 0.5 * noise.at(second * 0.5, string.row));
  const moved = camera.at(second).x(0.3);
  context.beginPath();
  let [beforeX, beforeY] = [0, 0];
  for (let point = 0; point <= pointsCount; point += 1) {
    const share = point / pointsCount;
    const held = Math.sin(Math.PI * share) ** 1.5;
    const swing =
      Math.sin(share * Math.PI * 2 * string.waves + second * string.pace * 2.6 + string.phase) +
      0.4 * Math.sin(share * Math.PI * 9 - second * 3.1 + string.phase * 2);
    const x = (share * 1.2 - 0.1) * width + moved * held;
    const rest = height * 0.42 + (string.share - 0.5) * reach * 0.3;
    const y = rest + swing * strength * held * reach;
    if (point === 0) context.moveTo(x, y);
    else context.quadraticCurveTo(beforeX, beforeY, (beforeX + x) / 2, (beforeY + y) / 2);
    [beforeX, beforeY] = [x, y];
  }
}

function fillBars(
  context: SKRSContext2D,
  { size, noise }: SceneContext,
  { second, loud }: SoundFrame,
): void {
  const wide = size.width / barsCount;
  context.beginPath();
  for (let bar = 0; bar < barsCount; bar += 1) {
    const away = Math.abs((bar + 0.5) / barsCount - 0.5) * 2;
    const note = 0.5 + 0.5 * noise.at(bar * 0.37, second * 1.7 + (bar % 3));
    const tall = size.height * 0.13 * (0.08 + note ** 2 * loud * (1.15 - away * 0.8));
    const x = bar * wide + wide * 0.28;
    context.roundRect(x, size.height * 0.68 - tall, wide * 0.44, tall * 1.5, wide * 0.22);
  }
  context.fill();
}
