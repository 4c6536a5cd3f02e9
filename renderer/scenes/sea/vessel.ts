/** A sailing boat and a tall ship, painted once. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, mix, white } from '../../color.ts';
import type { Floating } from '../../elements/mirror.ts';
import { fillPath, strokePath } from '../../elements/paths.ts';
import type { SceneContext } from '../scene.ts';

export type VesselKind = 'boat' | 'ship';

type VesselColors = ReturnType<typeof colorsOf>;

const waterline = 0.93;

export function vesselOf(scene: SceneContext, kind: VesselKind, tall: number): Floating {
  const side = Math.ceil(tall * (kind === 'ship' ? 1.3 : 0.9));
  const image = createCanvas(side, Math.ceil(tall));
  const context = image.getContext('2d');
  context.scale(tall, tall);
  context.translate(side / tall / 2, 0);
  const colors = colorsOf(scene);
  if (kind === 'boat') paintBoat(context, colors);
  else paintShip(context, colors);
  return { image, waterline };
}

function colorsOf({ palette, brief }: SceneContext) {
  const { low, middle, horizon, light, shade } = palette;
  const isDay = palette.time === 'day';
  const isRed = brief.colors[0]?.color === 'red';
  const paint: Color = isRed ? [186, 46, 40] : mix(shade, [122, 62, 34], 0.5);
  const dim = { dawn: 0.62, day: 0.1, dusk: 0.66, night: 0.8 }[palette.time];
  const dark = mix(middle, shade, 0.8);
  const sail = mix(white, dark, { dawn: 0.12, day: 0, dusk: 0.16, night: 0.5 }[palette.time]);
  return {
    hull: mix(paint, dark, dim),
    deck: mix(mix(paint, white, 0.35), dark, dim),
    sail: mix(sail, isDay ? light : horizon, isDay ? 0.2 : 0.3),
    sailShade: mix(mix(sail, low, 0.45), shade, isDay ? 0.08 : 0.3),
    rope: mix(dark, low, 0.2),
    lamp: isDay ? null : mix(light, [255, 190, 100], 0.5),
  };
}

function paintBoat(context: SKRSContext2D, colors: VesselColors): void {
  const { sail, sailShade, hull, deck, rope, lamp } = colors;
  fillPath(context, sail, 'M-.02 .04Q-.12 .5-.36 .8Q-.18 .83-.02 .78Z');
  fillPath(context, sailShade, 'M-.02 .04Q-.01 .5-.13 .8L-.02 .78Z');
  fillPath(context, sail, 'M.01 .12Q.2 .46 .33 .8Q.14 .74 .03 .76Z');
  fillPath(context, sailShade, 'M.01 .12L.03 .76Q.11 .5 .13 .77Z');
  strokePath(context, rope, 0.014, 'M0 .01V.86');
  strokePath(context, rope, 0.01, 'M-.38 .81L.02 .8');
  fillPath(context, hull, 'M-.4 .845Q0 .87 .43 .83Q.39 .93 .3 .97Q0 .985-.33 .97Z');
  fillPath(context, deck, 'M-.4 .845Q0 .87 .43 .83Q.42 .842 .415 .852Q0 .892-.39 .866Z');
  if (lamp) fillPath(context, lamp, 'M-.3 .82h.025v.025h-.025Z');
}

function paintShip(context: SKRSContext2D, colors: VesselColors): void {
  const { sail, sailShade, hull, deck, rope, lamp } = colors;
  strokePath(context, rope, 0.012, 'M.36 .76L.62 .6');
  for (const [x, top, wide] of [
    [-0.27, 0.14, 0.2],
    [0, 0.02, 0.25],
    [0.26, 0.1, 0.2],
  ] as const) {
    strokePath(context, rope, 0.013, `M${x} ${top - 0.015}V.84`);
    for (const [index, from] of [top + 0.02, top + 0.2, top + 0.44].entries()) {
      const to = [top + 0.18, top + 0.42, 0.72][index]!;
      const half = (wide / 2) * (0.62 + index * 0.19);
      const middle = (from + to) / 2;
      const [left, right] = [x - half * 0.86, x + half * 0.86];
      const rest = `L${x - half} ${to}Q${x - half * 0.84} ${middle} ${left} ${from}Z`;
      const outer = `Q${x + half * 1.16} ${middle} ${x + half} ${to}Q${x} ${to - 0.035}`;
      fillPath(context, sail, `M${left} ${from}H${right}${outer} ${x - half} ${to}${rest}`);
      const inner = `Q${x - half * 0.24} ${middle} ${x - half * 0.42} ${to - 0.02}`;
      fillPath(context, sailShade, `M${left} ${from}H${x - half * 0.36}${inner}${rest}`);
      strokePath(context, rope, 0.011, `M${x - half * 0.95} ${from}h${half * 1.9}`);
    }
  }
  fillPath(context, sail, 'M.6 .61Q.4 .42 .3 .2Q.36 .5 .38 .72Z');
  strokePath(context, rope, 0.004, 'M-.27 .06L-.43 .8M0 .06L-.16 .8M.26 .06L.1 .8');
  const bow = 'Q0 .82 .3 .8L.46 .74Q.44 .9 .34 .98Q0 .99-.4 .98Q-.47 .85-.5 .68Z';
  fillPath(context, hull, `M-.5 .68L-.36 .72L-.34 .78${bow}`);
  fillPath(context, deck, 'M-.47 .83Q0 .87 .42 .83L.415 .848Q0 .888-.466 .85Z');
  if (!lamp) return;
  for (const x of [-0.45, -0.4, -0.2, -0.08, 0.04, 0.16]) {
    fillPath(context, lamp, `M${x} ${x < -0.3 ? 0.74 : 0.885}h.02v.022h-.02Z`);
  }
}
