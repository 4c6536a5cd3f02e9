/** One layer of a skyline: buildings side by side, neon signs, and haze in front of them. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { colorsOf, css, mix, white } from '../../color.ts';
import { createLayer, edgesOf, type LayerPlan } from '../../elements/layer.ts';
import { between, oneOf, type Random } from '../../random.ts';
import type { Rect } from '../../size.ts';
import { addLight, type DrawSeen, glowOf, type SceneContext } from '../scene.ts';
import {
  type Building,
  type CityLight,
  fillAll,
  paintWalls,
  paintWindows,
  planBuilding,
  planWindows,
  type WindowLook,
} from './building.ts';

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

export function createBlocks(scene: SceneContext, plan: BlocksPlan): DrawSeen {
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
  return (context, camera) => {
    layer.draw(context, camera);
    camera.look(context, plan.depth, () => glow(context, signs, camera.second));
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

type Sign = Rect & {
  readonly color: number;
  readonly phase: number;
};

const neonColors = colorsOf('ff368c 34e2ff ffc43c 8c60ff 4affaa ff5440');

const planSign = (random: Random, box: Rect): Sign => ({
  ...box,
  color: Math.floor(random() * neonColors.length),
  phase: random() * 10,
});

/** Paints the board, its frame and the letters; the glow is drawn in every frame. */
function paintSign(context: SKRSContext2D, random: Random, sign: Sign): void {
  const { x, y, width, height } = sign;
  const color = neonColors[sign.color]!;
  const isTall = height > width;
  const thin = Math.max(0.8, Math.min(width, height) * 0.07);
  context.fillStyle = css(mix([8, 6, 18], color, 0.2), 0.94);
  context.fillRect(x, y, width, height);
  context.strokeStyle = css(mix(color, white, 0.25));
  context.lineWidth = thin;
  context.strokeRect(x + thin, y + thin, width - thin * 2, height - thin * 2);
  const side = Math.min(width, height) * 0.62;
  const letters = Math.max(1, Math.floor((isTall ? height : width) / (side * 1.45)));
  const other = random() < 0.4 ? oneOf(random, neonColors) : color;
  context.strokeStyle = css(mix(other, white, 0.6));
  context.lineWidth = Math.max(0.8, side * 0.12);
  context.lineCap = 'round';
  context.beginPath();
  for (let letter = 0; letter < letters; letter += 1) {
    const along = (letter + 0.5) / letters;
    const middleX = isTall ? x + width / 2 : x + width * along;
    const middleY = isTall ? y + height * along : y + height / 2;
    // Strokes that resemble letters of no script.
    for (const [dx, dy] of [0, 1, 2].map(() => [random() - 0.5, random() - 0.5])) {
      const isLevel = random() < 0.5;
      context.moveTo(
        middleX - side * (isLevel ? 0.42 : -dx!),
        middleY + side * (isLevel ? dy! : -0.44),
      );
      context.lineTo(
        middleX + side * (isLevel ? 0.42 : dx!),
        middleY + side * (isLevel ? dy! : 0.44),
      );
    }
  }
  context.stroke();
}

/** Draws the light around signs, added to the walls near them. */
function createNeonGlow() {
  const glows = neonColors.map((color) => glowOf(color, 64));
  return (context: SKRSContext2D, signs: readonly Sign[], second: number): void => {
    addLight(context, () => {
      for (const sign of signs) {
        const across = sign.width + Math.min(sign.width, sign.height) * 2.6;
        const down = sign.height + Math.min(sign.width, sign.height) * 2.2;
        context.globalAlpha = 0.55 * (0.88 + 0.12 * Math.sin(second * 3 + sign.phase));
        const x = sign.x + sign.width / 2 - across / 2;
        const y = sign.y + sign.height / 2 - down / 2;
        context.drawImage(glows[sign.color]!, x, y, across, down);
      }
    });
  };
}
