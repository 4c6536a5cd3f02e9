/**
 * A whale at the surface: its back rolls by with a breath of spray, then the fluke rises and sinks;
 * or it leaps. Dolphins only leap, and together.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { clamp, smooth, wrap } from '../../motion.ts';
import { glowOf, type SceneContext } from '../scene.ts';

export type WhalePlan = {
  /** Where it breaks the water, in pixels of the frame. */
  readonly x: number;
  readonly y: number;
  /** Length of its body. */
  readonly long: number;
  readonly depth: number;
};

type WhaleColors = { readonly long: number; readonly body: Color; readonly belly: Color };
type Splash = (
  context: SKRSContext2D,
  at: { readonly x: number; readonly age: number; readonly force: number },
) => void;

export function createWhale(setting: SceneContext, plan: WhalePlan) {
  const { palette, brief } = setting;
  const isDolphin = brief.mentions(/\b(dolphin|delfin)/);
  const long = plan.long * (isDolphin ? 0.42 : 1);
  const leaps = isDolphin || brief.mentions(/\b(breach|leap|jump|burst)/);
  const isDay = palette.time === 'day';
  const body = mix(mix(palette.middle, [52, 68, 84], 0.5), palette.shade, isDay ? 0.35 : 0.72);
  const belly = mix(body, mix(palette.horizon, white, 0.4), isDay ? 0.55 : 0.3);
  const look = { long, body, belly };
  const splash = createSplash(setting, long);
  const pods = isDolphin ? [0.04, 0.22, 0.45] : [0];
  const period = isDolphin ? 2.6 : leaps ? 4.4 : 7.5;

  return (context: SKRSContext2D, camera: Camera): void =>
    camera.look(context, plan.depth, () => {
      context.save();
      context.translate(plan.x, plan.y);
      for (const [index, offset] of pods.entries()) {
        const age = wrap((camera.second + 0.25) / period - offset + 1) * period;
        const start = (index - (pods.length - 1) / 2) * long * 1.5;
        if (leaps) leap(context, { look, splash, age, start, isDolphin });
        else surface(context, { look, splash, age });
      }
      context.restore();
    });
}

/** Drops thrown up at a place, `age` seconds ago. */
function createSplash({ palette, random }: SceneContext, long: number): Splash {
  const spray = glowOf(mix(mix(palette.horizon, palette.light, 0.5), white, 0.5), 48);
  const drops = Array.from({ length: 34 }, () => ({
    angle: -Math.PI / 2 + (random() - 0.5) * 1.5,
    speed: 0.5 + random() * 0.9,
    size: 0.02 + random() * 0.045,
  }));
  return (context, { x: from, age, force }) => {
    if (age < 0 || age > 1.5) return;
    context.globalAlpha = smooth(age, { from: 1.5, to: 0.2 }) * 0.8;
    for (const { angle, speed, size } of drops) {
      const reach = long * 0.5 * speed * force;
      const x = from + Math.cos(angle) * reach * age;
      const y = Math.sin(angle) * reach * age + long * 0.45 * age * age;
      if (y > 0) continue;
      const radius = long * size * (0.6 + age);
      context.drawImage(spray, x - radius, y - radius, radius * 2, radius * 2);
    }
    context.globalAlpha = 1;
  };
}

type Moment = { readonly look: WhaleColors; readonly splash: Splash; readonly age: number };

function leap(
  context: SKRSContext2D,
  moment: Moment & { readonly start: number; readonly isDolphin: boolean },
): void {
  const { look, splash, age, start, isDolphin } = moment;
  const { long } = look;
  const lasts = isDolphin ? 1.1 : 2;
  const share = age / lasts;
  const reach = long * (isDolphin ? 1.5 : 0.9);
  if (share >= 0 && share <= 1) {
    const x = start + (share - 0.5) * reach;
    const y = -Math.sin(share * Math.PI) * long * (isDolphin ? 0.5 : 0.62) + long * 0.2;
    context.save();
    clipAbove(context, long);
    context.translate(x, y);
    context.rotate((share - 0.5) * (isDolphin ? 2 : 1.3) - (isDolphin ? 0 : 0.35));
    addBody(context, look);
    context.restore();
  }
  splash(context, { x: start - reach * 0.42, age: age - 0.05, force: 0.8 });
  splash(context, { x: start + reach * 0.42, age: age - lasts * 0.86, force: 1.3 });
}

function surface(context: SKRSContext2D, { look, splash, age }: Moment): void {
  const { long, body } = look;
  const roll = age / 3;
  if (roll < 1) {
    const x = (roll - 0.6) * long * 0.5;
    const y = long * (0.2 - Math.sin(clamp(roll) * Math.PI) * 0.16);
    context.save();
    clipAbove(context, long);
    context.fillStyle = css(body);
    context.beginPath();
    context.ellipse(x, y, long * 0.44, long * 0.2, 0.04, 0, Math.PI * 2);
    context.fill();
    context.restore();
    splash(context, { x: x + long * 0.2, age: age - 0.7, force: 0.55 });
  }
  const dive = (age - 2.6) / 3.6;
  if (dive <= 0 || dive >= 1) return;
  const lift = smooth(dive, { from: 0, to: 0.35 }) * smooth(dive, { from: 1, to: 0.55 });
  context.save();
  clipAbove(context, long);
  context.translate(-long * 0.08, long * 0.46 * (1 - lift));
  context.rotate((dive - 0.4) * 0.22);
  addFluke(context, look);
  context.restore();
  splash(context, { x: -long * 0.08, age: age - 5.3, force: 0.5 });
}

/** Nothing is seen below the water. */
function clipAbove(context: SKRSContext2D, long: number): void {
  context.beginPath();
  context.rect(-long * 3, -long * 3, long * 6, long * 3);
  context.clip();
}

function addBody(context: SKRSContext2D, { long, body, belly }: WhaleColors): void {
  context.save();
  context.scale(long, long);
  context.fillStyle = css(body);
  context.beginPath();
  context.moveTo(0.5, 0.02);
  context.quadraticCurveTo(0.36, -0.15, 0.08, -0.15);
  context.quadraticCurveTo(0.02, -0.22, -0.05, -0.23);
  context.quadraticCurveTo(-0.03, -0.17, -0.06, -0.13);
  context.quadraticCurveTo(-0.3, -0.07, -0.44, 0.0);
  context.quadraticCurveTo(-0.54, -0.06, -0.6, -0.05);
  context.quadraticCurveTo(-0.57, 0.02, -0.5, 0.04);
  context.quadraticCurveTo(-0.55, 0.1, -0.56, 0.15);
  context.quadraticCurveTo(-0.48, 0.12, -0.4, 0.06);
  context.quadraticCurveTo(-0.1, 0.15, 0.2, 0.13);
  context.quadraticCurveTo(0.42, 0.11, 0.5, 0.02);
  context.fill();
  context.fillStyle = css(belly);
  context.beginPath();
  context.moveTo(0.48, 0.035);
  context.quadraticCurveTo(0.2, 0.05, -0.1, 0.1);
  context.quadraticCurveTo(0.06, 0.15, 0.2, 0.13);
  context.quadraticCurveTo(0.42, 0.11, 0.48, 0.035);
  context.fill();
  context.fillStyle = css(body);
  context.beginPath();
  context.moveTo(0.18, 0.08);
  context.quadraticCurveTo(0.08, 0.24, -0.04, 0.26);
  context.quadraticCurveTo(0.0, 0.16, 0.06, 0.09);
  context.fill();
  context.restore();
}

function addFluke(context: SKRSContext2D, { long, body, belly }: WhaleColors): void {
  context.save();
  context.scale(long, long);
  context.fillStyle = css(body);
  context.beginPath();
  context.moveTo(-0.07, 0.1);
  context.quadraticCurveTo(-0.045, -0.12, -0.035, -0.22);
  context.quadraticCurveTo(-0.2, -0.24, -0.34, -0.4);
  context.quadraticCurveTo(-0.16, -0.41, -0.03, -0.33);
  context.quadraticCurveTo(0, -0.31, 0.03, -0.33);
  context.quadraticCurveTo(0.16, -0.41, 0.34, -0.4);
  context.quadraticCurveTo(0.2, -0.24, 0.035, -0.22);
  context.quadraticCurveTo(0.045, -0.12, 0.07, 0.1);
  context.fill();
  context.fillStyle = css(belly, 0.5);
  context.beginPath();
  context.moveTo(-0.3, -0.385);
  context.quadraticCurveTo(-0.16, -0.27, -0.02, -0.25);
  context.quadraticCurveTo(-0.15, -0.33, -0.3, -0.385);
  context.moveTo(0.3, -0.385);
  context.quadraticCurveTo(0.16, -0.27, 0.02, -0.25);
  context.quadraticCurveTo(0.15, -0.33, 0.3, -0.385);
  context.fill();
  context.restore();
}
