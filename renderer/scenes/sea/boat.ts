/** A sailing boat that rides the swell, with a reflection. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { mix } from '../../color.ts';
import { createMirror } from '../../elements/mirror.ts';
import { addLight, glowOf, type SceneContext } from '../scene.ts';
import { vesselOf } from './vessel.ts';

type BoatPlan = {
  /** Position at the middle of the clip, in pixels; `y` is the waterline. */
  readonly x: number;
  readonly y: number;
  readonly tall: number;
  readonly depth: number;
  readonly swell: number;
  /** In a storm, how far waves lift the water at a position, in pixels. */
  readonly liftAt: ((x: number, second: number) => number) | null;
};

export function createBoat(scene: SceneContext, plan: BoatPlan) {
  const { palette, random, brief, seconds } = scene;
  const vessel = vesselOf(scene, plan.tall);
  const { image, waterline } = vessel;
  const [wide, tall] = [image.width, image.height];
  const phase = random() * Math.PI * 2;
  const way = random() < 0.5 ? -1 : 1;
  const pace = brief.pace ** 0.6;
  const speed = 0.012 * scene.size.height * pace;
  const drawMirror = plan.liftAt ? null : createMirror(scene, vessel);
  const lamp = palette.time === 'day' ? null : glowOf(mix(palette.light, [255, 190, 100], 0.5), 64);

  return (context: SKRSContext2D, camera: Camera): void => {
    const { second } = camera;
    const roll = Math.sin(second * 1.1 * pace + phase) * 0.022 * plan.swell;
    const x = plan.x + way * speed * (second - seconds / 2);
    const bob = plan.liftAt
      ? -plan.liftAt(x, second) * 0.8
      : Math.sin(second * 1.4 * pace + phase + 1) * tall * 0.012 * plan.swell;
    camera.look(context, plan.depth, () => {
      context.save();
      context.translate(x, plan.y + bob);
      drawMirror?.(context, second);
      context.rotate(roll);
      context.scale(way, 1);
      context.drawImage(image, -wide / 2, -tall * waterline);
      if (lamp) {
        const side = tall * 0.2;
        addLight(context, () => {
          context.drawImage(lamp, -tall * 0.29 - side / 2, -tall * 0.1 - side / 2, side, side);
        });
      }
      context.restore();
    });
  };
}
