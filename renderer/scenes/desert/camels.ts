/** A caravan on the crest of a dune: camels, riders, and a leader on foot. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import type { Color } from '../../color.ts';
import { fillPath, strokePath } from '../../elements/paths.ts';
import type { SceneContext } from '../scene.ts';

type CaravanPlan = {
  readonly depth: number;
  readonly color: Color;
  readonly tall: number;
  groundAt(x: number): number;
};

const camelsCount = 5;

export function createCaravan(scene: SceneContext, plan: CaravanPlan) {
  const { size, random, brief, seconds } = scene;
  const { tall, groundAt } = plan;
  const way = random() < 0.5 ? -1 : 1;
  const pace = brief.pace ** 0.6;
  const speed = tall * 0.3 * pace;
  const gap = tall * 1.5;
  const middle = size.width * 0.5;

  return (context: SKRSContext2D, camera: Camera): void =>
    camera.look(context, plan.depth, () => {
      const lead =
        middle + way * (((camelsCount - 1) / 2) * gap + speed * (camera.second - seconds / 2));
      context.lineCap = 'round';
      context.lineJoin = 'round';
      for (let index = -1; index < camelsCount; index += 1) {
        const x = lead - way * index * gap;
        const slope = Math.atan2(groundAt(x + tall * 0.4) - groundAt(x - tall * 0.4), tall * 0.8);
        const step = camera.second * 3.2 * pace + index * 1.9;
        context.save();
        context.translate(x, groundAt(x) + tall * 0.02);
        context.rotate(slope * 0.8);
        context.scale(way * tall, tall);
        if (index === -1) drawLeader(context, plan.color, step);
        else drawCamel(context, plan.color, { step, rider: index % 2 === 0 });
        context.restore();
      }
    });
}

const body =
  'M-.38-.46Q-.42-.66-.26-.7Q-.16-.73-.1-.86Q-.02-.98 .06-.84Q.12-.72 .24-.68Q.36-.62 .44-.78' +
  'Q.47-.93 .5-1Q.54-1.05 .62-1Q.7-.97 .68-.92Q.6-.89 .56-.88Q.53-.66 .42-.52Q.3-.4 .1-.41' +
  'Q-.2-.4-.38-.46';
const tail = 'M-.38-.56Q-.44-.44-.42-.34';
const rider =
  'M-.15-1.04a.09 .16 0 1 1 .18 0a.09 .16 0 1 1-.18 0' +
  'M-.095-1.25a.065 .065 0 1 1 .13 0a.065 .065 0 1 1-.13 0';

function drawCamel(context: SKRSContext2D, color: Color, gait: { step: number; rider: boolean }) {
  const { step } = gait;
  const bob = Math.sin(step * 2) * 0.008;
  // Camels move both legs of a side together.
  const legs = [-0.3, 0.16, -0.24, 0.22].map((x, leg) => {
    const phase = step + [0, 0.5, Math.PI, Math.PI + 0.5][leg]!;
    const swing = Math.sin(phase);
    const lift = Math.max(0, Math.cos(phase)) * 0.05;
    const knee = `${x + swing * 0.06 + 0.02} ${-0.24 - lift * 0.4}`;
    return `M${x} ${-0.46 + bob}L${knee}L${x + swing * 0.13} ${-lift}`;
  });
  strokePath(context, color, 0.055, legs.join(''));
  context.translate(0, bob);
  fillPath(context, color, gait.rider ? body + rider : body);
  strokePath(context, color, 0.02, tail);
}

function drawLeader(context: SKRSContext2D, color: Color, step: number): void {
  const swing = Math.sin(step * 1.2) * 0.09;
  strokePath(context, color, 0.05, `M0-.32L${swing} 0M0-.32L${-swing} 0`);
  const head = 'M-.055-.71a.065 .065 0 1 1 .13 0a.065 .065 0 1 1-.13 0';
  fillPath(context, color, `M-.06-.62Q.02-.68 .07-.6L.11-.2H-.11Z${head}`);
  strokePath(context, color, 0.018, 'M.16-.78L.18 0M.05-.52L.17-.5');
}
