/** The Earth, or a planet of gas with or without rings: a sphere painted once. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, colorTable, css, mix, white } from '../../color.ts';
import { createLayer } from '../../elements/layer.ts';
import { paintSoft } from '../../elements/paint.ts';
import { clamp, smooth } from '../../motion.ts';
import { between } from '../../random.ts';
import type { SceneContext } from '../scene.ts';

const sun = { x: -0.701, y: -0.433, z: 0.567 };
/** How far the atmosphere shines beyond the rim, in radii. */
const airReach = 1.22;

/** The color at a longitude from 0 to 2 and a latitude from 0 to 1. */
type Surface = (x: number, y: number) => Color;

export function createPlanet(scene: SceneContext) {
  const { size, palette, random, brief } = scene;
  const isEarth = brief.shows('earth');
  const isRinged = !isEarth && brief.shows('rings');
  const { width, height } = size;
  const isPortrait = height > width;
  const radius = Math.min(width * (isPortrait ? 0.3 : 0.2), height * 0.29) * (isRinged ? 0.86 : 1);
  const x = width * (isRinged && width < height * 1.3 ? 0.54 : isPortrait ? 0.56 : 0.66);
  const y = height * (isPortrait ? 0.36 : 0.42);
  const lean = between(random, { from: -0.42, to: -0.2 });
  const paintRings = isRinged ? ringsOf(scene, { x, y, radius, lean }) : null;
  const air: Color = isEarth ? [120, 180, 255] : mix(palette.horizon, palette.light, 0.7);
  const globe = paintGlobe(scene, (isEarth ? earth : banded)(scene), { radius, lean, air });
  const halo = haloOf(radius, air);
  const place = { depth: 0.3, top: y - radius * 1.5, bottom: y + radius * 1.5 };
  return createLayer(scene, place, (context) => {
    context.drawImage(halo, x - radius * airReach, y - radius * airReach);
    paintRings?.(context, 'behind');
    context.save();
    context.beginPath();
    context.arc(x, y, radius, 0, Math.PI * 2);
    context.clip();
    context.drawImage(globe, x - radius, y - radius);
    context.restore();
    paintRings?.(context, 'before');
  });
}

function paintGlobe(
  { random }: SceneContext,
  surface: Surface,
  { radius, lean, air }: { readonly radius: number; readonly lean: number; readonly air: Color },
): Canvas {
  const side = Math.ceil(radius * 2);
  const [cos, sin] = [Math.cos(lean), Math.sin(lean)];
  return paintSoft({ width: side, height: side }, { coarseness: 1, random, grain: 0 }, (px, py) => {
    const [right, down] = [px / radius - 1, py / radius - 1];
    const away = Math.min(1, Math.hypot(right, down));
    const near = Math.sqrt(1 - away * away);
    const [along, up] = [cos * right + sin * down, cos * down - sin * right];
    const longitude = Math.atan2(along, near) / Math.PI + 1;
    const facing = right * sun.x + down * sun.y + near * sun.z;
    const lit = smooth(facing, { from: -0.12, to: 0.9 }) * (0.72 + 0.28 * near) + 0.012;
    const rim = (1 - near) ** 3 * smooth(facing, { from: -0.3, to: 0.5 }) * 0.75;
    const color = mix(
      [0, 0, 0],
      surface(longitude, Math.asin(clamp(up, -1, 1)) / Math.PI + 0.5),
      lit,
    );
    return [color[0] + air[0] * rim, color[1] + air[1] * rim, color[2] + air[2] * rim];
  });
}

/** Bands of cloud around one storm. */
function banded({ random, noise, palette }: SceneContext): Surface {
  const start = random() * 60;
  const storm = { x: 0.6 + random() * 0.5, y: 0.55 + random() * 0.15 };
  const { middle, low, horizon, light } = palette;
  const shades = colorTable([
    [0, mix(middle, low, 0.35)],
    [1 / 3, low],
    [2 / 3, horizon],
    [1, mix(horizon, light, 0.6)],
  ]);
  return (x, y) => {
    const away = Math.hypot((x - storm.x) * 1.1, (y - storm.y) * 2.6);
    const swirl = Math.exp(-((away / 0.13) ** 2));
    const bend = noise.rough(x * 3.2 + start, y * 7, 3) * 0.035 + swirl * 0.09;
    const band = noise.at(start, (y + bend) * 11) * 0.8 + noise.at(9, (y + bend) * 27) * 0.35;
    const streak = noise.rough(x * 2.4 + 20, (y + bend * 1.6) * 34, 2) * 0.4;
    const shade = clamp(0.5 + band * 0.5 + streak * 0.36 + swirl * 0.35);
    const pole = smooth(Math.abs(y - 0.5), { from: 0.26, to: 0.5 }) * 0.5;
    return mix(shades[Math.round(shade * 255)]!, low, pole);
  };
}

function earth({ random, noise }: SceneContext): Surface {
  const start = random() * 60;
  return (x, y) => {
    const bend = noise.at(x * 2.1 + start, y * 2.1 + 7) * 0.25;
    const land = noise.rough(x * 1.9 + bend + start, y * 2.4 + bend, 5) + 0.02;
    const dry = clamp(0.55 + noise.at(x * 2.4 + 30, y * 5) * 0.9 - Math.abs(y - 0.5) * 0.6);
    const shore = smooth(land, { from: -0.12, to: 0.03 });
    const sea = mix([6, 26, 74], [22, 92, 138], shore ** 2);
    const ground = mix(mix([34, 86, 44], [186, 150, 92], dry), [96, 82, 70], clamp(land * 1.6));
    const pole = Math.min(y, 1 - y) + noise.at(x * 5, y * 5) * 0.05;
    const ice = smooth(pole, { from: 0.13, to: 0.09 });
    const wind = noise.at(x * 1.4 + 50, y * 4) * 0.5;
    const cover = noise.rough(x * 2.6 + wind + 80, y * 5.2 + wind, 5) + 0.04;
    const dryLand = mix(sea, ground, smooth(land, { from: 0.03, to: 0.05 }));
    const cloud = smooth(cover, { from: 0.02, to: 0.34 }) * 0.92;
    return mix(mix(dryLand, [238, 244, 250], ice), white, cloud);
  };
}

/** The atmosphere around the rim, bright towards the sun. */
function haloOf(radius: number, color: Color): Canvas {
  const middle = radius * airReach;
  const side = Math.ceil(middle * 2);
  const context = createCanvas(side, side).getContext('2d');
  const ring = context.createRadialGradient(middle, middle, radius * 0.94, middle, middle, middle);
  ring.addColorStop(0, css(mix(color, white, 0.3), 0.85));
  ring.addColorStop(0.22, css(color, 0.42));
  ring.addColorStop(0.5, css(color, 0.12));
  ring.addColorStop(1, css(color, 0));
  context.fillStyle = ring;
  context.fillRect(0, 0, side, side);
  const [towardsX, towardsY] = [sun.x * middle, sun.y * middle];
  const day = context.createLinearGradient(
    ...([middle + towardsX, middle + towardsY] as const),
    ...([middle - towardsX * 0.7, middle - towardsY * 0.7] as const),
  );
  day.addColorStop(0, 'rgba(0,0,0,1)');
  day.addColorStop(1, 'rgba(0,0,0,0)');
  context.globalCompositeOperation = 'destination-in';
  context.fillStyle = day;
  context.fillRect(0, 0, side, side);
  return context.canvas;
}

/** Inner and outer edge of the rings, in radii of the planet, and how open they are. */
const [inner, outer, open] = [1.32, 2.28, 0.26];
const bandsCount = 64;

/** Many fine bands; the far half is behind the planet, the near half in front of it. */
function ringsOf(
  { noise, random, palette }: SceneContext,
  plan: { readonly x: number; readonly y: number; readonly radius: number; readonly lean: number },
) {
  const start = random() * 50;
  const colors = [mix(palette.horizon, palette.low, 0.3), mix(palette.horizon, palette.light, 0.5)];
  const denseAt = (share: number): number => {
    const grain = 0.55 + noise.at(share * 9, start) * 0.5 + noise.at(share * 41, start) * 0.3;
    const gap = 1 - Math.exp(-(((share - 0.66) / 0.028) ** 2)) * 0.95;
    const ends = smooth(share, { from: 0, to: 0.12 }) * smooth(share, { from: 1, to: 0.93 });
    return clamp(grain) * gap * ends;
  };
  return (context: SKRSContext2D, half: 'behind' | 'before'): void => {
    const from = half === 'behind' ? Math.PI : 0;
    context.save();
    context.translate(plan.x, plan.y);
    context.rotate(plan.lean);
    context.scale(plan.radius, plan.radius * open);
    context.lineWidth = (outer - inner) / bandsCount + 0.004;
    for (let band = 0; band < bandsCount; band += 1) {
      const share = (band + 0.5) / bandsCount;
      const dense = denseAt(share);
      context.strokeStyle = css(
        mix(mix(colors[0]!, colors[1]!, share), white, dense * 0.25),
        dense * 0.82,
      );
      context.beginPath();
      context.arc(0, 0, inner + share * (outer - inner), from, from + Math.PI);
      context.stroke();
    }
    context.restore();
  };
}
