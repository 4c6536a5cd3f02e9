/** A candle on a table in a dark room, its light on the wall behind. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix } from '../../color.ts';
import { paintSoft } from '../../elements/paint.ts';
import { drawSoft } from '../../elements/soft.ts';
import { between } from '../../random.ts';
import { glowOf, type Scene, type SceneContext } from '../scene.ts';
import { drawFlames } from './flames.ts';

const warm: Color = [255, 158, 66];
const wax: Color = [246, 228, 196];

export function createCandle(setting: SceneContext): Scene {
  const { size, random, noise, brief, camera } = setting;
  const { width, height } = size;
  const tall = Math.min(height * 0.56, width * 0.62);
  const candles = [
    { x: 0.5, y: 0.9, scale: 1 },
    { x: 0.5 - between(random, { from: 0.13, to: 0.17 }), y: 0.87, scale: 0.72 },
    { x: 0.5 + between(random, { from: 0.12, to: 0.18 }), y: 0.875, scale: 0.58 },
  ].map((one, index) => ({
    x: width / 2 + (one.x - 0.5) * Math.min(width, height * 1.5),
    y: one.y * height,
    tall: tall * one.scale,
    row: index * 31 + random() * 20,
  }));
  const drawRoom = createRoom(setting);
  const glow = glowOf(warm, 256);
  const dark = darkOf(setting);

  function drawCandle(context: SKRSContext2D, candle: (typeof candles)[number], second: number) {
    const { x, y, row } = candle;
    const half = candle.tall * 0.13;
    const top = y - candle.tall * 0.62;
    const body = context.createLinearGradient(0, top, 0, y);
    body.addColorStop(0, css(mix(wax, warm, 0.25)));
    body.addColorStop(0.3, css(mix(wax, [150, 96, 60], 0.45)));
    body.addColorStop(1, css(mix([96, 58, 40], dark, 0.45)));
    context.fillStyle = body;
    context.beginPath();
    context.roundRect(x - half, top, half * 2, y - top, half * 0.3);
    context.fill();
    context.fillStyle = css(mix(wax, warm, 0.12));
    context.beginPath();
    context.ellipse(x, top + half * 0.12, half, half * 0.26, 0, 0, Math.PI * 2);
    context.fill();
    const flicker = 0.9 + 0.1 * noise.at(second * 2.4 * brief.pace, row);
    const reach = candle.tall * 1.25 * flicker;
    context.globalCompositeOperation = 'lighter';
    context.globalAlpha = 0.5 * flicker;
    context.drawImage(glow, x - reach, top - candle.tall * 0.3 - reach, reach * 2, reach * 2);
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
    context.fillStyle = css([40, 24, 18]);
    context.fillRect(x - half * 0.05, top - half * 0.5, half * 0.1, half * 0.6);
    const flame = {
      x,
      y: top - half * 0.2,
      height: candle.tall * 0.4 * flicker,
      width: half * 1.1,
    };
    drawFlames(context, { ...flame, tongues: 1, noise, row, pace: brief.pace * 0.35 }, second);
  }

  return {
    draw(context, second) {
      const seen = camera.at(second);
      drawRoom(context, seen);
      seen.look(context, 0.4, () => {
        for (const candle of candles.toReversed()) drawCandle(context, candle, second);
      });
    },
  };
}

const darkOf = ({ palette }: SceneContext): Color => mix(palette.shade, [14, 8, 8], 0.6);

/** The wall and the table, where the light reaches them. */
function createRoom(setting: SceneContext): (context: SKRSContext2D, camera: Camera) => void {
  const { size, random, noise, camera, palette } = setting;
  const { width, height } = size;
  const margin = camera.margin(0);
  const [startX, startY] = [random() * 50, random() * 50];
  const dark = darkOf(setting);
  const whole = { width: width + margin.x * 2, height: height + margin.y * 2 };
  const room = paintSoft(whole, { coarseness: 8, random }, (pixelX, pixelY) => {
    const [x, y] = [(pixelX - margin.x) / height, (pixelY - margin.y) / height];
    const reach = Math.hypot(x - width / height / 2, (y - 0.4) * 0.9);
    const plaster = noise.rough(x * 3 + startX, y * 3 + startY, 3) * 0.06;
    const lit = Math.exp(-(reach ** 2) * 3.2) * (0.5 + plaster);
    const table = y > 0.84 ? 0.25 * Math.exp(-((y - 0.84) * 7)) : 0;
    return mix(dark, mix(warm, palette.low, 0.25), Math.min(0.62, lit * 0.7 + table * lit * 2));
  });
  return (context, seen) =>
    drawSoft(context, seen, { picture: room, x: -margin.x, y: -margin.y, depth: 0 });
}
