/**
 * Round trees as streets and meadows have them: a trunk and a crown of leaves, lit from one side.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import type { Random } from '../../random.ts';

export type TreeLook = {
  /** The foot of the trunk. */
  readonly x: number;
  readonly y: number;
  readonly height: number;
  /** Leaves in light and in shade. */
  readonly bright: Color;
  readonly deep: Color;
  readonly trunk: Color;
  readonly sunSide: 1 | -1;
};

const leavesCount = 34;

export function paintRoundTree(context: SKRSContext2D, random: Random, tree: TreeLook): void {
  const { x, y, height, sunSide } = tree;
  const wide = height * 0.3;
  context.fillStyle = css(tree.trunk);
  context.beginPath();
  context.moveTo(x - height * 0.025, y);
  context.lineTo(x - height * 0.014, y - height * 0.6);
  context.lineTo(x + height * 0.014, y - height * 0.6);
  context.lineTo(x + height * 0.025, y);
  context.fill();
  // From the dark back of the crown to its lit edge: each bunch of leaves a little nearer the sun.
  for (let leaf = 0; leaf < leavesCount; leaf += 1) {
    const share = leaf / leavesCount;
    const angle = random() * Math.PI * 2;
    const reach = Math.sqrt(random()) * (1 - share * 0.35);
    const middleX = x + Math.cos(angle) * wide * reach + sunSide * wide * 0.28 * share;
    const middleY = y - height * (0.68 + 0.1 * share) + Math.sin(angle) * height * 0.25 * reach;
    const radius = height * (0.12 - share * 0.055) * (0.7 + random() * 0.6);
    context.fillStyle = css(mix(tree.deep, tree.bright, share ** 1.3));
    context.beginPath();
    context.ellipse(middleX, middleY, radius * 1.15, radius, random(), 0, Math.PI * 2);
    context.fill();
  }
}
