/** A lighthouse with a turning beam that flares when it points at the viewer. */
import { type Canvas, createCanvas, Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { paintMask } from '../../elements/paint.ts';
import { clamp, smooth } from '../../motion.ts';
import { addLight, glowOf, type SceneContext } from '../scene.ts';

type LighthousePlan = {
  readonly x: number;
  readonly ground: number;
  readonly tall: number;
  readonly depth: number;
};

export function createLighthouse(scene: SceneContext, plan: LighthousePlan) {
  const { palette, size, random, brief } = scene;
  const { x, ground, tall, depth } = plan;
  const tower = towerOf(scene, tall);
  const lampY = ground - tall * 0.9;
  const warm: Color = mix(palette.light, [255, 226, 150], 0.45);
  const beam = paintMask({ width: 256, height: 64 }, { coarseness: 1, color: warm }, (px, py) => {
    const along = px / 256;
    const aside = Math.abs(py / 64 - 0.5) * 2;
    const half = 0.1 + along * 0.82;
    return smooth(aside / half, { from: 1, to: 0.1 }) * (1 - along) ** 1.4 * 0.8;
  });
  const glow = glowOf(warm, 256);
  const phase = random() * Math.PI * 2;
  const turns = 0.95 * brief.pace ** 0.5;
  const shine = { dawn: 0.85, day: 0.3, dusk: 0.95, night: 1 }[palette.time];
  const reach = Math.max(size.width, size.height) * 0.62;

  function drawBeam(context: SKRSContext2D, angle: number): void {
    const side = Math.cos(angle);
    // Fainter when it points away; it never points exactly at the viewer.
    const strength = shine * (0.35 + 0.65 * Math.abs(side)) * (Math.sin(angle) > 0 ? 1 : 0.6);
    const long = reach * side;
    if (Math.abs(long) < tall * 0.1) return;
    const wide = tall * (0.5 + 0.45 * Math.abs(side));
    context.save();
    context.translate(x, lampY);
    context.scale(Math.sign(long), 1);
    context.rotate(-0.02 + 0.05 * Math.sin(angle) * Math.sign(long));
    context.globalAlpha = clamp(strength);
    context.drawImage(beam, 0, -wide / 2, Math.abs(long), wide);
    context.restore();
  }

  return (context: SKRSContext2D, camera: Camera): void => {
    const angle = camera.second * turns + phase;
    camera.look(context, depth, () => {
      addLight(context, () => {
        drawBeam(context, angle);
        drawBeam(context, angle + Math.PI);
      });
      context.drawImage(tower, x - tower.width / 2, ground - tall);
      const facing = Math.max(Math.abs(Math.sin(angle)) ** 6, 0.25);
      const radius = tall * (0.16 + 0.42 * facing);
      addLight(context, () => {
        context.globalAlpha = shine;
        context.drawImage(glow, x - radius, lampY - radius, radius * 2, radius * 2);
      });
    });
  };
}

function towerOf({ palette }: SceneContext, tall: number): Canvas {
  const width = Math.ceil(tall * 0.62);
  const context = createCanvas(width, Math.ceil(tall * 1.04)).getContext('2d');
  const middle = width / 2;
  const isDay = palette.time === 'day';
  const wall = isDay ? mix(white, palette.low, 0.12) : mix(palette.low, palette.shade, 0.72);
  const dark = isDay
    ? mix([176, 46, 40], palette.middle, 0.15)
    : mix(palette.middle, palette.shade, 0.8);
  const at = (share: number): number => tall * (1 - share);
  const half = (share: number): number => tall * (0.075 - 0.032 * share);
  const sideLight = context.createLinearGradient(middle - half(0), 0, middle + half(0), 0);
  sideLight.addColorStop(0, css(mix(wall, palette.horizon, isDay ? 0 : 0.28)));
  sideLight.addColorStop(0.45, css(wall));
  sideLight.addColorStop(1, css(mix(wall, palette.shade, isDay ? 0.4 : 0.6)));
  context.fillStyle = sideLight;
  context.beginPath();
  context.moveTo(middle - half(0), at(-0.04));
  context.lineTo(middle - half(0.8), at(0.8));
  context.lineTo(middle + half(0.8), at(0.8));
  context.lineTo(middle + half(0), at(-0.04));
  context.fill();
  context.save();
  context.clip();
  context.fillStyle = css(dark, isDay ? 0.95 : 0.55);
  for (const from of [0.1, 0.38, 0.64]) context.fillRect(0, at(from + 0.13), width, tall * 0.13);
  context.restore();
  context.fillStyle = css(
    isDay ? mix(palette.shade, dark, 0.3) : mix(palette.middle, palette.shade, 0.85),
  );
  context.fillRect(middle - tall * 0.072, at(0.825), tall * 0.144, tall * 0.026);
  context.fillRect(middle - tall * 0.036, at(0.945), tall * 0.072, tall * 0.13);
  context.save();
  context.translate(middle, tall);
  context.scale(tall, tall);
  context.fill(new Path2D('M-.052-.94Q-.03-.985 0-1Q.03-.985 .052-.94'));
  context.restore();
  context.fillStyle = css(mix(palette.light, white, 0.4));
  context.fillRect(middle - tall * 0.024, at(0.93), tall * 0.048, tall * 0.07);
  return context.canvas;
}
