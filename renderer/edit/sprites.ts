/** Small pictures of what falls or rises: each drawn once, and then laid on at any size. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../color.ts';
import type { Random } from '../random.ts';

const spritePixels = 48;

type Draw = (context: SKRSContext2D) => void;

function sprite(draw: Draw): Canvas {
  const canvas = createCanvas(spritePixels, spritePixels);
  draw(canvas.getContext('2d'));
  return canvas;
}

const middle = spritePixels / 2;

export const soft = (color: Color): Canvas =>
  sprite((context) => {
    const glow = context.createRadialGradient(middle, middle, 0, middle, middle, middle);
    glow.addColorStop(0, css(color, 1));
    glow.addColorStop(0.28, css(color, 0.85));
    glow.addColorStop(0.6, css(color, 0.22));
    glow.addColorStop(1, css(color, 0));
    context.fillStyle = glow;
    context.fillRect(0, 0, spritePixels, spritePixels);
  });

export const petal = (color: Color): Canvas =>
  sprite((context) => {
    context.fillStyle = css(color, 0.95);
    context.beginPath();
    context.moveTo(middle, 4);
    context.bezierCurveTo(44, 10, 42, 34, middle, 45);
    context.bezierCurveTo(6, 34, 4, 10, middle, 4);
    context.fill();
    context.fillStyle = 'rgba(255,255,255,.35)';
    context.beginPath();
    context.ellipse(20, 18, 5, 10, 0.4, 0, Math.PI * 2);
    context.fill();
  });

export const leaf = (color: Color): Canvas =>
  sprite((context) => {
    context.fillStyle = css(color, 1);
    context.beginPath();
    context.moveTo(middle, 2);
    context.quadraticCurveTo(44, 16, middle, 46);
    context.quadraticCurveTo(4, 16, middle, 2);
    context.fill();
    context.strokeStyle = 'rgba(60,25,5,.45)';
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(middle, 4);
    context.lineTo(middle, 46);
    context.stroke();
  });

export const slip = (color: Color): Canvas =>
  sprite((context) => {
    context.fillStyle = css(color, 1);
    context.fillRect(10, 2, 26, 44);
  });

export const ring = (color: Color): Canvas =>
  sprite((context) => {
    const glass = context.createRadialGradient(middle, middle, 10, middle, middle, 22);
    glass.addColorStop(0, css(color, 0.04));
    glass.addColorStop(0.8, css(color, 0.2));
    glass.addColorStop(0.95, css(color, 0.75));
    glass.addColorStop(1, css(color, 0));
    context.fillStyle = glass;
    context.fillRect(0, 0, spritePixels, spritePixels);
    context.fillStyle = 'rgba(255,255,255,.8)';
    context.beginPath();
    context.arc(17, 16, 3.2, 0, Math.PI * 2);
    context.fill();
  });

export function star(random: Random): Canvas {
  const turn = random() * 0.4;
  return sprite((context) => {
    context.translate(middle, middle);
    context.rotate(turn);
    for (const wide of [0, Math.PI / 2]) {
      const ray = context.createLinearGradient(-middle, 0, middle, 0);
      ray.addColorStop(0, 'rgba(255,244,214,0)');
      ray.addColorStop(0.5, 'rgba(255,250,235,1)');
      ray.addColorStop(1, 'rgba(255,244,214,0)');
      context.fillStyle = ray;
      context.rotate(wide);
      context.fillRect(-middle, -1.1, spritePixels, 2.2);
    }
  });
}
