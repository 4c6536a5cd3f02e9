/** A waterfall from a wooded cliff at the frame's edge: streaks that fall, spray at its foot. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { fillWood } from '../../elements/pines.ts';
import { paintRelief } from '../../elements/relief.ts';
import { spriteOf } from '../../elements/sprite.ts';
import { smooth, wrap } from '../../motion.ts';
import { glowOf, type SceneContext } from '../scene.ts';

export type WaterfallPlan = {
  readonly depth: number;
  /** Where the cliff's top and the falling water's foot are, as shares of the height. */
  readonly top: number;
  readonly foot: number;
  readonly body: Color;
  readonly lit: Color;
  readonly mist: Color;
};

const tileTall = 256;

export function createWaterfall(setting: SceneContext, plan: WaterfallPlan) {
  const { size, random, brief } = setting;
  const { width, height } = size;
  const x = width * 0.66;
  const foot = height * plan.foot;
  const half = Math.min(width, height) * 0.034;
  const { sprite: cliff, lip } = cliffOf(setting, plan, { x, half });
  const water = waterColors(setting, plan);
  const sheets = [tileOf(setting, water.bright), tileOf(setting, water.dim)];
  const spray = glowOf(mix(water.bright, plan.mist, 0.3), 96);
  const pace = (brief.pace < 0.55 ? 0.45 : brief.pace ** 0.5) * height;
  const puffs = Array.from({ length: 14 }, () => ({
    phase: random(),
    aside: (random() - 0.5) * 2,
    size: 0.6 + random() * 0.8,
    speed: 0.16 + random() * 0.12,
  }));

  /** Narrow at the lip, and torn wider as it falls. */
  function clipFall(context: SKRSContext2D): void {
    context.beginPath();
    context.moveTo(x - half * 0.8, lip);
    context.quadraticCurveTo(x - half * 0.9, (lip + foot) / 2, x - half * 1.25, foot);
    context.lineTo(x + half * 1.25, foot);
    context.quadraticCurveTo(x + half * 0.9, (lip + foot) / 2, x + half * 0.8, lip);
    context.clip();
  }

  function drawFall(context: SKRSContext2D, second: number): void {
    context.save();
    clipFall(context);
    context.fillStyle = css(mix(water.dim, plan.body, 0.3));
    context.fillRect(x - half * 1.3, lip, half * 2.6, foot - lip);
    for (const [index, sheet] of sheets.entries()) {
      const tall = height * (0.3 + index * 0.12);
      const gone = wrap((second * pace * (0.46 - index * 0.12)) / tall) * tall;
      context.globalAlpha = index === 0 ? 0.9 : 0.7;
      for (let y = lip - tall + gone; y < foot; y += tall) {
        context.drawImage(sheet, x - half * 1.3, y, half * 2.6, tall + 1);
      }
    }
    context.restore();
  }

  function drawSpray(context: SKRSContext2D, second: number): void {
    for (const { phase, aside, size: large, speed } of puffs) {
      const age = wrap(phase + second * speed * brief.pace ** 0.5);
      const radius = half * (1 + age * 2.1) * large;
      const px = x + aside * half * (1 + age * 2.2);
      const py = foot - age * half * 2.6 + half * 0.5;
      context.globalAlpha =
        0.5 * smooth(age, { from: 0, to: 0.15 }) * smooth(age, { from: 1, to: 0.3 });
      context.drawImage(spray, px - radius, py - radius, radius * 2, radius * 2);
    }
    context.globalAlpha = 1;
  }

  return (context: SKRSContext2D, camera: Camera): void =>
    camera.look(context, plan.depth, () => {
      cliff.draw(context);
      drawFall(context, camera.second);
      drawSpray(context, camera.second);
    });
}

function waterColors({ palette }: SceneContext, { mist }: WaterfallPlan) {
  const dim = { dawn: 0.3, day: 0.05, dusk: 0.34, night: 0.55 }[palette.time];
  const bright = mix(mix(white, palette.horizon, 0.2), mix(palette.low, palette.middle, 0.4), dim);
  return { bright, dim: mix(bright, mist, 0.5) };
}

/** Long streaks that meet where the picture ends, so that it can follow itself. */
function tileOf({ noise, random }: SceneContext, color: Color): Canvas {
  const canvas = createCanvas(64, tileTall);
  const context = canvas.getContext('2d');
  const image = context.createImageData(64, tileTall);
  const start = random() * 100;
  for (let y = 0, at = 0; y < tileTall; y += 1) {
    const turn = (y / tileTall) * Math.PI * 2;
    const [cos, sin] = [Math.cos(turn) * 0.5 + start, Math.sin(turn) * 0.5];
    for (let x = 0; x < 64; x += 1, at += 4) {
      const streak =
        noise.at(x * 0.26 + cos, sin * 2 + 7) + noise.at(x * 0.6 + cos * 2, sin * 3) * 0.6;
      image.data[at] = color[0];
      image.data[at + 1] = color[1];
      image.data[at + 2] = color[2];
      image.data[at + 3] = smooth(streak, { from: -0.4, to: 0.6 }) * 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** From the fall to the right edge of the frame and a little to its left. */
function cliffOf(
  setting: SceneContext,
  plan: WaterfallPlan,
  { x, half }: { x: number; half: number },
) {
  const { size, noise, random, camera, palette, unit } = setting;
  const { width, height } = size;
  const margin = camera.margin(plan.depth);
  const right = width + margin.x + 4;
  const left = x - Math.min(width * 0.3, height * 0.34);
  const top = height * plan.top;
  const bottom = height * (plan.foot + 0.13);
  const start = random() * 100;
  const topAt = (px: number): number => {
    const notch = Math.exp(-(((px - x) / (half * 1.3)) ** 2)) * height * 0.022;
    const edge = smooth(px, { from: left + half * 3, to: left });
    const rough = noise.rough((px / height) * 5 + start, start, 4) * height * (0.07 + 0.12 * edge);
    // It leans back to the left like a shoulder, and ends in a wall.
    const wall = smooth(px, { from: left + half * 2.6, to: left }) ** 1.6 * height * 0.42;
    const shoulder = smooth(px, { from: x - half, to: left }) * height * 0.07;
    return top - rough + notch + wall + shoulder;
  };
  const box = { left, right, top: top - height * 0.14, bottom };
  const sprite = spriteOf(box, (context) => {
    const dark = mix(plan.body, palette.shade, 0.5);
    fillWood(context, random, dark, {
      ...{ from: left + half * 2, to: right, gap: height * 0.011, groundAt: topAt },
      tall: { from: height * 0.025, to: height * 0.075 },
      density: (px) => (Math.abs(px - x) < half * 1.4 ? 0 : 0.85),
    });
    context.beginPath();
    context.moveTo(left, bottom);
    for (let px = left; px <= right + unit; px += unit) context.lineTo(px, topAt(px));
    context.lineTo(right, bottom);
    context.clip();
    const light = { body: plan.body, lit: plan.lit, foot: plan.mist, fade: 0.75, side: -1 };
    const grain = height * 0.05;
    paintRelief(context, setting, {
      ...light,
      grain,
      upright: 2.6,
      box: { ...box, top: top - height * 0.09 },
      topAt,
    });
    paintCracks(context, setting, { ...box, top, dark, lit: plan.lit });
    // Wet rock beside the water is darker.
    const wet = context.createLinearGradient(x - half * 3, 0, x + half * 3, 0);
    wet.addColorStop(0, css(dark, 0));
    wet.addColorStop(0.5, css(dark, 0.7));
    wet.addColorStop(1, css(dark, 0));
    context.fillStyle = wet;
    context.fillRect(x - half * 3, top, half * 6, bottom - top);
  });
  return { sprite, lip: topAt(x) - unit };
}

/** Upright joints and ledges, as rock breaks. */
function paintCracks(
  context: SKRSContext2D,
  { random, size, unit }: SceneContext,
  rock: { left: number; right: number; top: number; bottom: number; dark: Color; lit: Color },
): void {
  const tall = rock.bottom - rock.top;
  for (const [color, alpha, count] of [
    [rock.dark, 0.2, 80],
    [rock.lit, 0.16, 60],
  ] as const) {
    context.strokeStyle = css(color, alpha);
    context.lineWidth = 1.6 * unit;
    context.beginPath();
    for (let crack = 0; crack < count; crack += 1) {
      let x = rock.left + random() * (rock.right - rock.left);
      let y = rock.top - size.height * 0.05 + random() * tall;
      context.moveTo(x, y);
      for (let joint = 0; joint < 5; joint += 1) {
        x += (random() - 0.5) * size.height * 0.016;
        y += size.height * (0.012 + random() * 0.022);
        context.lineTo(x, y);
      }
    }
    context.stroke();
  }
}
