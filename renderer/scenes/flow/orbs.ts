/** Spheres of glass that float in soft light: large ones in focus, others near and far, blurred. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { between } from '../../random.ts';
import { glowOf, type Scene, type SceneContext } from '../scene.ts';
import { createSoftStage } from './soft-stage.ts';

export function createOrbs(setting: SceneContext): Scene {
  const { size, palette, random, noise, unit, brief } = setting;
  const { width, height } = size;
  const stage = createSoftStage(setting, { depth: 0.15 });
  const air = createAir(setting, { horizon: 1 });
  const colors: readonly Color[] = [
    palette.low,
    palette.horizon,
    mix(palette.middle, palette.horizon, 0.5),
    mix(palette.low, palette.light, 0.35),
  ];
  const sprites = colors.map((color) => glassOf(setting, color));
  const blurs = colors.map((color) => glowOf(mix(color, palette.light, 0.2), 64));
  const short = Math.min(width, height);
  const orbs = Array.from({ length: 9 }, (_, index) => ({
    // Spread by the golden angle, so that no two gather.
    x: 0.5 + Math.cos(index * 2.4 + 0.6) * 0.4 * Math.sqrt((index + 1) / 9),
    y: 0.44 + Math.sin(index * 2.4 + 0.6) * 0.3 * Math.sqrt((index + 1) / 9),
    radius: short * (index < 4 ? between(random, { from: 0.1, to: 0.19 }) : 0.03 + random() * 0.05),
    depth: 0.2 + (index / 9) * 0.4 + random() * 0.2,
    sprite: sprites[index % sprites.length]!,
    row: random() * 60,
    pace: between(random, { from: 0.1, to: 0.2 }) * brief.pace ** 0.7,
  })).sort((one, other) => one.depth - other.depth);
  const far = Array.from({ length: 16 }, (_, index) => ({
    x: random(),
    y: random(),
    radius: short * between(random, { from: 0.04, to: 0.12 }),
    blur: blurs[index % blurs.length]!,
    row: random() * 60,
  }));

  return {
    draw(context, second) {
      const camera = setting.camera.at(second);
      stage.draw(context, second, (glow) => {
        for (const { x, y, radius, blur, row } of far) {
          const [left, top] = [
            x * width + noise.at(row, second * 0.12) * 60 * unit + camera.x(0.1),
            y * height + noise.at(second * 0.12, row) * 60 * unit,
          ];
          glow.globalAlpha = 0.3;
          glow.drawImage(blur, left - radius, top - radius, radius * 2, radius * 2);
        }
      });
      for (const { x, y, radius, depth, sprite, row, pace } of orbs) {
        const away = noise.at(row, second * pace) * 0.09 * short;
        const lift = noise.at(second * pace, row) * 0.12 * short;
        const reach = radius * 1.3;
        camera.look(context, depth, () => {
          const [left, top] = [x * width + away - reach, y * height + lift - reach];
          context.drawImage(sprite, left, top, reach * 2, reach * 2);
        });
      }
      air.drawSpecks(context, second);
    },
  };
}

/** A sphere of 300 in a picture of 390: light falls through it and gathers at its far side. */
function glassOf({ palette }: SceneContext, color: Color): Canvas {
  const [side, radius] = [390, 150];
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const middle = side / 2;
  context.translate(middle, middle);
  context.globalAlpha = 0.35;
  context.drawImage(glowOf(color, 128), -middle, -middle, side, side);
  context.globalAlpha = 1;
  context.beginPath();
  context.arc(0, 0, radius, 0, Math.PI * 2);
  context.save();
  context.clip();
  const body = context.createLinearGradient(-radius * 0.6, -radius, radius * 0.5, radius);
  body.addColorStop(0, css(mix(palette.shade, color, 0.35), 0.85));
  body.addColorStop(0.55, css(mix(palette.high, color, 0.5), 0.5));
  body.addColorStop(1, css(mix(color, palette.light, 0.55), 0.9));
  context.fillStyle = body;
  context.fillRect(-radius, -radius, radius * 2, radius * 2);
  // Where the light leaves it again.
  const gathered = context.createRadialGradient(40, 70, 0, 40, 70, radius * 0.95);
  gathered.addColorStop(0, css(mix(palette.light, white, 0.4), 0.75));
  gathered.addColorStop(0.5, css(mix(color, palette.light, 0.5), 0.28));
  gathered.addColorStop(1, css(color, 0));
  context.fillStyle = gathered;
  context.fillRect(-radius, -radius, radius * 2, radius * 2);
  const rim = context.createRadialGradient(0, 0, radius * 0.8, 0, 0, radius);
  rim.addColorStop(0, css(palette.light, 0));
  rim.addColorStop(0.85, css(mix(color, palette.light, 0.7), 0.3));
  rim.addColorStop(1, css(mix(palette.light, white, 0.5), 0.8));
  context.fillStyle = rim;
  context.fillRect(-radius, -radius, radius * 2, radius * 2);
  context.restore();
  // The window it mirrors.
  context.fillStyle = css(white, 0.8);
  context.beginPath();
  context.ellipse(-62, -78, 34, 17, -0.75, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = css(white, 0.4);
  context.beginPath();
  context.ellipse(-92, -34, 12, 6, -1.1, 0, Math.PI * 2);
  context.fill();
  return canvas;
}
