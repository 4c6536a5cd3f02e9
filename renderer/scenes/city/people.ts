/** People as silhouettes, walking: few lines each, so that many can be drawn with every frame. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../../color.ts';

export type Person = {
  /** Between the feet. */
  readonly x: number;
  readonly y: number;
  /** From the ground to the crown, in pixels. */
  readonly height: number;
  /** Where in the step the legs are, in turns. */
  readonly step: number;
  readonly hasUmbrella: boolean;
};

/** All of them in one color, as one path. */
export function drawPeople(context: SKRSContext2D, people: readonly Person[], color: Color): void {
  context.fillStyle = css(color);
  context.beginPath();
  for (const person of people) {
    addLimbs(context, person);
    addBody(context, person);
  }
  context.fill();
}

function addBody(context: SKRSContext2D, { x, y, height, step, hasUmbrella }: Person): void {
  const bob = Math.abs(Math.sin(step * Math.PI * 2)) * height * 0.012;
  const at = (share: number): number => y - share * height - bob;
  const wide = height * 0.115;
  context.moveTo(x + height * 0.058, at(0.93));
  context.ellipse(x, at(0.93), height * 0.058, height * 0.07, 0, 0, Math.PI * 2);
  // A coat: narrow shoulders, wider at the hem.
  context.moveTo(x - wide * 0.35, at(0.87));
  context.quadraticCurveTo(x - wide * 1.05, at(0.84), x - wide, at(0.7));
  context.lineTo(x - wide * 1.12, at(0.36));
  context.lineTo(x + wide * 1.12, at(0.36));
  context.lineTo(x + wide, at(0.7));
  context.quadraticCurveTo(x + wide * 1.05, at(0.84), x + wide * 0.35, at(0.87));
  if (!hasUmbrella) return;
  const half = height * 0.34;
  context.moveTo(x - half, at(1.02));
  context.quadraticCurveTo(x - half * 0.75, at(1.24), x, at(1.27));
  context.quadraticCurveTo(x + half * 0.75, at(1.24), x + half, at(1.02));
  context.quadraticCurveTo(x, at(1.1), x - half, at(1.02));
}

function addLimbs(context: SKRSContext2D, person: Person): void {
  const { x, y, height, step, hasUmbrella } = person;
  const swing = Math.sin(step * Math.PI * 2) * height * 0.1;
  for (const side of [-1, 1]) {
    const foot = x + side * height * 0.03 + side * swing;
    const lift = Math.max(0, Math.cos(step * Math.PI * 2) * side) * height * 0.035;
    const hip = x + side * height * 0.045;
    context.moveTo(hip - height * 0.045, y - height * 0.42);
    context.lineTo(hip + height * 0.045, y - height * 0.42);
    context.lineTo(foot + height * 0.026, y - lift);
    context.lineTo(foot - height * 0.026, y - lift);
  }
  if (hasUmbrella) context.rect(x - height * 0.008, y - height * 1.2, height * 0.016, height * 0.4);
}
