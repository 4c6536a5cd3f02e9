/** Chooses the scene that shows a prompt. Scene folders never import each other. */
import { cameraPath } from '../camera.ts';
import { stillCamera } from '../elements/layer.ts';
import type { Size } from '../size.ts';
import type { SceneKind } from '../vocabulary/meaning.ts';
import { createSkyline } from './city/skyline.ts';
import { createDesert } from './desert/desert.ts';
import { createCampfire } from './fire/campfire.ts';
import { createFlow } from './flow/flow.ts';
import { createFlowers } from './flowers/flowers.ts';
import { createForest } from './forest/forest.ts';
import { createMountains } from './mountains/mountains.ts';
import type { Scene, SceneContext } from './scene.ts';
import { createSea } from './sea/sea.ts';
import { createSnow } from './snow/snow.ts';
import { createSpace } from './space/space.ts';

const scenes: Record<SceneKind, (scene: SceneContext) => Scene> = {
  sea: createSea,
  mountains: createMountains,
  city: createSkyline,
  space: createSpace,
  forest: createForest,
  snow: createSnow,
  desert: createDesert,
  fire: createCampfire,
  flowers: createFlowers,
  flow: createFlow,
};

/** How much of a dolly also enlarges the whole image, by the enlargement of the nearest layer. */
const dollyShare = 0.55;

export function createScene(scene: SceneContext): Scene {
  const { brief, camera } = scene;
  const create = scenes[brief.scene];
  if (brief.camera.kind === 'dolly') {
    // In wide scenes everything is far, and layers alone would hardly show that the camera moves.
    const scaleAt = (second: number): number => 1 + (camera.at(second).scale(1) - 1) * dollyShare;
    return enlarged(create(scene), { ...scene, scaleAt });
  }
  // A flow is computed at the size that the camera sees.
  if (brief.camera.kind !== 'zoom' || brief.scene === 'flow') return create(scene);
  // All layers are enlarged equally, so the whole image is enlarged once instead.
  const still = { ...camera, at: (second: number) => ({ ...stillCamera, second }) };
  const scaleAt = (second: number): number => camera.at(second).scale(0);
  return enlarged(create({ ...scene, camera: still }), { ...scene, scaleAt });
}

function enlarged(
  drawn: Scene,
  { size, scaleAt }: Pick<SceneContext, 'size'> & { scaleAt(second: number): number },
): Scene {
  const { width, height } = size;
  return (context, second) => {
    drawn(context, second);
    const scale = scaleAt(second);
    const [x, y] = [(width * (1 - scale)) / 2, height * 0.54 * (1 - scale)];
    context.drawImage(context.canvas, x, y, width * scale, height * scale);
  };
}

const pixelsMax = 1280 * 720;

export function drawnSize({ width, height }: Size): Size {
  const scale = Math.sqrt(pixelsMax / (width * height));
  // Some 720p sizes have a few more pixels and are not scaled.
  if (scale > 0.95) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** The same setting for frames of another size. */
export const resized = <Setting extends Omit<SceneContext, 'size' | 'unit' | 'camera'>>(
  setting: Setting,
  size: Size,
): Setting & Pick<SceneContext, 'size' | 'unit' | 'camera'> => ({
  ...setting,
  size,
  unit: Math.min(size.width, size.height) / 720,
  camera: cameraPath(setting.brief.camera, { size, seconds: setting.seconds }),
});
