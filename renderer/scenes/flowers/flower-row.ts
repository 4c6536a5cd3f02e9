/**
 * A row of flowers and the grass around them. Far rows are painted once; near rows sway in the
 * wind.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { paintGrass } from '../../elements/foliage.ts';
import { createLayer, type Layer } from '../../elements/layer.ts';
import { between } from '../../random.ts';
import type { DrawSeen, SceneContext } from '../scene.ts';
import type { Blossom } from './blossom.ts';

export type MeadowColors = {
  readonly grass: Color;
  readonly shade: Color;
  readonly haze: Color;
};

type RowOptions = {
  readonly nearness: number;
  readonly blossoms: readonly Blossom[];
  readonly light: MeadowColors;
  readonly horizon: number;
};

const swaysFrom = 0.5;

type MeadowGround = {
  readonly depth: number;
  readonly y: number;
  readonly scale: number;
  readonly color: Color;
  readonly light: MeadowColors;
  readonly isNearest: boolean;
};

export function createRow(scene: SceneContext, options: RowOptions): DrawSeen {
  const { nearness, light } = options;
  const { size, unit } = scene;
  const far = mix(light.haze, light.grass, 0.55 + nearness * 0.45);
  const ground: MeadowGround = {
    depth: 0.14 + nearness * 0.5,
    y: size.height * (options.horizon + 0.1 + nearness ** 1.3 * 0.5),
    scale: (0.26 + nearness ** 1.5 * 1.05) * unit,
    color: mix(far, light.shade, nearness * 0.35),
    light,
    isNearest: nearness === 1,
  };
  const drawFlowers = createStems(scene, ground, options.blossoms);
  if (nearness >= swaysFrom) {
    const grass = createGrass(scene, ground, () => {});
    return (context, camera) => {
      camera.look(context, ground.depth, () => drawFlowers(context, camera.second));
      grass.draw(context, camera);
    };
  }
  return createGrass(scene, ground, (context) => drawFlowers(context, 0)).draw;
}

function createStems(scene: SceneContext, ground: MeadowGround, blossoms: readonly Blossom[]) {
  const { size, random, noise, brief } = scene;
  const { scale, depth, color, light } = ground;
  const margin = scene.camera.margin(depth).x;
  const span = size.width + margin * 2;
  const count = Math.round(span / (86 * scale));
  const heads = blossoms.map((blossom) => reducedTo(blossom, 96 * scale));
  const flowers = Array.from({ length: count }, (_, at) => ({
    x: -margin + ((at + random() * 0.9) / count) * span,
    tall: between(random, { from: 70, to: 150 }) * scale,
    radius: between(random, { from: 32, to: 56 }) * scale,
    head: heads[Math.floor(random() * heads.length)]!,
    lean: (random() - 0.5) * 0.3,
    phase: random() * Math.PI * 2,
  }));
  const row = random() * 90;
  const wind = 0.05 + 0.03 * brief.pace;
  const stem = css(mix(color, light.shade, 0.45));
  const foot = ground.y + 46 * scale;
  const bendOf = (flower: (typeof flowers)[number], second: number): number => {
    const gust = noise.at((flower.x / size.height) * 1.3 - second * 0.5 * brief.pace, row);
    return flower.lean + gust * 0.35 + Math.sin(second * 1.4 + flower.phase) * wind;
  };

  return (context: SKRSContext2D, second: number): void => {
    const tops = flowers.map((flower) => {
      const bend = bendOf(flower, second);
      const x = flower.x + Math.sin(bend) * flower.tall;
      return { x, y: foot - Math.cos(bend) * flower.tall - 30 * scale, bend };
    });
    context.strokeStyle = stem;
    context.lineWidth = Math.max(0.8, 3.2 * scale);
    context.beginPath();
    for (const [at, { x, tall }] of flowers.entries()) {
      const top = tops[at]!;
      context.moveTo(x, foot);
      context.quadraticCurveTo(x, foot - tall * 0.6, top.x, top.y);
    }
    context.stroke();
    for (const [at, { radius, head }] of flowers.entries()) {
      const { x, y, bend } = tops[at]!;
      context.save();
      context.translate(x, y);
      context.rotate(bend * 0.8);
      context.drawImage(head, -radius, -radius, radius * 2, radius * 2);
      context.restore();
    }
  };
}

/** Scales a head down once, since drawing a large image small is slow. */
function reducedTo({ image }: Blossom, pixels: number) {
  const side = Math.max(8, Math.min(image.width, Math.ceil(pixels)));
  const context = createCanvas(side, side).getContext('2d');
  context.imageSmoothingQuality = 'medium';
  context.drawImage(image, 0, 0, side, side);
  return context.canvas;
}

function createGrass(
  scene: SceneContext,
  { depth, y, scale, color, light, isNearest }: MeadowGround,
  paintBehind: (context: SKRSContext2D) => void,
): Layer {
  const { random, size } = scene;
  // The next row hides the lower part; the nearest row reaches the bottom of the frame.
  const bottom = isNearest ? size.height : Math.min(size.height, y + size.height * 0.24);
  return createLayer(scene, { depth, top: y - 190 * scale, bottom }, (context, edges) => {
    const fill = context.createLinearGradient(0, y, 0, edges.bottom);
    fill.addColorStop(0, css(color));
    fill.addColorStop(1, css(mix(color, light.shade, 0.55)));
    paintBehind(context);
    context.fillStyle = fill;
    context.fillRect(edges.left, y + 40 * scale, edges.right - edges.left, edges.bottom);
    for (const shade of [0.42, 0.2, -0.42]) {
      paintGrass(context, random, {
        left: edges.left,
        right: edges.right,
        step: 5.5 * scale,
        height: 96 * scale,
        color: mix(color, shade > 0 ? light.shade : light.grass, Math.abs(shade)),
        groundAt: () => y + (46 + random() * 26) * scale,
      });
    }
  });
}
