/** What passes through space: a ship with its trail, a comet with its tail, shooting stars. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { clamp, smooth, wrap } from '../../motion.ts';
import type { SceneObject } from '../scene.ts';
import { glowOf, type SceneContext } from '../scene.ts';

/** A tail of light that points left, bright at its right end. */
function tailOf(color: Color): Canvas {
  const [long, tall] = [512, 64];
  const canvas = createCanvas(long, tall);
  const context = canvas.getContext('2d');
  // Wedges within wedges: bright along the middle, soft at the sides.
  for (let wedge = 1; wedge <= 10; wedge += 1) {
    const half = (wedge / 10) * (tall / 2);
    const light = context.createLinearGradient(0, 0, long, 0);
    light.addColorStop(0, css(color, 0));
    light.addColorStop(0.6, css(color, 0.05));
    light.addColorStop(1, css(mix(color, white, 0.5), 0.22));
    context.fillStyle = light;
    context.beginPath();
    context.moveTo(long, tall / 2 - half * 0.16);
    context.lineTo(0, tall / 2 - half);
    context.lineTo(0, tall / 2 + half);
    context.lineTo(long, tall / 2 + half * 0.16);
    context.fill();
  }
  return canvas;
}

/** Crosses the picture once in the clip, slowly. */
export function createComet(setting: SceneContext): SceneObject {
  const { size, palette, unit } = setting;
  const { width, height } = size;
  const tail = tailOf(mix(palette.horizon, [170, 220, 255], 0.6));
  const head = glowOf(mix(palette.light, [220, 244, 255], 0.5), 128);
  const long = Math.max(width, height) * 0.6;
  const angle = -2.72;
  return {
    draw(context, camera, second) {
      const share = second / setting.seconds;
      const x = width * (0.82 - share * 0.42);
      const y = height * (0.16 + share * 0.2);
      camera.look(context, 0.25, () => {
        context.save();
        context.globalCompositeOperation = 'lighter';
        context.translate(x, y);
        for (const [turn, thick, alpha] of [
          [0, 1, 1],
          [0.09, 1.6, 0.5],
        ] as const) {
          context.save();
          context.rotate(angle + Math.PI + turn + Math.sin(second * 0.8) * 0.008);
          context.scale(-1, 1);
          context.globalAlpha = alpha;
          const tall = 70 * unit * thick;
          context.drawImage(tail, -long, -tall / 2, long, tall);
          context.restore();
        }
        const radius = 30 * unit * (1 + 0.05 * Math.sin(second * 9));
        context.globalAlpha = 1;
        context.drawImage(head, -radius, -radius, radius * 2, radius * 2);
        context.restore();
      });
    },
  };
}

/** Each is seen for less than a second, now here, now there. */
export function createShootingStars(
  setting: SceneContext,
  options: { readonly many: boolean },
): SceneObject {
  const { size, palette, random, unit } = setting;
  const tail = tailOf(palette.light);
  const stars = Array.from({ length: options.many ? 9 : 2 }, () => ({
    phase: random(),
    x: random(),
    y: random() * 0.45,
    every: options.many ? 2.6 + random() * 2 : 4 + random() * 2,
    long: (110 + random() * 120) * unit,
  }));
  return {
    draw(context, _camera: Camera, second) {
      context.globalCompositeOperation = 'lighter';
      for (const [index, star] of stars.entries()) {
        const turn = second / star.every + star.phase;
        const share = wrap(turn) * star.every;
        if (share > 0.8) continue;
        // Another place with every turn.
        const place = wrap(star.x + Math.floor(turn) * 0.618 + index * 0.37);
        const x = size.width * (0.15 + place * 0.95) - share * size.width * 0.28;
        const y = size.height * star.y + share * size.height * 0.26;
        context.save();
        context.translate(x, y);
        context.rotate(Math.atan2(0.26 * size.height, -0.28 * size.width));
        context.globalAlpha =
          smooth(share, { from: 0, to: 0.15 }) * smooth(share, { from: 0.8, to: 0.4 });
        context.drawImage(tail, -star.long, -3 * unit, star.long, 6 * unit);
        context.restore();
      }
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
    },
  };
}

/** A ship that flies past, its engines burning. */
export function createShip(setting: SceneContext): SceneObject {
  const { size, palette, unit } = setting;
  const { width, height } = size;
  const long = Math.min(width * 0.24, 300 * unit);
  const ship = paintShip(setting);
  const engine: Color = mix(palette.horizon, [110, 200, 255], 0.6);
  const [trail, flame] = [tailOf(engine), glowOf(mix(engine, white, 0.4), 128)];
  return {
    draw(context, camera, second) {
      const share = clamp(second / setting.seconds);
      const x = width * (0.12 + 0.5 * share);
      const y = height * (0.5 - 0.16 * share) + Math.sin(second * 0.9) * 4 * unit;
      camera.look(context, 0.55, () => {
        context.save();
        context.translate(x, y);
        context.rotate(-0.14 - share * 0.05);
        const scale = 1.1 - share * 0.35;
        context.scale(scale, scale);
        context.globalCompositeOperation = 'lighter';
        const flicker = 1 + 0.1 * Math.sin(second * 31) + 0.06 * Math.sin(second * 53);
        const reach = long * 2.6 * flicker;
        for (const down of [-0.035, 0.035]) {
          context.drawImage(trail, -long * 0.45 - reach, long * (down - 0.06), reach, long * 0.12);
        }
        const glow = long * 0.2 * flicker;
        context.drawImage(flame, -long * 0.47 - glow, -glow, glow * 2, glow * 2);
        context.globalCompositeOperation = 'source-over';
        context.drawImage(ship, -long / 2, -long * 0.2, long, long * 0.4);
        context.restore();
      });
    },
  };
}

/** 500 by 200, its nose to the right. */
function paintShip({ palette }: SceneContext): Canvas {
  const canvas = createCanvas(500, 200);
  const context = canvas.getContext('2d');
  const fill = (color: Color, points: readonly (readonly [number, number])[]): void => {
    context.fillStyle = css(color);
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    context.fill();
  };
  const hull: Color = mix([176, 182, 194], palette.middle, 0.15);
  const dark: Color = mix(hull, palette.shade, 0.72);
  fill(mix(hull, dark, 0.55), [
    [70, 96],
    [20, 18],
    [86, 22],
    [210, 84],
  ]);
  fill(mix(hull, dark, 0.8), [
    [80, 116],
    [36, 184],
    [104, 176],
    [230, 120],
  ]);
  context.fillStyle = css(hull);
  context.beginPath();
  context.moveTo(26, 82);
  context.quadraticCurveTo(250, 54, 484, 104);
  context.quadraticCurveTo(300, 134, 26, 126);
  context.fill();
  // Lit from above, dark below.
  const light = context.createLinearGradient(0, 60, 0, 134);
  light.addColorStop(0, css(white, 0.5));
  light.addColorStop(0.35, css(white, 0));
  light.addColorStop(0.6, css(palette.shade, 0.3));
  light.addColorStop(1, css(palette.shade, 0.85));
  context.globalCompositeOperation = 'source-atop';
  context.fillStyle = light;
  context.fillRect(0, 0, 500, 200);
  context.globalCompositeOperation = 'source-over';
  fill(mix(palette.horizon, [120, 210, 255], 0.5), [
    [330, 80],
    [384, 84],
    [412, 94],
    [330, 92],
  ]);
  context.strokeStyle = css(dark, 0.7);
  context.lineWidth = 2;
  context.beginPath();
  for (const x of [120, 190, 270]) {
    context.moveTo(x, 74);
    context.lineTo(x - 6, 130);
  }
  context.stroke();
  fill(
    [40, 44, 54],
    [
      [16, 84],
      [34, 82],
      [34, 126],
      [16, 124],
    ],
  );
  return canvas;
}
