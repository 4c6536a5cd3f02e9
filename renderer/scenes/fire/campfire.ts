/** A campfire at night: logs, stones, flames and sparks, and trees in its light. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { addLand } from '../../elements/land.ts';
import { createLayer, edgesOf } from '../../elements/layer.ts';
import { paintPine } from '../../elements/pines.ts';
import { createStars } from '../../elements/stars.ts';
import { between } from '../../random.ts';
import type { Point } from '../../size.ts';
import { addLight, glowOf, type Scene, type SceneContext } from '../scene.ts';
import { createFlame, createSparks, flickerAt } from './flame.ts';

const night: Color = [7, 11, 28];
const warm: Color = [255, 138, 44];
/** Top of the ground and position of the fire, as shares of the height. */
const [horizon, hearth] = [0.62, 0.76];
const fireDepth = 0.45;

export function createCampfire(scene: SceneContext): Scene {
  const { size, random, unit } = scene;
  const { width, height } = size;
  const reach = Math.min(width, height * 1.1);
  const fire = {
    x: width * between(random, { from: 0.5, to: 0.6 }),
    y: height * hearth,
    wide: reach * 0.36,
    tall: Math.min(height * 0.5, reach * 0.52),
  };
  const stars = createStars(scene, { horizon });
  const trees = createTrees(scene, fire.x);
  const ground = createGround(scene, fire);
  const flame = createFlame(scene, {
    x: fire.x,
    y: fire.y + 10 * unit,
    width: fire.wide,
    height: fire.tall,
  });
  const sparks = createSparks(scene, {
    x: fire.x,
    y: fire.y - fire.tall * 0.3,
    spread: fire.wide * 0.4,
    rise: height * 0.75,
  });
  const glow = glowOf(warm, 128);

  return (context, second) => {
    const camera = scene.camera.at(second);
    const flicker = flickerAt(scene, second);
    drawDusk(context, scene);
    stars(context, second);
    for (const layer of trees) layer.draw(context, camera);
    ground.draw(context, camera);
    camera.look(context, fireDepth, () => {
      drawGlow(context, glow, { ...fire, flicker });
      flame(context, second);
      sparks(context, second);
    });
  };
}

function drawDusk(context: SKRSContext2D, { size, palette }: SceneContext): void {
  const dusk = context.createLinearGradient(0, 0, 0, size.height * (horizon + 0.06));
  dusk.addColorStop(0, css(mix(night, [0, 0, 0], 0.4)));
  dusk.addColorStop(1, css(mix([24, 40, 72], palette.middle, 0.25)));
  context.fillStyle = dusk;
  context.fillRect(0, 0, size.width, size.height);
}

type FireSite = Point & {
  readonly wide: number;
  readonly tall: number;
};

function drawGlow(
  context: SKRSContext2D,
  glow: ReturnType<typeof glowOf>,
  { x, y, wide, tall, flicker }: FireSite & { readonly flicker: number },
): void {
  addLight(context, () => {
    for (const [across, down, lower, alpha] of [
      [wide * 1.5, wide * 0.4, wide * 0.08, 0.46],
      [wide * 0.72, tall * 0.66, -tall * 0.34, 0.5],
    ] as const) {
      context.globalAlpha = alpha * flicker;
      context.drawImage(glow, x - across, y + lower - down, across * 2, down * 2);
    }
  });
}

function createTrees(scene: SceneContext, fireX: number) {
  const { size, random, unit } = scene;
  return [
    { depth: 0.08, tall: 0.24, step: 34, shade: 0.62, base: horizon + 0.01 },
    { depth: 0.2, tall: 0.42, step: 74, shade: 0.86, base: horizon + 0.035 },
  ].map(({ depth, tall, step, shade, base }) => {
    const place = { depth, top: 0, bottom: size.height * (base + 0.06) };
    const { left, right } = edgesOf(scene, place);
    const color = mix([30, 46, 74], [2, 4, 8], shade);
    return createLayer(scene, place, (context) => {
      for (let x = left; x < right; x += step * unit * between(random, { from: 0.5, to: 1.2 })) {
        // The highest trees stand at the sides, so that the sky above the fire is open.
        const away = Math.min(1, Math.abs(x - fireX) / (size.width * 0.45));
        const lit = Math.max(0, 1 - Math.abs(x - fireX) / (size.width * 0.4)) * shade * 0.5;
        const share = (0.4 + away * 0.6) * between(random, { from: 0.7, to: 1.15 });
        const look = {
          dark: color,
          lit: mix(color, warm, lit),
          snow: null,
          side: x < fireX ? 1 : -1,
        } as const;
        paintPine(context, random, {
          x,
          y: size.height * base,
          tall: size.height * tall * share,
          look,
        });
      }
      context.fillStyle = css(color);
      context.fillRect(left, size.height * base - 2, right - left, size.height * 0.07);
    });
  });
}

function createGround(scene: SceneContext, fire: FireSite) {
  const { size, unit, noise } = scene;
  const place = { depth: fireDepth, top: size.height * horizon, bottom: size.height };
  return createLayer(scene, place, (context, { left, right, bottom }) => {
    const edge = size.height * (horizon + 0.05);
    const soil = context.createRadialGradient(
      ...([fire.x, fire.y, fire.wide * 0.2] as const),
      ...([fire.x, fire.y, size.width * 0.7] as const),
    );
    soil.addColorStop(0, css([112, 60, 28]));
    soil.addColorStop(0.3, css([54, 32, 22]));
    soil.addColorStop(1, css([8, 10, 14]));
    context.fillStyle = soil;
    context.beginPath();
    addLand(context, { left, right, bottom }, (x) => {
      return edge - noise.at((x / size.height) * 3.2, 4) * size.height * 0.014;
    });
    context.fill();
    const dark = context.createLinearGradient(0, edge - 12 * unit, 0, edge + size.height * 0.12);
    dark.addColorStop(0, css([4, 6, 10], 0.92));
    dark.addColorStop(1, css([4, 6, 10], 0));
    context.globalCompositeOperation = 'source-atop';
    context.fillStyle = dark;
    context.fillRect(left, edge - 12 * unit, right - left, size.height * 0.14);
    context.globalCompositeOperation = 'source-over';
    paintHearth(context, scene, fire);
  });
}

function paintHearth(context: SKRSContext2D, { random, unit }: SceneContext, fire: FireSite): void {
  const { x, y, wide } = fire;
  const across = wide * 0.52;
  const stones = 15;
  // The far half of the ring is behind the logs, the near half in front of them.
  const ring = (from: number, to: number): void => {
    for (let stone = from; stone < to; stone += 1) {
      const angle = Math.PI + (stone / stones) * Math.PI * 2;
      const side = wide * 0.075 * (0.8 + random() * 0.5);
      const [stoneX, stoneY] = [x + Math.cos(angle) * across, y + Math.sin(angle) * across * 0.26];
      const lit = 0.35 + Math.sin(angle) * -0.25;
      context.fillStyle = css(mix([26, 26, 32], warm, lit * 0.5));
      context.beginPath();
      context.ellipse(stoneX, stoneY + side * 0.3, side, side * 0.72, random(), 0, Math.PI * 2);
      context.fill();
    }
  };
  ring(0, Math.ceil(stones / 2));
  addLight(context, () => {
    context.drawImage(
      glowOf([255, 92, 20], 64),
      x - wide * 0.45,
      y - wide * 0.13,
      wide * 0.9,
      wide * 0.26,
    );
  });
  context.lineCap = 'round';
  for (const [from, to, lift] of [
    [-0.36, 0.22, 0.02],
    [0.36, -0.2, 0.015],
    [-0.2, 0.36, -0.03],
    [0.1, -0.38, -0.035],
  ] as const) {
    context.strokeStyle = css([38, 20, 14]);
    context.lineWidth = wide * 0.085;
    const line = (down: number): void => {
      context.beginPath();
      context.moveTo(x + from * wide, y + (lift + 0.05) * wide + down);
      context.lineTo(x + to * wide, y + (lift - 0.06) * wide + down);
      context.stroke();
    };
    line(0);
    context.strokeStyle = css([255, 120, 34], 0.75);
    context.lineWidth = wide * 0.016;
    line(-wide * 0.032);
  }
  ring(Math.ceil(stones / 2), stones);
  context.lineWidth = unit;
}
