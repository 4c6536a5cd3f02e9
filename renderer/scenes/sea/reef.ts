/** The seabed: distant rocks, a reef with corals, and swaying weeds. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix } from '../../color.ts';
import { createLand, type Land } from '../../elements/land.ts';
import { paintRelief } from '../../elements/relief.ts';
import type { SceneContext } from '../scene.ts';
import { paintCoral } from './coral.ts';

type ReefGround = {
  readonly depth: number;
  /** Height of the edge as a share of the frame height, and its variation. */
  readonly base: number;
  readonly rise: number;
};

const grounds = [
  { depth: 0.12, base: 0.86, rise: 0.2 },
  { depth: 0.26, base: 0.92, rise: 0.16 },
  { depth: 0.62, base: 0.95, rise: 0.1 },
] as const satisfies readonly ReefGround[];

export function createReef(scene: SceneContext) {
  const [far, middle, near] = grounds;
  const nearGround = groundOf(scene, { ...near, corals: true, hidden: null });
  const middleGround = groundOf(scene, { ...middle, corals: false, hidden: nearGround.lowest });
  const farGround = groundOf(scene, { ...far, corals: false, hidden: middleGround.lowest });
  const weeds = createWeeds(scene, near, nearGround.edgeAt);
  return {
    drawFar(context: SKRSContext2D, camera: Camera): void {
      farGround.draw(context, camera);
      middleGround.draw(context, camera);
    },
    drawNear(context: SKRSContext2D, camera: Camera): void {
      camera.look(context, near.depth, () => weeds(context, camera.second));
      nearGround.draw(context, camera);
    },
  };
}

type ReefGroundPlan = ReefGround & { readonly corals: boolean; readonly hidden: number | null };

function groundOf(scene: SceneContext, ground: ReefGroundPlan): Land {
  const { size, noise, random } = scene;
  const { width, height } = size;
  const start = random() * 100;
  const tall = Math.min(height, width * 1.2) * ground.rise;
  const edgeAt = (x: number): number => {
    const aside = Math.abs(x / width - 0.52) * 2;
    const rough = noise.rough((x / height) * 2.4 + start, start, 4);
    return height * ground.base - tall * (aside ** 2 * 0.9 + rough * 0.7);
  };
  return createLand(scene, {
    ...{ depth: ground.depth, hidden: ground.hidden, edgeAt },
    above: ground.corals ? height * 0.14 : 0,
    paintBehind(context, span) {
      if (ground.corals) paintCoral(context, scene, { ...span, edgeAt });
    },
    paint: (context, box) =>
      paintRelief(context, scene, { ...rockOf(scene, ground), box, topAt: edgeAt }),
  });
}

function rockOf({ size, palette }: SceneContext, { depth }: ReefGround) {
  const near = depth ** 0.7;
  const water = mix(palette.middle, palette.high, 0.4);
  const stone: Color = mix(palette.shade, [60, 70, 84], 0.4);
  const rock = mix(stone, palette.shade, palette.night ? 0.5 : 0.2);
  const body = mix(water, rock, 0.25 + near * 0.7);
  const lit = mix(body, palette.low, 0.42 - near * 0.1);
  const foot = mix(body, palette.shade, 0.5);
  return { body, lit, foot, fade: 0.7, grain: size.height * 0.05, side: 1 };
}

function createWeeds(scene: SceneContext, ground: ReefGround, edgeAt: (x: number) => number) {
  const { size, palette, random, unit, brief } = scene;
  const { width, height } = size;
  const pace = brief.pace ** 0.5;
  const tones = [
    mix(mix([58, 122, 70], palette.middle, 0.3), palette.shade, palette.night ? 0.55 : 0.2),
    mix(mix([92, 140, 58], palette.middle, 0.3), palette.shade, palette.night ? 0.6 : 0.3),
  ] as const;
  const count = Math.round(22 * Math.max(0.7, width / height));
  const weeds = Array.from({ length: count }, (_, index) => {
    const place = random();
    const x =
      (place < 0.5 ? (place * 2) ** 1.4 * 0.42 : 1 - ((1 - place) * 2) ** 1.4 * 0.4) * width;
    return {
      x: x + (random() - 0.5) * width * 0.06,
      long: height * (0.12 + random() * 0.22) * (1 - 0.4 * ground.depth),
      thick: (4 + random() * 4) * unit,
      phase: random() * 6,
      tone: index % tones.length,
    };
  });
  const joints = 7;
  return (context: SKRSContext2D, second: number): void => {
    for (const [tone, color] of tones.entries()) {
      context.fillStyle = css(color);
      context.beginPath();
      for (const { x, long, thick, phase, tone: own } of weeds) {
        if (own !== tone) continue;
        const foot = edgeAt(x) + 6 * unit;
        const bend = (up: number): number =>
          Math.sin(second * 0.9 * pace + x * 0.004 - up * 2.2 + phase * 0.4) *
            long *
            0.24 *
            up ** 1.3 +
          Math.sin(second * 2.1 * pace - up * 6 + phase) * long * 0.025 * up;
        context.moveTo(x - thick, foot);
        for (let joint = 1; joint <= joints; joint += 1) {
          const up = joint / joints;
          context.lineTo(x + bend(up) - thick * (1 - up ** 1.6), foot - long * up);
        }
        for (let joint = joints - 1; joint >= 0; joint -= 1) {
          const up = joint / joints;
          context.lineTo(x + bend(up) + thick * (1 - up ** 1.6), foot - long * up);
        }
      }
      context.fill();
    }
  };
}
