/**
 * Computes how dense clouds are at a point of the sky and how much sunlight they catch. Clouds lie
 * on a plane above the viewer, so they become flat and small towards the horizon.
 */
import { clamp, smooth } from '../motion.ts';
import type { SceneContext } from '../scenes/scene.ts';
import type { Point } from '../size.ts';
import type { Weather } from '../vocabulary/meaning.ts';

type CloudPoint = {
  cover: number;
  /** 0 is in its own shadow, 1 faces the sun. */
  lit: number;
};

type CloudPlan = {
  readonly horizon: number;
  readonly sun: Point;
};

/** Noise level at which clouds start, softness of their edges, and highest cover. */
type CloudStyle = {
  readonly from: number;
  readonly softness: number;
  readonly most: number;
  /** Greater than 1 gives streaks instead of heaps. */
  readonly stretch: number;
};

const styles: Record<Weather | 'any', CloudStyle> = {
  any: { from: 0.02, softness: 0.44, most: 0.85, stretch: 1.5 },
  clear: { from: 0.16, softness: 0.5, most: 0.5, stretch: 2.6 },
  clouds: { from: -0.1, softness: 0.34, most: 0.96, stretch: 1 },
  fog: { from: -0.2, softness: 0.9, most: 0.4, stretch: 2 },
  rain: { from: -0.5, softness: 0.75, most: 0.94, stretch: 1.2 },
  storm: { from: -0.5, softness: 0.6, most: 1, stretch: 1 },
  snow: { from: -0.4, softness: 1, most: 0.62, stretch: 1.6 },
};

/** Distance towards the sun at which a second sample decides whether the cloud shades itself. */
const towardsSun = 0.045;

/** Takes points in frame heights. Returns the same object on every call to avoid allocations. */
export function createClouds(
  scene: SceneContext,
  { horizon, sun }: CloudPlan,
): (x: number, y: number) => CloudPoint {
  const { noise, random, size } = scene;
  const style = styles[scene.brief.weather ?? 'any'];
  const middle = size.width / size.height / 2;
  const [startX, startY] = [random() * 200, random() * 200];
  const point: CloudPoint = { cover: 0, lit: 0 };

  function mass(x: number, y: number, octaves: number): number {
    const above = Math.max(0, horizon - y) / horizon;
    const far = 1 / (0.2 + above * 0.85);
    const across = ((x - middle) * (0.55 + 0.45 * far) * 1.9) / style.stretch + startX;
    const down = far * 1.5 + startY;
    const bend = noise.at(across * 0.8, down * 0.8 + 40);
    return noise.rough(across + bend * 0.45, down * 1.25 + bend * 0.35, octaves);
  }

  return (x, y) => {
    const fade = smooth(y / horizon, { from: 1, to: 0.72 }) * style.most;
    if (fade <= 0) {
      point.cover = 0;
      return point;
    }
    const here = mass(x, y, 5);
    point.cover = smooth(here, { from: style.from, to: style.from + style.softness }) * fade;
    if (point.cover <= 0.01) return point;
    const away = Math.hypot(sun.x - x, sun.y - y) + 0.001;
    const there = mass(
      x + ((sun.x - x) / away) * towardsSun,
      y + ((sun.y - y) / away) * towardsSun,
      3,
    );
    const thin = 1 - smooth(here, { from: style.from, to: style.from + style.softness * 1.6 });
    point.lit = clamp(0.42 + (here - there) * 2.4 + thin * 0.3);
    return point;
  };
}
