/** A suspension bridge: towers, cables, a deck with lamps. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix } from '../../color.ts';
import { createLayer } from '../../elements/layer.ts';
import { wrap } from '../../motion.ts';
import { glowOf, type SceneContext } from '../scene.ts';
import { darknessOf } from './daylight.ts';

const depth = 0.4;

export function createBridge(scene: SceneContext, { ground }: { readonly ground: number }) {
  const { size, unit } = scene;
  const { width, height } = size;
  const isDark = darknessOf(scene) > 0.4;
  const deck = height * (ground + 0.035);
  const tall = Math.min(height, width) * 0.3;
  const span = width * 0.62;
  const towers = [-1, 0, 1, 2].map((index) => width * 0.3 + index * span - span * 0.2);
  const cable = (x: number): number => {
    const share = wrap((x - towers[0]!) / span) * 2 - 1;
    return deck - tall * (0.06 + 0.88 * share * share);
  };
  const place = { depth, top: deck - tall * 1.1, bottom: deck + tall * 0.5 };
  const layer = createLayer(scene, place, (context, { left, right }) => {
    paintSteel(context, scene, { deck, tall, towers, cable, left, right });
    if (!isDark) return;
    const lamp = glowOf([255, 214, 150], 32);
    context.globalCompositeOperation = 'lighter';
    for (let x = left; x < right; x += 26 * unit) {
      for (const y of [cable(x), deck - 5 * unit]) {
        context.drawImage(lamp, x - 4 * unit, y - 4 * unit, 8 * unit, 8 * unit);
      }
    }
  });
  return layer;
}

type BridgeSteel = {
  readonly deck: number;
  readonly tall: number;
  readonly towers: readonly number[];
  readonly left: number;
  readonly right: number;
  cable(x: number): number;
};

function paintSteel(
  context: SKRSContext2D,
  { palette, unit }: SceneContext,
  steel: BridgeSteel,
): void {
  const { deck, tall, towers, left, right, cable } = steel;
  const color = mix(palette.shade, palette.low, 0.16);
  const wide = 13 * unit;
  context.fillStyle = css(color);
  context.strokeStyle = css(color);
  context.fillRect(left, deck - 3 * unit, right - left, 8 * unit);
  for (const x of towers) {
    for (const leg of [-1, 1]) {
      context.fillRect(x + leg * wide - wide * 0.28, deck - tall, wide * 0.56, tall * 1.42);
    }
    for (const share of [0.97, 0.66, 0.34]) {
      context.fillRect(x - wide, deck - tall * share, wide * 2, 5 * unit);
    }
    context.fillRect(x - wide * 1.9, deck + tall * 0.36, wide * 3.8, tall * 0.14);
  }
  context.lineWidth = 3 * unit;
  context.beginPath();
  for (let x = left; x < right + 6; x += 6) context.lineTo(x, cable(x));
  context.stroke();
  context.lineWidth = Math.max(0.7, 0.9 * unit);
  context.beginPath();
  for (let x = left; x < right; x += 13 * unit) {
    context.moveTo(x, cable(x));
    context.lineTo(x, deck);
  }
  context.stroke();
}
