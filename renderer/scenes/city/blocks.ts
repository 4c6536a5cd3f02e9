/** One layer of a skyline: buildings side by side, their lights, and haze in front of them. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { css, mix } from '../../color.ts';
import { createLayer, edgesOf, type LayerPlan } from '../../elements/layer.ts';
import { between } from '../../random.ts';
import { addLight, type SceneContext } from '../scene.ts';
import { type Building, type CityLight, paintWalls, planBuilding } from './building.ts';
import { createNeonGlow, paintSign, planSign, type Sign } from './neon.ts';
import { fillAll, paintWindows, planWindows, type WindowLook } from './windows.ts';

export type Blocks = { draw(context: SKRSContext2D, camera: Camera, second: number): void };

type BlocksPlan = {
  readonly depth: number;
  readonly base: number;
  readonly bottom: number;
  readonly look: WindowLook;
  /** Widths of buildings and the largest gap between two, in pixels. */
  readonly widths: { readonly from: number; readonly to: number };
  readonly gap: number;
  /** Height of the buildings at a position, in pixels; 0 for none. */
  heightAt(x: number): number;
  readonly landmark: { readonly x: number; readonly height: number } | null;
  readonly signs: number;
};

/** Scale of the canvas that blurs lit windows into a glow. */
const shineScale = 1 / 8;

export function createBlocks(scene: SceneContext, plan: BlocksPlan): Blocks {
  const { random } = scene;
  const { light } = plan.look;
  const buildings = placeBuildings(scene, plan);
  const top = Math.min(plan.base, ...buildings.map((building) => topOf(building, light)));
  const place = { depth: plan.depth, top, bottom: plan.bottom };
  const signs = signsOf(scene, buildings, plan);
  const glow = createNeonGlow();
  const layer = createLayer(scene, place, (context) => {
    const rooms = buildings.map((building) => {
      const own = planWindows(random, building, plan.look);
      paintWalls(context, building, light);
      paintWindows(context, own, { building, look: plan.look });
      return own;
    });
    paintVeil(context, scene, { place, light, base: plan.base });
    paintShine(context, scene, { place, rooms: rooms.flat(), look: plan.look });
    for (const sign of signs) paintSign(context, random, sign);
  });
  return {
    draw(context, camera, second) {
      layer.draw(context, camera);
      camera.look(context, plan.depth, () => glow(context, signs, second));
    },
  };
}

function topOf({ blocks, roof }: Building, { pitch }: CityLight): number {
  const { y, width } = blocks.at(-1)!;
  return y - (roof === 'dome' ? width * 0.45 : Math.max(pitch * 13, 2));
}

function placeBuildings(scene: SceneContext, plan: BlocksPlan): Building[] {
  const { random } = scene;
  const { left, right } = edgesOf(scene, { ...plan, top: 0 });
  const buildings: Building[] = [];
  const add = (x: number, width: number, height: number, landmark = false): void => {
    const place = { x, base: plan.base, width, height };
    buildings.push(planBuilding(random, place, { landmark }));
  };
  let x = left - random() * plan.widths.to;
  while (x < right) {
    const width = between(random, plan.widths);
    const height = plan.heightAt(x + width / 2) * between(random, { from: 0.62, to: 1.12 });
    if (height > 0) add(x, width, height);
    x += width + (random() < 0.4 ? plan.gap * random() : 0);
  }
  // Painted last, since it stands in front of its neighbors.
  if (plan.landmark) {
    const width = plan.widths.to * 1.15;
    add(plan.landmark.x - width / 2, width, plan.landmark.height, true);
  }
  return buildings;
}

function signsOf(
  { random, unit }: SceneContext,
  buildings: readonly Building[],
  plan: BlocksPlan,
): Sign[] {
  return buildings.flatMap(({ blocks }) => {
    const { x, y, width, height } = blocks[0]!;
    if (random() >= plan.signs || width < 40 * unit) return [];
    const isUpright = random() < 0.6;
    const across = isUpright ? 13 * unit : width * 0.62;
    const down = isUpright ? Math.min(height * 0.5, 96 * unit) : 24 * unit;
    const left = isUpright
      ? x + (random() < 0.5 ? -across * 0.5 : width - across * 0.5)
      : x + width * 0.19;
    const top = y + height * between(random, { from: 0.06, to: 0.3 });
    return [planSign(random, { x: left, y: top, width: across, height: down })];
  });
}

function paintVeil(
  context: SKRSContext2D,
  scene: SceneContext,
  { place, light, base }: { place: LayerPlan; light: CityLight; base: number },
): void {
  const { left, right } = edgesOf(scene, place);
  const from = base - (base - place.top) * 0.7;
  const veil = context.createLinearGradient(0, from, 0, base);
  const color = mix(light.haze, light.sun, 0.12);
  veil.addColorStop(0, css(color, 0));
  veil.addColorStop(1, css(color, 0.22 + light.hazy * 0.6));
  context.globalCompositeOperation = 'source-atop';
  context.fillStyle = veil;
  context.fillRect(left, from, right - left, place.bottom - from);
  context.globalCompositeOperation = 'source-over';
}

/** Draws the lit windows very small and enlarges them, which blurs them into a glow. */
function paintShine(
  context: SKRSContext2D,
  scene: SceneContext,
  {
    place,
    rooms,
    look,
  }: { place: LayerPlan; rooms: ReturnType<typeof planWindows>; look: WindowLook },
): void {
  const { left, right, top, bottom } = edgesOf(scene, place);
  const scale = shineScale / scene.unit;
  const small = createCanvas(
    Math.ceil((right - left) * scale),
    Math.max(1, Math.ceil((bottom - top) * scale)),
  );
  const shine = small.getContext('2d');
  shine.scale(scale, scale);
  shine.translate(-left, -top);
  for (const [index, lamp] of look.lamps.entries()) {
    shine.fillStyle = css(lamp);
    fillAll(shine, rooms, (room) => room.lamp === index);
  }
  addLight(context, () => {
    context.globalAlpha = 0.35 * (1 - look.light.hazy * 0.6);
    context.imageSmoothingQuality = 'high';
    context.drawImage(small, left, top, small.width / scale, small.height / scale);
  });
}
