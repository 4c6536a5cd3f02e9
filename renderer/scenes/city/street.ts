/**
 * A street between high houses that runs into the distance: signs and lit windows on both sides,
 * traffic, people, and wet paving that throws the lights back when it rains.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createLayer, type Layer } from '../../elements/layer.ts';
import { createSky } from '../../elements/sky.ts';
import { footOf } from '../../elements/visible-tiles.ts';
import { between } from '../../random.ts';
import { glowOf, type Scene, type SceneContext } from '../scene.ts';
import { createCars } from './cars.ts';
import { isNeon, lookOf } from './daylight.ts';
import { paintRoundTree } from './greenery.ts';
import { createNeonGlow, paintSign, planSign } from './neon.ts';
import { createPassers } from './passers.ts';
import { createPaving, farthest, type Hung, hazedLook, pavingDepth } from './paving.ts';
import { type Box, paintBox, planQuarter, project, type View } from './quarter.ts';
import type { WindowLook } from './windows.ts';

const horizon = 0.56;
/** Where one group of houses ends and the next begins, and how deep each stands. */
const groups = [
  { near: 0.5, far: 1.7, depth: 0.75 },
  { near: 1.7, far: 4.2, depth: 0.42 },
  { near: 4.2, far: 22, depth: 0.2 },
] as const;
const facade = { floors: 3.4, columns: 4.4, hasShops: true, isFine: true };

export function createStreet(setting: SceneContext): Scene {
  const { size, random, brief, unit } = setting;
  const isWet = brief.weather === 'rain' || brief.weather === 'storm';
  const quiet = brief.mentions(/\b(quiet|empty|calm|alley|lonely|deserted|abandoned)/);
  const sunSide = random() < 0.5 ? 1 : -1;
  const sun = { x: 0.5 + sunSide * 0.04, y: horizon - between(random, { from: 0.2, to: 0.3 }) };
  const view: View = {
    x: size.width * (0.5 + between(random, { from: -0.05, to: 0.05 })),
    y: size.height * horizon,
    focal: Math.min(size.height * 0.5, size.width * 0.42),
    eye: 0.42,
  };
  const look = lookOf(setting, { hazy: 0.05, pitch: 9 * unit, sunSide });
  const isNight = look.light.dark > 0.4;
  const skyFoot = footOf(setting, { depth: 0, near: pavingDepth, top: view.y + 1 });
  const sky = createSky(setting, { horizon, sun, reach: skyFoot / size.height });
  const air = createAir(setting, { horizon });
  const boxes = planQuarter(random, {
    ...{ near: groups[0].near, far: farthest, lamps: look.lamps.length },
    rowsAt: () => 1,
    upAt: (chance, { away }) => 1.6 + chance() ** 1.4 * 4.2 + away * 0.12,
  });
  const signs = isNight ? planSigns(setting, boxes, view) : [];
  const houses: Houses[] = [];
  for (const group of groups) {
    const behind = houses.map(({ layer }) => layer);
    const plan = { ...group, view, look, boxes, signs, behind, isNeon: isNeon(setting) };
    houses.unshift(createHouses(setting, plan));
  }
  const paving = createPaving(setting, { view, look, boxes, signs, isWet });
  const cars = createCars(setting, { view, light: look.light, count: quiet ? 4 : 10 });
  const passers = createPassers(setting, { view, look, isWet });

  return {
    draw(context, second) {
      const camera = setting.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      houses[0]!.draw(context, camera, second);
      paving.draw(context, camera, second);
      for (const group of houses.slice(1)) group.draw(context, camera, second);
      camera.look(context, groups[1].depth, () => cars.draw(context, second));
      passers.draw(context, camera, second);
      air.drawSpecks(context, second);
    },
  };
}

/** Upright boards that stand out from the houses into the street. */
function planSigns(setting: SceneContext, boxes: readonly Box[], view: View): Hung[] {
  const { random } = setting;
  const many = isNeon(setting) ? 0.92 : 0.4;
  return boxes.flatMap((box) => {
    const isHouse = box.down === 0 && box.near < 9;
    const count = isHouse && random() < many ? 1 + Math.floor(random() * 3.4) : 0;
    return Array.from({ length: count }, () => {
      const away = between(random, { from: box.near, to: box.far });
      const side = Math.sign(box.inner);
      const wide = between(random, { from: 0.16, to: 0.32 });
      const up = between(random, { from: 0.75, to: Math.max(1, Math.min(2.4, box.up - 0.9)) });
      const tall = between(random, { from: 0.4, to: 1.25 });
      const across = box.inner - (side * wide) / 2;
      const low = project(view, { across: across - wide / 2, up, away });
      const high = project(view, { across: across + wide / 2, up: up + tall, away });
      const shape = { x: low.x, y: high.y, width: high.x - low.x, height: low.y - high.y };
      const sign = planSign(random, shape);
      // A large one that trembles would cost more than it shows.
      return { sign: { ...sign, isBroken: sign.isBroken && away > 1.6 }, away, across };
    });
  });
}

type HousesPlan = {
  readonly near: number;
  readonly far: number;
  readonly depth: number;
  readonly view: View;
  readonly look: WindowLook;
  readonly boxes: readonly Box[];
  readonly signs: readonly Hung[];
  readonly isNeon: boolean;
  readonly behind: readonly Layer[];
};

type Houses = {
  readonly layer: Layer;
  draw(context: SKRSContext2D, camera: Camera, second: number): void;
};

/** The houses of one distance, with what hangs on them. */
function createHouses(setting: SceneContext, plan: HousesPlan): Houses {
  const { size, random, palette, unit } = setting;
  const { view, look, depth } = plan;
  const isHere = (away: number): boolean => away >= plan.near && away < plan.far;
  const boxes = plan.boxes.filter((box) => isHere(box.near));
  const signs = plan.signs.filter(({ away }) => isHere(away));
  const bottom = view.y + (view.focal * view.eye) / plan.near + 2;
  const place = { depth, top: 0, bottom: Math.min(size.height, bottom), behind: plan.behind };
  const glow = createNeonGlow({ strength: 0.7 });
  const layer = createLayer(setting, place, (context) => {
    for (const box of boxes) {
      paintBox(context, random, { box, view, look: hazedLook(look, box.near), facade });
      for (const { sign, away } of signs) {
        if (away < box.near || away >= box.far) continue;
        paintSign(context, random, sign);
        if (!sign.isBroken) glow(context, [sign], 0);
      }
    }
    if (look.light.dark < 1 && !plan.isNeon) plantTrees(context, setting, plan);
    if (plan.far < farthest || look.light.dark < 0.4) return;
    // Where the street ends all its lights become one.
    const radius = 150 * unit;
    context.globalCompositeOperation = 'lighter';
    context.globalAlpha = 0.5;
    const end = glowOf(mix(palette.horizon, palette.light, 0.3), 256);
    context.drawImage(end, view.x - radius, view.y - radius * 0.8, radius * 2, radius * 1.6);
  });
  const broken = signs.map(({ sign }) => sign).filter(({ isBroken }) => isBroken);
  return {
    layer,
    draw(context, camera, second) {
      layer.draw(context, camera);
      camera.look(context, depth, () => glow(context, broken, second));
    },
  };
}

/** A row of trees along either pavement, the farther ones first. */
function plantTrees(context: SKRSContext2D, { random }: SceneContext, plan: HousesPlan): void {
  const { view } = plan;
  for (let away = Math.min(10, plan.far * 0.96); away > Math.max(1.3, plan.near); away *= 0.74) {
    const { light } = hazedLook(plan.look, away);
    const seen = (color: Color): Color =>
      mix(mix(color, light.shade, light.dark * 0.75), light.haze, light.hazy * 0.8);
    for (const side of [-1, 1]) {
      const { x, y } = project(view, { across: side * 1.12, up: 0, away });
      paintRoundTree(context, random, {
        ...{ x, y, height: (view.focal * between(random, { from: 1, to: 1.3 })) / away },
        bright: seen(mix([142, 178, 74], light.sun, 0.25)),
        deep: seen([44, 84, 48]),
        trunk: seen([74, 58, 46]),
        sunSide: light.sunSide,
      });
    }
  }
}
