/**
 * The prompt's scene out of focus, for what stands before it: drawn at half its size and enlarged,
 * which costs a quarter and is as soft as a lens would make it.
 */
import { cameraPath } from '../camera.ts';
import { createScene } from '../scenes/choose.ts';
import { drawnSize, enlarged } from '../scenes/enlarged.ts';
import type { Scene, SceneContext } from '../scenes/scene.ts';

const reduction = 2;

export function createBackground(setting: SceneContext): Scene {
  const usual = drawnSize(setting.size);
  const size = {
    width: Math.round(usual.width / reduction),
    height: Math.round(usual.height / reduction),
  };
  const { brief, seconds } = setting;
  const scene = createScene({
    ...{ ...setting, size, unit: Math.min(size.width, size.height) / 720 },
    camera: cameraPath(brief.camera, { size, seconds }),
  });
  return enlarged(scene, size, setting.size);
}
