/** How ridges look by distance: color, light, mist, snow, and the trees on the nearest ones. */
import { type Color, mix } from '../../color.ts';
import { fillWood } from '../../elements/pines.ts';
import type { RidgePlan } from '../../elements/ridge.ts';
import type { SceneContext } from '../scene.ts';

const mistiness = [0.85, 0.8, 0.7, 0.5, 0.1] as const;
/** Snow lines in winter, as shares of the height from the top; the nearest hills have no snow. */
const winterLines = [0.9, 0.9, 0.86, null, null] as const;
const summerLine = 0.47;

export type SlopeLook = Pick<RidgePlan, 'body' | 'lit' | 'mist' | 'misty' | 'snowline'>;

export function slopesOf(
  { palette, brief }: SceneContext,
  { index, count }: { readonly index: number; readonly count: number },
): SlopeLook {
  const { horizon, low, middle, light, shade } = palette;
  const nearness = (index + 0.5) / count;
  const isDay = palette.time === 'day';
  const isAutumn = brief.shows('autumn');
  const far = mix(mix(horizon, low, 0.5), middle, isDay ? 0.35 : 0.2);
  const green: Color = isAutumn ? [150, 84, 34] : [66, 104, 60];
  const land = mix(shade, green, isDay ? 0.5 : isAutumn ? 0.24 : 0.08);
  const body = mix(far, land, nearness ** 0.8);
  const strong = { dawn: 0.5, day: 0.38, dusk: 0.48, night: 0.22 }[palette.time];
  const isWinter = brief.shows('winter') || brief.weather === 'snow';
  return {
    body: index === count - 1 ? mix(body, shade, 0.4) : body,
    lit: mix(body, mix(horizon, light, 0.4), strong * (1 - nearness * 0.45)),
    mist: palette.night ? mix(low, middle, 0.3) : mix(horizon, low, 0.3),
    misty: Math.min(0.95, mistiness[index]! * (brief.weather === 'fog' ? 1.25 : 1)),
    snowline: isWinter ? winterLines[index]! : index === 0 ? summerLine : null,
  };
}

export function woodOf(
  { size, random, noise, palette }: SceneContext,
  index: number,
  body: Color,
): Pick<RidgePlan, 'paintTrees' | 'above'> {
  if (index < 3) return {};
  const isNear = index === 4;
  const side = Math.min(size.height, size.width * 1.1);
  const tall = isNear
    ? { from: side * 0.06, to: side * 0.2 }
    : { from: side * 0.014, to: side * 0.04 };
  const start = random() * 100;
  const color = mix(body, palette.shade, isNear ? 0.5 : 0.3);
  return {
    above: tall.to * 1.05,
    paintTrees: (context, ridge) =>
      fillWood(context, random, color, {
        ...{ from: ridge.left, to: ridge.right, tall },
        gap: isNear ? side * 0.016 : side * 0.008,
        density: (x) => {
          const group = noise.at((x / size.height) * (isNear ? 1.6 : 2.6) + start, start);
          const open = isNear ? Math.abs(x / size.width - 0.5) * 2.2 : 0.4;
          return 0.06 + group * 0.8 + open ** 1.5 * 0.7;
        },
        groundAt: (x) => ridge.edgeAt(x),
      }),
  };
}
