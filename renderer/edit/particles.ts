/**
 * Particles that fall, drift or rise through the frame: near ones are large and fast, far ones
 * small and slow. Sprites are drawn once and reused in every frame.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, colorOf, css } from '../color.ts';
import { wrap } from '../motion.ts';
import { between, oneOf } from '../random.ts';
import type { FrameOverlay, OverlayContext } from './overlay.ts';
import { createFog, createRain } from './weather.ts';

export type ParticleKind = 'snow' | 'rain' | 'fog' | 'petals' | 'leaves' | 'embers' | 'sparkles';

type Swarm = {
  readonly count: number;
  /** Speeds of the nearest particles, in frame heights per second; a negative fall rises. */
  readonly fall: number;
  readonly drift: number;
  /** Width of the sideways swing, in frame heights. */
  readonly swing: number;
  /** Sizes of the smallest and the largest at 720p, in pixels. */
  readonly pixels: readonly [number, number];
  readonly alpha: number;
  /** `tumbling` shapes rotate, `glowing` ones blink and add light. */
  readonly behavior: 'plain' | 'tumbling' | 'glowing';
  readonly draw: (context: SKRSContext2D, color: Color) => void;
  readonly colors: string;
};

const spritePixels = 48;
const middle = spritePixels / 2;

function drawDot(context: SKRSContext2D, color: Color): void {
  const glow = context.createRadialGradient(middle, middle, 0, middle, middle, middle);
  glow.addColorStop(0, css(color, 1));
  glow.addColorStop(0.28, css(color, 0.85));
  glow.addColorStop(0.6, css(color, 0.22));
  glow.addColorStop(1, css(color, 0));
  context.fillStyle = glow;
  context.fillRect(0, 0, spritePixels, spritePixels);
}

function drawPetal(context: SKRSContext2D, color: Color): void {
  context.fillStyle = css(color, 0.95);
  context.beginPath();
  context.moveTo(middle, 4);
  context.bezierCurveTo(44, 10, 42, 34, middle, 45);
  context.bezierCurveTo(6, 34, 4, 10, middle, 4);
  context.fill();
}

function drawLeaf(context: SKRSContext2D, color: Color): void {
  context.fillStyle = css(color, 1);
  context.beginPath();
  context.moveTo(middle, 2);
  context.quadraticCurveTo(44, 16, middle, 46);
  context.quadraticCurveTo(4, 16, middle, 2);
  context.fill();
  context.fillStyle = 'rgba(60,25,5,.45)';
  context.fillRect(middle - 1, 4, 2, 42);
}

const swarms: Record<Exclude<ParticleKind, 'rain' | 'fog'>, Swarm> = {
  snow: {
    ...{ count: 230, fall: 0.26, drift: 0.03, swing: 0.02, pixels: [3, 26], alpha: 0.92 },
    ...{ behavior: 'plain', draw: drawDot, colors: 'ffffff' },
  },
  petals: {
    ...{ count: 70, fall: 0.16, drift: 0.09, swing: 0.05, pixels: [9, 52], alpha: 0.95 },
    ...{ behavior: 'tumbling', draw: drawPetal, colors: 'ffc9d8 ffb0c8 ffe4ec f8a0bc' },
  },
  leaves: {
    ...{ count: 60, fall: 0.2, drift: 0.1, swing: 0.06, pixels: [12, 64], alpha: 0.97 },
    ...{ behavior: 'tumbling', draw: drawLeaf, colors: 'd8702a b8461c e8a83a 9a5a22' },
  },
  embers: {
    ...{ count: 130, fall: -0.24, drift: 0.05, swing: 0.04, pixels: [3, 20], alpha: 1 },
    ...{ behavior: 'glowing', draw: drawDot, colors: 'ff8a2a ffb04a ff5a1a' },
  },
  sparkles: {
    ...{ count: 130, fall: -0.03, drift: 0.02, swing: 0.03, pixels: [5, 44], alpha: 0.85 },
    ...{ behavior: 'glowing', draw: drawDot, colors: 'ffecbe fffaeb' },
  },
};

export function createParticles(kind: ParticleKind, overlay: OverlayContext): FrameOverlay {
  if (kind === 'rain') return createRain(overlay);
  if (kind === 'fog') return createFog(overlay);
  const { size, unit, random } = overlay;
  const { width, height } = size;
  const swarm = swarms[kind];
  const sprites = swarm.colors.split(' ').map((hex) => {
    const canvas = createCanvas(spritePixels, spritePixels);
    swarm.draw(canvas.getContext('2d'), colorOf(hex));
    return canvas;
  }) as [Canvas, ...Canvas[]];
  const particles = Array.from({ length: swarm.count }, () => ({
    x: random(),
    y: random(),
    // Most are far away.
    near: random() ** 2.2,
    phase: random() * Math.PI * 2,
    pace: between(random, { from: 0.7, to: 1.3 }),
    sprite: oneOf(random, sprites),
  }));
  const [glows, tumbles] = [swarm.behavior === 'glowing', swarm.behavior === 'tumbling'];
  return {
    draw(context, second) {
      context.save();
      context.globalCompositeOperation = glows ? 'lighter' : 'source-over';
      for (const { x, y, near, phase, pace, sprite } of particles) {
        const side = (swarm.pixels[0] + (swarm.pixels[1] - swarm.pixels[0]) * near) * unit;
        const speed = (0.35 + 0.65 * near) * pace;
        const swing = Math.sin(second * (0.8 + pace) + phase) * swarm.swing * (0.4 + near);
        const atX = wrap(x + second * swarm.drift * speed) * (width + side * 2) - side;
        const atY = wrap(y + second * swarm.fall * speed) * (height + side * 2) - side;
        const blink = glows ? 0.55 + 0.45 * Math.sin(second * 2.4 * pace + phase) : 1;
        context.globalAlpha = swarm.alpha * (1 - near * 0.35) * blink;
        const angle = tumbles ? phase + second * (pace - 1) * 6 : 0;
        // A tumbling shape is seen edge-on and flat in turn.
        const thin = tumbles ? 0.35 + 0.65 * Math.abs(Math.sin(second * pace * 2 + phase)) : 1;
        const [cos, sin] = [Math.cos(angle) * side, Math.sin(angle) * side];
        context.setTransform(cos, sin, -sin * thin, cos * thin, atX + swing * height, atY);
        context.drawImage(sprite, -0.5, -0.5, 1, 1);
      }
      context.restore();
    },
  };
}
