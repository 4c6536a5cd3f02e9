/** Fireworks in the night sky above dark hills. */
import { css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createBursts } from '../../elements/fireworks.ts';
import { addLand } from '../../elements/land.ts';
import { createLayer } from '../../elements/layer.ts';
import { createSky } from '../../elements/sky.ts';
import { between } from '../../random.ts';
import type { Scene, SceneContext } from '../scene.ts';

const horizon = 0.8;

export function createFireworks(scene: SceneContext): Scene {
  const { size, random, palette, noise } = scene;
  const { height } = size;
  const sun = { x: between(random, { from: 0.1, to: 0.9 }), y: 0.16 };
  const sky = createSky(scene, { horizon, sun, reach: horizon + 0.04 });
  const air = createAir(scene, { horizon });
  const start = random() * 90;
  const hill = createLayer(
    scene,
    { depth: 0.2, top: height * 0.7, bottom: height },
    (context, edges) => {
      context.fillStyle = css(mix(palette.shade, palette.high, 0.3));
      context.beginPath();
      addLand(context, edges, (x) => {
        const rise = noise.rough((x / height) * 1.2 + start, 3, 4) * 0.07;
        return height * (horizon + 0.02 - Math.abs(rise));
      });
      context.fill();
    },
  );
  const drawBursts = createBursts(scene);

  return {
    draw(context, second) {
      const camera = scene.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      camera.look(context, 0.12, () => drawBursts(context, second));
      hill.draw(context, camera);
    },
  };
}
