/**
 * A forest: rows of trunks around a bright clearing, mist, shafts of light and ferns, with falling
 * leaves in autumn.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createDrifters } from '../../elements/drifters.ts';
import { createLayer } from '../../elements/layer.ts';
import { between } from '../../random.ts';
import { addLight, type DrawAt, type Scene, type SceneContext } from '../scene.ts';
import { paintBackground } from './background.ts';
import {
  createTreeRow,
  type ForestLook,
  leafColors,
  paintTreeRow,
  placeOf,
  treeRows,
} from './tree-row.ts';

export function createForest(scene: SceneContext): Scene {
  const { size, brief, palette, random } = scene;
  const forest: ForestLook = {
    isAutumn: brief.shows('autumn'),
    clearing: size.width * between(random, { from: 0.42, to: 0.6 }),
    mist: palette.night
      ? mix(palette.low, palette.middle, 0.3)
      : mix(palette.horizon, palette.low, 0.42),
  };
  const near = createTreeRow(scene, { forest, row: treeRows[2] });
  const middle = createTreeRow(scene, { forest, row: treeRows[1] });
  const back = createLayer(scene, placeOf(scene, treeRows[0]), (context, edges) => {
    paintBackground(context, scene, { forest, edges });
    paintTreeRow(context, scene, { forest, row: treeRows[0], edges });
  });
  const shafts = createShafts(scene, forest.clearing);
  const overlays = overlaysOf(scene, forest);

  return (context, second) => {
    const camera = scene.camera.at(second);
    back.draw(context, camera);
    shafts(context, camera);
    middle.draw(context, camera);
    near.draw(context, camera);
    for (const draw of overlays) draw(context, second);
  };
}

function overlaysOf(scene: SceneContext, forest: ForestLook): readonly DrawAt[] {
  if (!forest.isAutumn) return createAir(scene, 0.7);
  const colors = leafColors(scene, forest, 0.6);
  const leaves = createDrifters(scene, {
    count: 46,
    colors: [...colors, [240, 178, 60]],
    length: 20,
    round: 0.42,
    fall: 0.07,
    wind: 0.03,
  });
  return [leaves, ...createAir(scene, 0.7)];
}

const depth = 0.3;
const shaftsCount = 4;
/** Each shaft is drawn as nested shafts, which softens its sides. */
const shells = 4;
/** Pixels per drawn pixel. Drawing small and enlarging is the cheapest way to draw soft light. */
const coarseness = 8;

function createShafts(scene: SceneContext, clearing: number) {
  const { size, random, unit, palette } = scene;
  const tall = size.height * 0.86;
  const slant = (random() < 0.5 ? -0.34 : 0.34) * tall;
  const color = mix(palette.light, palette.horizon, 0.3);
  const beams = Array.from({ length: shaftsCount }, (_, index) => {
    const place = (index / shaftsCount - 0.5) * between(random, { from: 0.7, to: 1.2 });
    return {
      x: clearing + place * size.width * 0.7,
      wide: Math.min(size.width, size.height * 1.3) * between(random, { from: 0.05, to: 0.12 }),
      phase: random() * Math.PI * 2,
      pace: between(random, { from: 0.35, to: 0.8 }),
    };
  });
  const left = Math.min(...beams.map(({ x, wide }) => x - wide + Math.min(0, slant)));
  const right = Math.max(...beams.map(({ x, wide }) => x + wide + Math.max(0, slant)));
  const scale = 1 / (coarseness * unit);
  const small = createCanvas(Math.ceil((right - left) * scale), Math.ceil(tall * scale));
  const context = small.getContext('2d');
  const light = context.createLinearGradient(0, 0, 0, tall);
  light.addColorStop(0, css(color, 0.6));
  light.addColorStop(0.12, css(color, 1));
  light.addColorStop(0.55, css(color, 0.5));
  light.addColorStop(1, css(color, 0));

  function paint(second: number): void {
    context.resetTransform();
    context.clearRect(0, 0, small.width, small.height);
    context.scale(scale, scale);
    context.translate(-left, 0);
    context.fillStyle = light;
    for (const { x, wide, phase, pace } of beams) {
      const strength =
        (palette.night ? 0.16 : 0.4) * (0.55 + 0.45 * Math.sin(second * pace + phase));
      context.globalAlpha = strength / shells;
      for (let shell = 1; shell <= shells; shell += 1) {
        const half = (wide / 2) * (shell / shells);
        context.beginPath();
        context.moveTo(x - half * 0.7, 0);
        context.lineTo(x + half * 0.7, 0);
        context.lineTo(x + slant + half * 1.3, tall);
        context.lineTo(x + slant - half * 1.3, tall);
        context.fill();
      }
    }
  }

  return (target: SKRSContext2D, camera: Camera): void => {
    paint(camera.second);
    camera.look(target, depth, () => {
      addLight(target, () => {
        const top = -size.height * 0.04;
        target.drawImage(small, left, top, small.width / scale, small.height / scale);
      });
    });
  };
}
