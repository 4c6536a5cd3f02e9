/** Lights of a night sky above a city: searchlights that swing, and aircraft that pass. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { css } from '../../color.ts';
import { wrap } from '../../motion.ts';
import { glowOf, type SceneContext } from '../scene.ts';

export type Beams = { draw(context: SKRSContext2D, camera: Camera, second: number): void };

export type BeamsPlan = {
  readonly depth: number;
  /** Where the searchlights stand, in pixels from the top. */
  readonly base: number;
  readonly searchlights: number;
  readonly aircraft: number;
};

export function createBeams(setting: SceneContext, plan: BeamsPlan): Beams {
  const { size, random, unit, palette } = setting;
  const { width, height } = size;
  const long = Math.hypot(width, height) * 0.6;
  const wide = long * 0.1;
  const beam = createCanvas(64, 256);
  const paint = beam.getContext('2d');
  const light = paint.createLinearGradient(0, 256, 0, 0);
  light.addColorStop(0, css(palette.light, 0.5));
  light.addColorStop(1, css(palette.light, 0));
  // Strips that widen and overlap: bright in the middle, soft at the sides.
  for (let strip = 1; strip <= 12; strip += 1) {
    const half = (strip / 12) * 32;
    paint.globalAlpha = 0.16;
    paint.fillStyle = light;
    paint.beginPath();
    paint.moveTo(32, 256);
    paint.lineTo(32 - half, 0);
    paint.lineTo(32 + half, 0);
    paint.fill();
  }
  const lights = Array.from({ length: plan.searchlights }, (_, index) => ({
    x: width * (0.2 + (0.6 * (index + random() * 0.6)) / Math.max(1, plan.searchlights)),
    tilt: (random() - 0.5) * 0.8,
    phase: random() * 6,
  }));
  const planes = Array.from({ length: plan.aircraft }, () => ({
    phase: random(),
    y: height * (0.08 + random() * 0.22),
    climb: (random() - 0.5) * height * 0.08,
    way: random() < 0.5 ? -1 : 1,
  }));
  const [red, plain] = [glowOf([255, 80, 70], 32), glowOf([255, 255, 255], 32)];

  function drawPlane(context: SKRSContext2D, plane: (typeof planes)[number], second: number): void {
    const share = wrap(plane.phase + second * 0.022 * plane.way);
    const x = width * (share * 1.3 - 0.15);
    const y = plane.y + plane.climb * share;
    const lamp = (image: typeof red, dx: number, radius: number): void =>
      void context.drawImage(image, x + dx - radius, y - radius, radius * 2, radius * 2);
    context.globalAlpha = 0.85;
    lamp(plain, 3 * unit * plane.way, 3 * unit);
    // Two short flashes, then dark.
    const beat = wrap(second * 0.9 + plane.phase * 7);
    context.globalAlpha = beat < 0.09 || (beat > 0.18 && beat < 0.27) ? 1 : 0.12;
    lamp(red, -3 * unit * plane.way, 6 * unit);
  }

  return {
    draw(context, camera, second) {
      camera.look(context, plan.depth, () => {
        context.globalCompositeOperation = 'lighter';
        for (const plane of planes) drawPlane(context, plane, second);
        context.globalAlpha = 0.5;
        for (const { x, tilt, phase } of lights) {
          context.save();
          context.translate(x, plan.base);
          context.rotate(tilt + Math.sin(second * 0.45 + phase) * 0.35);
          context.drawImage(beam, -wide / 2, -long, wide, long);
          context.restore();
        }
        context.globalAlpha = 1;
        context.globalCompositeOperation = 'source-over';
      });
    },
  };
}
