/** The prompt's scene as a soft background: drawn at half size and enlarged. */
import { createScene } from '../scenes/choose.ts';
import { drawnSize, enlarged, resized } from '../scenes/enlarged.ts';
import type { Scene, SceneContext } from '../scenes/scene.ts';

export function createBackground(setting: SceneContext): Scene {
  const { width, height } = drawnSize(setting.size);
  const size = { width: Math.round(width / 2), height: Math.round(height / 2) };
  return enlarged(createScene(resized(setting, size)), size, setting.size);
}
