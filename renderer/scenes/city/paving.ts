/**
 * The ground of a street: asphalt with its marks, and when it is wet all lights upside down in it.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { css, mix, white } from '../../color.ts';
import { createLayer } from '../../elements/layer.ts';
import type { Edges } from '../../elements/visible-tiles.ts';
import { clamp, wrap } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';
import { burning, neonColors, paintSign, type Sign, smearOf } from './neon.ts';
import { type Box, paintBox, project, type View } from './quarter.ts';
import type { WindowLook } from './windows.ts';

/** Where the street ends for the eye. */
export const farthest = 22;

/** A sign and where it hangs in the street. */
export type Hung = { readonly sign: Sign; readonly away: number; readonly across: number };

/** The same light through more air. */
export function hazedLook(look: WindowLook, away: number): WindowLook {
  const hazy = clamp(look.light.hazy + (away / farthest) ** 0.7 * 0.75);
  return { ...look, light: { ...look.light, hazy } };
}

export type PavingPlan = {
  readonly view: View;
  readonly look: WindowLook;
  readonly boxes: readonly Box[];
  readonly signs: readonly Hung[];
  readonly isWet: boolean;
};

export const pavingDepth = 0.42;
/** Wet ground blurs what it mirrors, more down than across. */
const coarse = { across: 3, down: 8 };
const splashesCount = 46;
/** As the houses' own, but only what is left of it in a blur. */
const facade = { floors: 1.7, columns: 2.2, hasShops: true, isFine: false };

export function createPaving(setting: SceneContext, plan: PavingPlan) {
  const { size, unit } = setting;
  const { view, look } = plan;
  const smears = neonColors.map(smearOf);
  const place = { depth: pavingDepth, top: view.y + 1, bottom: size.height, opaque: true };
  const layer = createLayer(setting, place, (context, edges) => {
    paintGround(context, edges, plan);
    if (plan.isWet) paintMirrored(context, setting, { edges, plan });
    paintMarks(context, plan);
    drawSmears(
      context,
      plan.signs.filter(({ sign }) => !sign.isBroken),
      0,
    );
  });
  const broken = plan.signs.filter(({ sign }) => sign.isBroken);

  /** Where the light of a sign lies on the ground: as deep below it as the sign is high. */
  function drawSmears(context: SKRSContext2D, signs: readonly Hung[], second: number): void {
    context.globalCompositeOperation = 'lighter';
    for (const { sign, away } of signs) {
      const ground = view.y + (view.focal * view.eye) / away;
      const top = ground + (ground - sign.y - sign.height) * 0.5;
      const tall = Math.min(size.height * 1.2 - top, sign.height * 2.2);
      if (tall <= 0 || top > size.height) continue;
      context.globalAlpha = (plan.isWet ? 0.42 : 0.16) * burning(sign, second);
      const across = sign.width * 3;
      const x = sign.x + sign.width / 2 - across / 2;
      context.drawImage(smears[sign.color]!, x, top, across, tall);
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }

  /** Rings of drops, each growing and gone in a third of a second. */
  function drawSplashes(context: SKRSContext2D, second: number): void {
    context.strokeStyle = css(mix(look.light.sun, white, 0.5), 0.3);
    context.lineWidth = Math.max(0.7, unit);
    context.beginPath();
    for (let drop = 0; drop < splashesCount; drop += 1) {
      const beat = second * 2.6 + drop * 0.37;
      const turn = Math.floor(beat) * 0.618 + drop * 0.754;
      const nearness = wrap(turn * 3.7) ** 1.4;
      const x = wrap(turn) * size.width;
      const y = view.y + (size.height - view.y) * (0.08 + 0.92 * nearness);
      const radius = (1 + wrap(beat) * 11 * (0.2 + nearness)) * unit;
      context.moveTo(x + radius, y);
      context.ellipse(x, y, radius, radius * 0.3, 0, 0, Math.PI * 2);
    }
    context.stroke();
  }

  return {
    draw(context: SKRSContext2D, camera: Camera, second: number): void {
      layer.draw(context, camera);
      camera.look(context, pavingDepth, () => drawSmears(context, broken, second));
      if (plan.isWet) drawSplashes(context, second);
    },
  };
}

function paintGround(context: SKRSContext2D, edges: Edges, { view, look }: PavingPlan): void {
  const { light } = look;
  const { left, right, top, bottom } = edges;
  const near =
    light.dark > 0.5 ? mix(light.shade, light.haze, 0.24) : mix([104, 102, 102], light.shade, 0.3);
  const ground = context.createLinearGradient(0, top, 0, bottom);
  ground.addColorStop(0, css(mix(light.haze, light.sun, 0.35)));
  ground.addColorStop(0.16, css(mix(near, light.haze, 0.45)));
  ground.addColorStop(1, css(near));
  context.fillStyle = ground;
  context.fillRect(left, top, right - left, bottom - top);
  // Pavements on both sides, a little lighter, behind a kerb.
  context.fillStyle = css(mix(light.sun, white, 0.2), 0.09);
  for (const side of [-1, 1]) {
    context.beginPath();
    for (const [across, away] of [
      [1, 30],
      [1, 0.2],
      [6, 0.2],
      [6, 30],
    ] as const) {
      const { x, y } = project(view, { across: across * side, up: 0, away });
      context.lineTo(x, y);
    }
    context.fill();
  }
}

/** Houses and signs as they are seen in the ground, painted small and drawn long. */
function paintMirrored(
  context: SKRSContext2D,
  setting: SceneContext,
  { edges, plan }: { readonly edges: Edges; readonly plan: PavingPlan },
): void {
  const { random } = setting;
  const { left, top, right, bottom } = edges;
  const view: View = { ...plan.view, eye: -plan.view.eye };
  const small = createCanvas(
    Math.ceil((right - left) / coarse.across),
    Math.ceil((bottom - top) / coarse.down),
  );
  const mirrored = small.getContext('2d');
  mirrored.scale(1 / coarse.across, 1 / coarse.down);
  mirrored.translate(-left, -top);
  mirrored.save();
  mirrored.translate(0, plan.view.y * 2);
  mirrored.scale(1, -1);
  for (const box of plan.boxes) {
    if (box.far < 0.9) continue;
    paintBox(mirrored, random, { box, view, look: hazedLook(plan.look, box.near), facade });
  }
  mirrored.restore();
  for (const { sign, away } of plan.signs) {
    const ground = plan.view.y + (plan.view.focal * plan.view.eye) / away;
    const y = ground * 2 - sign.y - sign.height;
    paintSign(mirrored, random, { ...sign, y });
  }
  // Three times, one above the other: edges that run slantwise would show as steps.
  context.globalAlpha = 0.24;
  context.imageSmoothingQuality = 'high';
  for (const lower of [-6, 0, 6]) {
    const [wide, tall] = [small.width * coarse.across, small.height * coarse.down];
    context.drawImage(small, left, top + lower * setting.unit, wide, tall);
  }
  context.globalAlpha = 1;
}

/** A broken line in the middle and a crossing. */
function paintMarks(context: SKRSContext2D, { view, look, isWet }: PavingPlan): void {
  const { light } = look;
  context.fillStyle = css(
    mix([236, 232, 220], light.haze, 0.3),
    isWet ? 0.3 : 0.55 - light.dark * 0.2,
  );
  context.beginPath();
  const add = (across: number, away: number, shape: { half: number; long: number }): void => {
    const { half, long } = shape;
    for (const [index, [x, z]] of (
      [
        [across - half, away],
        [across + half, away],
        [across + half, away + long],
        [across - half, away + long],
      ] as const
    ).entries()) {
      const point = project(view, { across: x, up: 0, away: z });
      if (index === 0) context.moveTo(point.x, point.y);
      else context.lineTo(point.x, point.y);
    }
  };
  for (let away = 1.7; away < 14; away += 0.75) add(0, away, { half: 0.022, long: 0.4 });
  for (let across = -0.9; across <= 0.9; across += 0.2)
    add(across, 1.05, { half: 0.055, long: 0.32 });
  context.fill();
}
