/** A folded paper boat that drifts on water, with a reflection. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { type Color, mix, white } from '../color.ts';
import type { DrawSeen, SceneContext } from '../scenes/scene.ts';
import { createMirror } from './mirror.ts';
import { fillPath } from './paths.ts';

type PaperBoatPlan = {
  /** Position at the middle of the clip, in pixels; `y` is the waterline. */
  readonly x: number;
  readonly y: number;
  readonly tall: number;
  readonly depth: number;
  /** In a storm, how far waves lift the water at a position, in pixels. */
  readonly liftAt?: ((x: number, second: number) => number) | null;
};

const waterline = 0.93;
/** Of the boat, in its heights. */
const wide = 1.8;

export function createPaperBoat(scene: SceneContext, plan: PaperBoatPlan): DrawSeen {
  const { brief, random, seconds, size } = scene;
  const { x: middle, y, tall, depth, liftAt } = plan;
  const image = createCanvas(Math.ceil(tall * wide), Math.ceil(tall));
  const painted = image.getContext('2d');
  painted.scale(tall, tall);
  painted.translate(wide / 2, 0);
  paint(painted, scene);
  const drawMirror = liftAt ? null : createMirror(scene, { image, waterline });
  const phase = random() * Math.PI * 2;
  const pace = brief.pace ** 0.6;
  const speed = 0.02 * size.height * pace;
  return (context: SKRSContext2D, camera: Camera): void => {
    const { second } = camera;
    const x = middle + speed * (second - seconds / 2);
    const wave = Math.sin(second * 1.7 * pace + phase + 1) * tall * 0.02;
    camera.look(context, depth, () => {
      context.save();
      context.translate(x, y + (liftAt ? -liftAt(x, second) * 0.8 : wave));
      drawMirror?.(context, second);
      context.rotate(Math.sin(second * 1.3 * pace + phase) * (liftAt ? 0.12 : 0.045));
      context.drawImage(image, -image.width / 2, -tall * waterline);
      context.restore();
    });
  };
}

/** Four tones of one sheet: each fold is lit differently. */
function paint(context: SKRSContext2D, { palette }: SceneContext): void {
  const { horizon, low, shade, light, time } = palette;
  const dim = { dawn: 0.06, day: 0, dusk: 0.1, night: 0.24 }[time];
  const paper: Color = mix(mix(white, light, 0.3), mix(horizon, low, 0.5), dim);
  const tone = (share: number): Color => mix(paper, mix(low, shade, 0.45), share);
  // The far side, the sail, then the near side.
  fillPath(context, tone(0.5), 'M-.88 .34L-.3 .6L.3 .6L.88 .34L.1 .8L-.1 .8Z');
  fillPath(context, tone(0.1), 'M0 .02L-.4 .74L0 .8Z');
  fillPath(context, tone(0.32), 'M0 .02L.4 .74L0 .8Z');
  fillPath(context, tone(0), 'M-.88 .34L0 .68V.98H-.5Z');
  fillPath(context, tone(0.24), 'M.88 .34L0 .68V.98H.5Z');
  fillPath(context, tone(0.14), 'M-.88 .34L-.5 .98H-.36Z');
  fillPath(context, tone(0.42), 'M.88 .34L.5 .98H.36Z');
}
