/** A spiral galaxy: arms of stars and gas that turn slowly around a bright core. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { glowOf, type SceneContext } from '../scene.ts';

type GalaxyPlan = {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly depth: number;
  /** Tilt in radians, and how open the disc is: 1 is seen from above. */
  readonly lean: number;
  readonly open: number;
};

const pixels = 900;
const armsCount = 2;
const starsCount = 7000;
const cloudsCount = 700;
const winding = 8.4;

export function createGalaxy(scene: SceneContext, plan: GalaxyPlan) {
  const disc = paintDisc(scene);
  const { palette } = scene;
  const core = glowOf(mix(palette.light, [255, 226, 180], 0.5), 256);
  return {
    draw(context: SKRSContext2D, camera: Camera, second: number): void {
      camera.look(context, plan.depth, () => {
        context.globalCompositeOperation = 'lighter';
        context.save();
        context.translate(plan.x, plan.y);
        context.rotate(plan.lean);
        context.scale(1, plan.open);
        context.rotate(second * 0.045 * scene.brief.pace);
        const { radius } = plan;
        context.drawImage(disc, -radius, -radius, radius * 2, radius * 2);
        context.restore();
        context.save();
        context.translate(plan.x, plan.y);
        context.rotate(plan.lean);
        const bulge = radius * 0.34;
        context.drawImage(core, -bulge, -bulge * 0.72, bulge * 2, bulge * 1.44);
        context.restore();
        context.globalCompositeOperation = 'source-over';
      });
    },
  };
}

function paintDisc({ random, palette }: SceneContext): Canvas {
  const canvas = createCanvas(pixels, pixels);
  const context = canvas.getContext('2d');
  const middle = pixels / 2;
  context.translate(middle, middle);
  context.globalCompositeOperation = 'lighter';
  const old: Color = mix(palette.light, [255, 214, 160], 0.5);
  const young: Color = mix(palette.horizon, [150, 190, 255], 0.45);
  const gases = [palette.low, palette.horizon, young].map((color) => glowOf(color, 64));
  const place = (spread: number) => {
    const share = random() ** 0.8;
    const arm = Math.floor(random() * armsCount) * ((Math.PI * 2) / armsCount);
    const off = (random() - 0.5 + random() - 0.5) * spread * (1.1 - share * 0.5);
    const angle = arm + share ** 0.62 * winding + off;
    const radius = middle * 0.95 * share;
    return { share, x: Math.cos(angle) * radius, y: Math.sin(angle) * radius };
  };
  for (let cloud = 0; cloud < cloudsCount; cloud += 1) {
    const { x, y, share } = place(0.8);
    const radius = middle * (0.06 + random() * 0.13) * (1.25 - share * 0.4);
    context.globalAlpha = 0.17 * (1.2 - share);
    context.drawImage(gases[cloud % 3]!, x - radius, y - radius, radius * 2, radius * 2);
  }
  context.globalAlpha = 1;
  for (let star = 0; star < starsCount; star += 1) {
    const { x, y, share } = place(1.3);
    const color = mix(mix(old, young, share), white, random() * 0.5);
    const side = 0.8 + random() ** 6 * 2.4;
    context.fillStyle = css(color, (0.25 + random() * 0.6) * (1.1 - share * 0.75));
    context.fillRect(x, y, side, side);
  }
  const core = glowOf(old, 256);
  context.globalAlpha = 0.9;
  context.drawImage(core, -middle * 0.34, -middle * 0.34, middle * 0.68, middle * 0.68);
  return canvas;
}
