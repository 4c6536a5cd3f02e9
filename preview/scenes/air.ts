/** What is in the air: stars at night, drifting specks of light, snow or rain by the prompt. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../colour.ts';
import { wrap } from '../motion.ts';
import { glowOf, type Setting } from './scene.ts';

export type Air = {
  /** Before the land, so that hills hide the stars. */
  drawStars(context: SKRSContext2D, second: number): void;
  /** After everything else. */
  drawSpecks(context: SKRSContext2D, second: number): void;
};

export function createAir(setting: Setting, options: { readonly horizon: number }): Air {
  const { size, palette, random, unit } = setting;
  const snowing = setting.brief.weather === 'snow';
  const raining = setting.brief.weather === 'rain' || setting.brief.weather === 'storm';
  const dot = glowOf(palette.light, 48);
  const place = () => ({
    x: random(),
    y: random(),
    depth: 0.2 + random() * 0.8,
    phase: random() * Math.PI * 2,
    pace: 0.4 + random(),
  });
  const stars = Array.from({ length: palette.night ? 150 : 0 }, place);
  const specks = Array.from({ length: snowing ? 130 : 36 }, place);

  return {
    drawStars(context, second) {
      context.globalCompositeOperation = 'lighter';
      for (const star of stars) {
        const radius = (1.6 + star.depth * star.pace * 2.6) * unit;
        const twinkle = 0.5 + 0.5 * Math.sin(second * (1 + star.pace * 2) + star.phase) ** 2;
        context.globalAlpha = twinkle * star.depth * (1 - star.y * 0.8);
        const x = star.x * size.width;
        const y = star.y * size.height * options.horizon;
        context.drawImage(dot, x - radius, y - radius, radius * 2, radius * 2);
      }
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
    },
    drawSpecks(context, second) {
      context.globalCompositeOperation = 'lighter';
      for (const speck of specks) {
        const fall = snowing ? 0.09 * speck.pace * (0.4 + speck.depth) : -0.012 * speck.pace;
        const sway = Math.sin(second * 0.5 * speck.pace + speck.phase) * 0.02;
        const x = wrap(speck.x + sway + second * 0.01 * speck.depth) * size.width;
        const y = wrap(speck.y + second * fall) * size.height;
        const radius = (1.2 + speck.depth ** 2 * (snowing ? 9 : 7)) * unit;
        const twinkle = 0.6 + 0.4 * Math.sin(second * speck.pace + speck.phase);
        context.globalAlpha = (snowing ? 0.8 : 0.3) * twinkle * (1.2 - speck.depth * 0.7);
        context.drawImage(dot, x - radius, y - radius, radius * 2, radius * 2);
      }
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
      if (raining) drawRain(context, second);
    },
  };

  function drawRain(context: SKRSContext2D, second: number): void {
    context.strokeStyle = css(mix(palette.horizon, white, 0.55), 0.28);
    context.lineWidth = 1.3 * unit;
    context.beginPath();
    for (let drop = 0; drop < 180; drop += 1) {
      const pace = 0.8 + wrap(drop * 0.377) * 0.7;
      const x = wrap(drop * 0.618 + second * 0.08 * pace) * size.width * 1.1;
      const y = (wrap(drop * 0.733 + second * 1.6 * pace) * 1.1 - 0.05) * size.height;
      context.moveTo(x, y);
      context.lineTo(x + 5 * unit, y + 34 * unit * pace);
    }
    context.stroke();
  }
}
