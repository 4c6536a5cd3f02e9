/** Land that rises from the water towards one edge of the frame. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix } from '../../color.ts';
import { addLand } from '../../elements/land.ts';
import { createSprite } from '../../elements/layer.ts';
import { smooth } from '../../motion.ts';
import { between } from '../../random.ts';
import type { SceneContext } from '../scene.ts';

type HeadlandPlan = {
  /** -1 is the left edge of the frame, 1 the right edge. */
  readonly side: -1 | 1;
  readonly depth: number;
  /** Length as a share of the frame width, and height as a share of the frame height. */
  readonly reach: number;
  readonly rise: number;
  readonly base: number;
  readonly cliff: boolean;
};

function createHeadland(scene: SceneContext, plan: HeadlandPlan) {
  const { size, noise, random, unit, camera } = scene;
  const { width, height } = size;
  const row = random() * 50;
  const margin = camera.margin(plan.depth).x + 4;
  const base = height * plan.base;
  const edge = plan.side === 1 ? width + margin : -margin;
  const long = width * plan.reach + margin;
  const rise = Math.min(height * plan.rise, width * plan.rise * 1.4);
  const steep = plan.cliff ? 0.24 : 0.8;
  const heightAt = (share: number): number => {
    if (share >= 1) return 0;
    const slope = (1 - Math.max(0, share)) ** steep;
    const rough = noise.rough(share * 4.6 + row, row, 5) * (plan.cliff ? 0.22 : 0.5);
    const end = smooth(share, { from: 1, to: plan.cliff ? 0.96 : 0.84 });
    return Math.max(0, (slope + rough * (1 - share * 0.6)) * end) * rise;
  };
  const groundAt = (x: number): number => base - heightAt(Math.abs(x - edge) / long);
  const [left, right] = plan.side === 1 ? [edge - long, edge] : [edge, edge + long];
  const box = { left, right, top: base - rise * 1.6, bottom: base + 10 * unit };
  const sprite = createSprite(box, (context) =>
    paintLand(context, scene, { ...plan, left, right, base, rise, groundAt }),
  );
  return { depth: plan.depth, sprite, groundAt };
}

type HeadlandShape = {
  readonly side: -1 | 1;
  readonly depth: number;
  readonly left: number;
  readonly right: number;
  readonly base: number;
  readonly rise: number;
  groundAt(x: number): number;
};

function paintLand(context: SKRSContext2D, scene: SceneContext, land: HeadlandShape): void {
  const { palette, unit, noise } = scene;
  const { left, right, base, rise, groundAt } = land;
  const near = Math.min(1, land.depth * 2.4);
  const isDay = palette.time === 'day';
  const ground: Color = isDay ? mix(palette.shade, [78, 104, 66], 0.45) : palette.shade;
  const body = mix(mix(palette.low, palette.middle, 0.55), ground, 0.4 + near * 0.42);
  const lit = mix(body, mix(palette.horizon, palette.light, 0.25), isDay ? 0.3 : 0.26);
  const foot = mix(body, mix(palette.low, palette.horizon, 0.3), 0.36 - near * 0.16);
  context.save();
  context.beginPath();
  addLand(context, { left, right, bottom: base }, groundAt);
  context.clip();
  const slopes = context.createLinearGradient(0, base - rise * 1.1, 0, base);
  slopes.addColorStop(0, css(lit));
  slopes.addColorStop(0.45, css(body));
  slopes.addColorStop(1, css(foot));
  context.fillStyle = slopes;
  context.fillRect(left, base - rise * 2, right - left, rise * 2);
  // Folds that fall towards the water, lit from the middle of the frame.
  context.lineWidth = rise * 0.05;
  for (let x = left; x < right; x += rise * 0.16) {
    const fold = noise.at((x / rise) * 2.3, land.depth * 90);
    const [top, slant] = [groundAt(x), -land.side * rise * (0.25 + fold * 0.2)];
    context.strokeStyle = css(fold > 0 ? lit : palette.shade, Math.abs(fold) * 0.5);
    context.beginPath();
    context.moveTo(x, top);
    context.quadraticCurveTo(x + slant * 0.2, (top + base) / 2, x + slant, base);
    context.stroke();
  }
  context.restore();
  const mirror = context.createLinearGradient(0, base, 0, base + 9 * unit);
  mirror.addColorStop(0, css(mix(body, palette.shade, 0.3), 0.5));
  mirror.addColorStop(1, css(body, 0));
  context.fillStyle = mirror;
  const inner = land.side === 1 ? left + (right - left) * 0.03 : left;
  context.fillRect(inner, base, (right - left) * 0.97, 9 * unit);
}

export function createCoast(
  scene: SceneContext,
  { horizon, cliffs }: { readonly horizon: number; readonly cliffs: boolean },
) {
  const { random } = scene;
  const far = createHeadland(scene, {
    side: -1,
    depth: 0.1,
    base: horizon + 0.002,
    cliff: false,
    reach: between(random, { from: 0.24, to: 0.36 }),
    rise: between(random, { from: 0.07, to: 0.1 }),
  });
  const near = createHeadland(scene, {
    side: 1,
    depth: 0.18,
    base: horizon + 0.014,
    cliff: cliffs,
    reach: between(random, cliffs ? { from: 0.3, to: 0.36 } : { from: 0.24, to: 0.34 }),
    rise: cliffs ? 0.16 : between(random, { from: 0.1, to: 0.15 }),
  });
  return {
    near,
    draw(context: SKRSContext2D, camera: Camera): void {
      for (const { sprite, depth } of [far, near]) sprite.look(context, camera, depth);
    },
  };
}
