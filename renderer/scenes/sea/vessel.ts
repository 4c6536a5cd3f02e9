/** A sailing boat, painted once. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, mix, white } from '../../color.ts';
import type { Floating } from '../../elements/mirror.ts';
import { fillPath, strokePath } from '../../elements/paths.ts';
import type { SceneContext } from '../scene.ts';

type VesselColors = ReturnType<typeof colorsOf>;

const waterline = 0.93;

export function vesselOf(scene: SceneContext, tall: number): Floating {
  const side = Math.ceil(tall * 0.9);
  const image = createCanvas(side, Math.ceil(tall));
  const context = image.getContext('2d');
  context.scale(tall, tall);
  context.translate(side / tall / 2, 0);
  paintBoat(context, colorsOf(scene));
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
