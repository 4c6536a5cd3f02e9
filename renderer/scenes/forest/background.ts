/** The background of a forest: a glow at the clearing, and rows of trunks in mist. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, colorTable, css, mix } from '../../color.ts';
import type { Edges } from '../../elements/layer.ts';
import { paintSoft } from '../../elements/paint.ts';
import { clamp } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';
import type { ForestLook } from './tree-row.ts';

/** Far trees are painted at a fraction of their size, since mist hides sharp edges. */
const blur = 3;

export function paintBackground(
  context: SKRSContext2D,
  scene: SceneContext,
  { forest, edges }: { readonly forest: ForestLook; readonly edges: Edges },
): void {
  const { size, random } = scene;
  const area = { width: edges.right - edges.left, height: edges.bottom - edges.top };
  const glow = { glowX: forest.clearing - edges.left, glowY: size.height * 0.36 - edges.top };
  const light = paintSoft(area, { coarseness: 6, random }, glowAt(scene, forest, glow));
  const target = light.getContext('2d');
  for (const [row, share] of [0.2, 0.42].entries()) {
    paintFarTrees(target, scene, { forest, share, row, area });
  }
  context.drawImage(light, edges.left, edges.top);
}

function glowAt(
  { size, palette, noise, random }: SceneContext,
  { mist }: ForestLook,
  { glowX, glowY }: { readonly glowX: number; readonly glowY: number },
): (x: number, y: number) => Color {
  const start = random() * 100;
  const isDay = palette.time === 'day';
  const stops = [
    [0, mix(palette.high, palette.shade, 0.25)],
    [0.3, mix(palette.middle, palette.high, 0.3)],
    [0.6, mix(mist, palette.middle, 0.35)],
    [0.85, mix(mist, palette.horizon, 0.5)],
    [1, mix(mix(palette.horizon, palette.light, 0.65), [255, 244, 196], isDay ? 0.35 : 0)],
  ] as const;
  const shades = colorTable(stops);
  const wide = Math.min(size.width, size.height * 1.5) * 0.62;
  return (x, y) => {
    const away = Math.hypot((x - glowX) / wide, (y - glowY) / (size.height * 0.72));
    const leaf = noise.rough((x / size.height) * 7 + start, (y / size.height) * 7, 4);
    const overhead = clamp(1 - y / (size.height * 0.55));
    const ground = clamp((y / size.height - 0.62) * 2.2);
    const light = 1.02 - away * 0.95 + leaf * (0.12 + overhead * 0.62) - ground * 0.34;
    return shades[Math.round(clamp(light) * 255)]!;
  };
}

type FarTrees = {
  readonly forest: ForestLook;
  readonly share: number;
  readonly row: number;
  readonly area: { readonly width: number; readonly height: number };
};

function paintFarTrees(
  context: SKRSContext2D,
  { size, random, noise, palette, unit }: SceneContext,
  { forest, share, row, area }: FarTrees,
): void {
  const small = createCanvas(Math.ceil(area.width / blur), Math.ceil(area.height / blur));
  const target = small.getContext('2d');
  target.scale(1 / blur, 1 / blur);
  const base = size.height * (0.6 + share * 0.1);
  const step = (20 + share * 46) * unit;
  const color = mix(forest.mist, mix(palette.middle, palette.shade, 0.5), share * 0.8);
  const fade = target.createLinearGradient(0, 0, 0, base);
  fade.addColorStop(0, css(mix(color, palette.middle, 0.4), 0.9));
  fade.addColorStop(0.6, css(color, 0.75));
  fade.addColorStop(1, css(mix(color, forest.mist, 0.5), 0.5));
  target.fillStyle = fade;
  for (let x = 0; x < area.width; x += step * (0.45 + random() * 1.1)) {
    const wide = step * (0.14 + random() * 0.26);
    const lean = noise.at(x, row * 9) * step * 0.5;
    target.beginPath();
    target.moveTo(x - wide * 0.35 + lean, -4);
    target.lineTo(x + wide * 0.35 + lean, -4);
    target.lineTo(x + wide * 0.6, base + step * 0.3);
    target.lineTo(x - wide * 0.6, base + step * 0.3);
    target.fill();
  }
  const far = mix(mix(palette.middle, palette.shade, 0.4), forest.mist, 0.2);
  const middle = clamp((forest.clearing + (area.width - size.width) / 2) / area.width);
  const floor = target.createLinearGradient(0, 0, area.width, 0);
  floor.addColorStop(0, css(far, 0.9));
  floor.addColorStop(middle, css(mix(color, forest.mist, 0.25), 0.85));
  floor.addColorStop(1, css(far, 0.9));
  target.fillStyle = floor;
  target.beginPath();
  target.moveTo(0, area.height);
  for (let x = 0; x <= area.width + 6; x += 6) {
    const bush = noise.rough((x / size.height) * 9, row * 7 + 3, 3);
    target.lineTo(x, base - Math.max(-0.2, bush) * size.height * 0.07);
  }
  target.lineTo(area.width, area.height);
  target.fill();
  context.imageSmoothingQuality = 'high';
  context.drawImage(small, 0, 0, small.width * blur, small.height * blur);
}
