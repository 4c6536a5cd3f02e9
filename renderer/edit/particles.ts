/**
 * What falls, drifts or rises through the air of a picture: near ones large and soft, far ones
 * small and slow. Every particle is a small picture made once; a frame only lays them on.
 */
import type { Canvas } from '@napi-rs/canvas';
import { type Color, colorOf } from '../color.ts';
import { wrap } from '../motion.ts';
import { between, oneOf, type Random } from '../random.ts';
import type { Overlay, Room } from './overlay.ts';
import { leaf, petal, ring, slip, soft, star } from './sprites.ts';
import { createFog, createRain } from './weather.ts';

export type ParticleKind =
  | 'snow'
  | 'rain'
  | 'fog'
  | 'petals'
  | 'leaves'
  | 'embers'
  | 'confetti'
  | 'bubbles'
  | 'sparkles';

type Flock = {
  readonly count: number;
  /** Frame heights a second for the nearest; below 0 they rise. */
  readonly fall: number;
  readonly drift: number;
  /** How far they swing to the sides, in frame heights. */
  readonly swing: number;
  /** Sides of the smallest and of the largest at 720p, in pixels. */
  readonly pixels: readonly [number, number];
  readonly alpha: number;
  /** Light adds up; leaves cover. */
  readonly isLight: boolean;
  readonly turns: boolean;
  readonly sprites: readonly [Canvas, ...Canvas[]];
};

export function createParticles(kind: ParticleKind, { size, unit, random }: Room): Overlay {
  if (kind === 'rain') return createRain({ size, unit, random });
  if (kind === 'fog') return createFog({ size, random });
  const flock = flockOf(kind, random);
  const { width, height } = size;
  const all = Array.from({ length: flock.count }, () => ({
    x: random(),
    y: random(),
    // Few are near.
    near: random() ** 2.2,
    phase: random() * Math.PI * 2,
    pace: between(random, { from: 0.7, to: 1.3 }),
    sprite: oneOf(random, flock.sprites),
  }));
  return {
    draw(context, second) {
      context.save();
      context.globalCompositeOperation = flock.isLight ? 'lighter' : 'source-over';
      for (const { x, y, near, phase, pace, sprite } of all) {
        const side = (flock.pixels[0] + (flock.pixels[1] - flock.pixels[0]) * near) * unit;
        const speed = (0.35 + 0.65 * near) * pace;
        const swing = Math.sin(second * (0.8 + pace) + phase) * flock.swing * (0.4 + near);
        const atX = wrap(x + second * flock.drift * speed) * (width + side * 2) - side;
        const atY = wrap(y + second * flock.fall * speed) * (height + side * 2) - side;
        const blink = flock.isLight ? 0.55 + 0.45 * Math.sin(second * 2.4 * pace + phase) : 1;
        context.globalAlpha = flock.alpha * (1 - near * 0.35) * blink;
        const angle = flock.turns ? phase + second * (pace - 1) * 6 : 0;
        // Seen edge-on and flat in turn, as thin things tumble.
        const thin = flock.turns ? 0.35 + 0.65 * Math.abs(Math.sin(second * pace * 2 + phase)) : 1;
        const [cos, sin] = [Math.cos(angle) * side, Math.sin(angle) * side];
        context.setTransform(cos, sin, -sin * thin, cos * thin, atX + swing * height, atY);
        context.drawImage(sprite, -0.5, -0.5, 1, 1);
      }
      context.restore();
    },
  };
}

function flockOf(kind: Exclude<ParticleKind, 'rain' | 'fog'>, random: Random): Flock {
  const light = { isLight: true, turns: false } as const;
  const solid = { isLight: false, turns: true } as const;
  const colors = (hexes: string, draw: (color: Color) => Canvas) =>
    hexes.split(' ').map((hex) => draw(colorOf(hex))) as unknown as Flock['sprites'];
  switch (kind) {
    case 'snow':
      return {
        ...{ count: 230, fall: 0.26, drift: 0.03, swing: 0.02, pixels: [3, 26], alpha: 0.92 },
        ...{ isLight: false, turns: false, sprites: colors('ffffff', soft) },
      };
    case 'petals':
      return {
        ...{ count: 70, fall: 0.16, drift: 0.09, swing: 0.05, pixels: [9, 52], alpha: 0.95 },
        ...{ ...solid, sprites: colors('ffc9d8 ffb0c8 ffe4ec f8a0bc', petal) },
      };
    case 'leaves':
      return {
        ...{ count: 60, fall: 0.2, drift: 0.1, swing: 0.06, pixels: [12, 64], alpha: 0.97 },
        ...{ ...solid, sprites: colors('d8702a b8461c e8a83a 9a5a22', leaf) },
      };
    case 'embers':
      return {
        ...{ count: 130, fall: -0.24, drift: 0.05, swing: 0.04, pixels: [3, 20], alpha: 1 },
        ...{ ...light, sprites: colors('ff8a2a ffb04a ff5a1a', soft) },
      };
    case 'confetti':
      return {
        ...{ count: 110, fall: 0.3, drift: 0.02, swing: 0.04, pixels: [7, 22], alpha: 1 },
        ...{ ...solid, sprites: colors('ff4f6a ffd23f 3fc8ff 5ae08a c07aff', slip) },
      };
    case 'bubbles':
      return {
        ...{ count: 60, fall: -0.18, drift: 0.01, swing: 0.02, pixels: [6, 40], alpha: 0.7 },
        ...{ ...light, sprites: colors('bff4ff', ring) },
      };
    case 'sparkles':
      return {
        ...{ count: 130, fall: -0.03, drift: 0.02, swing: 0.03, pixels: [5, 44], alpha: 0.85 },
        ...{ ...light, sprites: [soft([255, 236, 190]), soft([255, 250, 235]), star(random)] },
      };
  }
}
