/**
 * A forest: rows of trunks around a bright clearing, mist, shafts of light and ferns, with falling
 * leaves in autumn.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createDrifters } from '../../elements/drifters.ts';
import { createLayer } from '../../elements/layer.ts';
import { createShafts } from '../../elements/shafts.ts';
import { between } from '../../random.ts';
import type { Scene, SceneContext } from '../scene.ts';
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
  const shafts = createShafts(scene, {
    x: forest.clearing,
    slant: random() < 0.5 ? -0.34 : 0.34,
    color: mix(palette.light, palette.horizon, 0.3),
    alpha: palette.night ? 0.16 : 0.4,
    count: 4,
  });
  const overlays = overlaysOf(scene, forest);

  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      back.draw(context, camera);
      shafts(context, camera);
      middle.draw(context, camera);
      near.draw(context, camera);
      for (const draw of overlays) draw(context, second);
    },
  };
}

function overlaysOf(scene: SceneContext, forest: ForestLook) {
  const overlays: ((context: SKRSContext2D, second: number) => void)[] = [];
  if (forest.isAutumn) {
    const colors = leafColors(scene, forest, 0.6);
    overlays.push(
      createDrifters(scene, {
        ...{ count: 46, colors: [...colors, [240, 178, 60]], length: 20, round: 0.42 },
        ...{ fall: 0.07, wind: 0.03 },
      }),
    );
  }
  const air = createAir(scene, { horizon: 0.7 });
  overlays.push((context, second) => air.drawSpecks(context, second));
  return overlays;
}
