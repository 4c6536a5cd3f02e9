/** Derives the light on buildings from the palette. */
import { mix } from '../../color.ts';
import type { SceneContext } from '../scene.ts';
import type { CityLight } from './building.ts';
import { lampsOf, type WindowLook } from './windows.ts';

type LookOptions = {
  readonly hazy: number;
  /** Width of a window with its frame, in pixels. */
  readonly pitch: number;
  readonly sunSide: 1 | -1;
};

export const isNeon = ({ brief, palette }: SceneContext): boolean =>
  palette.name === 'neon' ||
  (palette.time !== 'day' && (brief.look === 'neon' || brief.mentions(/\b(cyber|tokyo)/)));

/** 0 is daylight, 1 is night. */
const darknessOf = ({ palette }: SceneContext): number =>
  ({ dawn: 0.6, day: 0, dusk: 0.6, night: 1 })[palette.time];

export function lookOf(scene: SceneContext, { hazy, pitch, sunSide }: LookOptions): WindowLook {
  const { palette, brief } = scene;
  const dark = darknessOf(scene);
  const isDay = dark === 0;
  const thick = brief.weather === 'fog' ? 1.4 : isDay ? 0.55 : dark === 1 ? 0.9 : 0.72;
  const light: CityLight = {
    ...{ pitch, sunSide, dark },
    haze: mix(palette.low, isDay ? palette.horizon : palette.middle, 0.4),
    hazy: Math.min(0.92, hazy * thick),
    sun: mix(palette.horizon, dark === 1 ? palette.low : palette.light, 0.4),
    warmth: isDay ? 0.95 : dark === 1 ? 0.22 : 0.6,
    shade: isDay ? mix(palette.shade, [92, 74, 74], 0.6) : palette.shade,
  };
  return {
    light,
    mirrored: { high: palette.middle, low: palette.horizon },
    lamps: lampsOf({ neon: isNeon(scene) }),
    litShare: [0, 0.3, 0.42][Math.round(dark * 2)]!,
  };
}
