/**
 * Who walks in a street: people along the houses, and one in the middle when the prompt has one.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { mix } from '../../color.ts';
import { wrap } from '../../motion.ts';
import { between } from '../../random.ts';
import type { SceneContext } from '../scene.ts';
import { drawPeople, type Person } from './people.ts';
import { project, type View } from './quarter.ts';
import type { WindowLook } from './windows.ts';

const walkers =
  /\b(man|men|woman|women|girl|boy|person|people|someone|detective|samurai|figure|walk|couple)/;
const passersCount = 12;
const heroDepth = 0.7;
const crowdDepth = 0.42;
/** How tall people are, in halves of the street's width. */
const tallness = 0.36;

export function createPassers(
  setting: SceneContext,
  {
    view,
    look,
    isWet,
  }: { readonly view: View; readonly look: WindowLook; readonly isWet: boolean },
) {
  const { random, brief } = setting;
  const { light } = look;
  const passers = Array.from({ length: passersCount }, (_, index) => ({
    across: (index % 2 === 0 ? -1 : 1) * between(random, { from: 1.06, to: 1.26 }),
    phase: random(),
    way: random() < 0.5 ? -1 : 1,
    pace: between(random, { from: 0.16, to: 0.24 }),
    hasUmbrella: isWet && random() < 0.75,
  })).sort((one, other) => one.phase - other.phase);
  const hero = brief.mentions(walkers) ? { across: -0.08, hasUmbrella: isWet } : null;
  const [nearest, farthest] = [1.8, 6];

  const standing = (across: number, away: number): Pick<Person, 'x' | 'y' | 'height'> => ({
    ...project(view, { across, up: 0, away }),
    height: (view.focal * tallness) / away,
  });

  return {
    draw(context: SKRSContext2D, camera: Camera, second: number): void {
      const crowd = passers.map((passer): Person => {
        const walked = (passer.way * second * passer.pace) / (farthest - nearest);
        const away = nearest + wrap(passer.phase + walked) * (farthest - nearest);
        const step = second * 0.85 + passer.phase * 9;
        return { ...standing(passer.across, away), step, hasUmbrella: passer.hasUmbrella };
      });
      const far = crowd.filter(({ height }) => height < (view.focal * tallness) / 3);
      const near = crowd.filter(({ height }) => height >= (view.focal * tallness) / 3);
      camera.look(context, crowdDepth, () => {
        drawPeople(context, far, mix(light.shade, light.haze, 0.3));
        drawPeople(context, near, mix(light.shade, light.haze, 0.12));
      });
      if (!hero) return;
      const away = 1 + second * 0.03;
      const person = { ...standing(hero.across, away), step: second * 0.8, ...hero };
      const rim = Math.max(1, person.height * 0.012);
      camera.look(context, heroDepth, () => {
        const behind = { ...person, x: person.x + rim * light.sunSide, y: person.y - rim * 0.6 };
        drawPeople(context, [behind], mix(light.haze, light.sun, 0.7));
        drawPeople(context, [person], mix(light.shade, [0, 0, 0], 0.3));
      });
    },
  };
}
