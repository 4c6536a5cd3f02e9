/** The prompt's scene as a soft background: drawn at half size and enlarged. */
import { cameraPath } from '../camera.ts';
import { createScene } from '../scenes/choose.ts';
import { drawnSize, enlarged } from '../scenes/enlarged.ts';
import type { Scene, SceneContext } from '../scenes/scene.ts';

const reduction = 2;

export function createBackground(setting: SceneContext): Scene {
  const full = drawnSize(setting.size);
  const size = {
    width: Math.round(full.width / reduction),
    height: Math.round(full.height / reduction),
  };
  const { brief, seconds } = setting;
  const scene = createScene({
    ...{ ...setting, size, unit: Math.min(size.width, size.height) / 720 },
    camera: cameraPath(brief.camera, { size, seconds }),
  });
  return enlarged(scene, size, setting.size);
}
