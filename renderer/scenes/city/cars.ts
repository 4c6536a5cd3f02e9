/** Cars as one meets them in a street: from the front when they come, from behind when they go. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import { smooth, wrap } from '../../motion.ts';
import { oneOf } from '../../random.ts';
import { glowOf, type SceneContext } from '../scene.ts';
import type { Light } from './building.ts';
import { project, type View } from './quarter.ts';

export type Cars = { draw(context: SKRSContext2D, second: number): void };

const paints: readonly [Color, ...Color[]] = [
  [38, 42, 50],
  [196, 198, 202],
  [120, 30, 32],
  [34, 58, 96],
  [232, 230, 224],
];
const taxi: Color = [242, 184, 36];
const [nearest, farthest] = [0.55, 15];
/** Half the width of a car, in halves of the street's width. */
const halfWide = 0.2;

export function createCars(
  setting: SceneContext,
  { view, light, count }: { readonly view: View; readonly light: Light; readonly count: number },
): Cars {
  const { random, brief, unit } = setting;
  const hasTaxis = brief.mentions(/\b(taxi|cab|york)/);
  const cars = Array.from({ length: count }, (_, index) => {
    const isComing = index % 2 === 0;
    const paint = hasTaxis && random() < 0.6 ? taxi : oneOf(random, paints);
    return {
      isComing,
      across: isComing ? -0.5 : 0.5,
      // Evenly spread, so that none drives through another.
      phase: (Math.floor(index / 2) + random() * 0.5) / Math.ceil(count / 2),
      sprite: paintCar({ paint, light, isComing, pixels: Math.ceil(300 * unit) }),
    };
  });

  return {
    draw(context, second) {
      const span = farthest - nearest;
      const driven = (second * 0.75 * brief.pace) / span;
      const moving = cars
        .map((car) => {
          const share = wrap(car.phase + (car.isComing ? -driven : driven));
          return { ...car, away: nearest + span * share };
        })
        .sort((one, other) => other.away - one.away);
      for (const { away, across, sprite } of moving) {
        const { x, y } = project(view, { across, up: 0, away });
        const half = (view.focal * halfWide) / away;
        // They come out of the haze and are gone before they fill the picture.
        const alpha = smooth(away, { from: farthest, to: farthest * 0.7 });
        context.globalAlpha = alpha;
        context.drawImage(sprite, x - half * 1.6, y - half * 1.5, half * 3.2, half * 2.2);
      }
      context.globalAlpha = 1;
    },
  };
}

type CarLook = {
  readonly paint: Color;
  readonly light: Light;
  readonly isComing: boolean;
  readonly pixels: number;
};

/** A car 200 wide in a picture of 320 by 220: at night its lamps need the room around it. */
function paintCar({ paint, light, isComing, pixels }: CarLook): Canvas {
  const canvas = createCanvas(Math.ceil(pixels * 1.6), Math.ceil(pixels * 1.1));
  const context = canvas.getContext('2d');
  context.scale(pixels / 200, pixels / 200);
  context.translate(60, 0);
  const body = mix(paint, light.shade, 0.15 + light.dark * 0.6);
  const under: Color = mix([12, 12, 14], light.shade, 0.5);
  const shadow = glowOf([0, 0, 0], 64);
  context.globalAlpha = 0.8;
  context.drawImage(shadow, -10, 128, 220, 36);
  context.globalAlpha = 1;
  const fill = (color: Color, draw: () => void): void => {
    context.fillStyle = css(color);
    context.beginPath();
    draw();
    context.fill();
  };
  fill(under, () => {
    context.roundRect(22, 118, 34, 34, 8);
    context.roundRect(144, 118, 34, 34, 8);
    context.rect(30, 112, 140, 26);
  });
  fill(mix(body, under, 0.2), () => {
    context.moveTo(46, 74);
    context.quadraticCurveTo(58, 26, 74, 24);
    context.lineTo(126, 24);
    context.quadraticCurveTo(142, 26, 154, 74);
  });
  const glass = mix(mix(light.haze, white, 0.2), light.shade, 0.25 + light.dark * 0.5);
  fill(glass, () => {
    context.moveTo(56, 72);
    context.quadraticCurveTo(66, 34, 78, 33);
    context.lineTo(122, 33);
    context.quadraticCurveTo(134, 34, 144, 72);
  });
  const shine = context.createLinearGradient(0, 66, 0, 134);
  shine.addColorStop(0, css(mix(body, light.sun, 0.35)));
  shine.addColorStop(0.3, css(body));
  shine.addColorStop(1, css(mix(body, under, 0.6)));
  context.fillStyle = shine;
  context.beginPath();
  context.roundRect(16, 68, 168, 66, 18);
  context.fill();
  fill(mix(under, body, 0.25), () => context.roundRect(62, 100, 76, 18, 6));
  const lamp: Color = isComing ? [255, 246, 222] : [220, 34, 26];
  fill(light.dark > 0.4 ? mix(lamp, white, 0.4) : mix(lamp, under, 0.25), () => {
    context.roundRect(24, 82, 32, 14, 6);
    context.roundRect(144, 82, 32, 14, 6);
  });
  if (light.dark > 0.4) paintLamps(context, glowOf(lamp, 128));
  return canvas;
}

/** Their shine, and what falls of it on the ground before or behind the car. */
function paintLamps(context: SKRSContext2D, lamp: Canvas): void {
  context.globalCompositeOperation = 'lighter';
  for (const x of [40, 160]) context.drawImage(lamp, x - 62, 89 - 62, 124, 124);
  context.globalAlpha = 0.4;
  context.drawImage(lamp, -60, 120, 320, 100);
}
