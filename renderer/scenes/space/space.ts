/** Space: stars and a nebula, and the Earth or a ringed planet when the prompt names one. */
import type { Canvas } from '@napi-rs/canvas';
import { type Color, colorTable, mix } from '../../color.ts';
import { createLayer, type Edges, stillCamera } from '../../elements/layer.ts';
import { paintSoft } from '../../elements/paint.ts';
import { createStars, paintDust } from '../../elements/stars.ts';
import { clamp } from '../../motion.ts';
import type { Scene, SceneContext } from '../scene.ts';
import { createPlanet } from './planet.ts';

export function createSpace(scene: SceneContext): Scene {
  const { size, brief } = scene;
  const planet = brief.shows('earth') || brief.shows('planet') ? createPlanet(scene) : null;
  const place = { depth: 0, top: 0, bottom: size.height, opaque: true };
  const sky = createLayer(scene, place, (context, edges) => {
    const strength = planet ? 1.4 : 2.4;
    context.drawImage(paintNebula(scene, edges, { strength }), edges.left, edges.top);
    paintDust(context, scene, edges);
  });
  const stars = createStars(scene, { horizon: 1.5 });
  // The sky only moves when the camera turns or zooms.
  const isTurning = ['pan', 'tilt', 'zoom'].includes(brief.camera.kind);
  return (context, second) => {
    const camera = scene.camera.at(second);
    sky.draw(context, isTurning ? camera : stillCamera);
    stars(context, second);
    planet?.draw(context, camera);
  };
}

const coarseness = 5;

/** `strength` 1 is a sky full of gas, 0 is black. */
function paintNebula(
  scene: SceneContext,
  edges: Edges,
  { strength }: { readonly strength: number },
): Canvas {
  const { palette, noise, random, size, unit } = scene;
  const [startX, startY] = [random() * 100, random() * 100];
  const slope = (random() < 0.5 ? 1 : -1) * (0.35 + random() * 0.5);
  const scale = 1.5 / Math.min(size.width, size.height);
  const dark = mix(palette.shade, palette.high, 0.35);
  const stops = [
    [0, dark],
    [0.3, palette.high],
    [0.55, mix(palette.middle, palette.high, 0.25)],
    [0.8, palette.low],
    [1, mix(palette.low, palette.horizon, 0.75)],
  ] as const;
  const shades = colorTable(stops);
  const tinted = (color: Color, share: number): Color => mix(color, other, share * 0.5);
  const other = mix(palette.horizon, palette.middle, 0.35);
  const area = { width: edges.right - edges.left, height: edges.bottom - edges.top };

  return paintSoft(area, { coarseness: Math.ceil(coarseness * unit), random }, (pixelX, pixelY) => {
    const x = (pixelX - area.width / 2) * scale;
    const y = (pixelY - area.height / 2) * scale;
    const bendX = noise.at(x * 1.1 + startX, y * 1.1 + startY);
    const bendY = noise.at(x * 1.1 + startY, y * 1.1 + startX + 30);
    const gas = noise.rough(x * 1.15 + bendX * 1.1 + startX, y * 1.15 + bendY * 1.1, 4);
    const dust = noise.at(x * 1.9 + bendY * 1.3 + 70, y * 1.9 + bendX * 1.3 + startY);
    const band = Math.exp(-(((y - x * slope + bendX * 0.35) / 0.85) ** 2));
    const dense = clamp(0.44 + gas * 1.05 - Math.max(0, dust) * 0.3) ** 1.5 * (0.34 + band * 0.9);
    const threads = 0.85 + noise.rough(x * 3.6 + bendX * 2.2, y * 3.6 + bendY * 2.2, 3) * 0.9;
    const shade = 1 - Math.exp(-dense * strength * threads * 1.25);
    return tinted(shades[Math.round(clamp(shade) * 255)]!, shade * clamp(0.35 + bendY * 0.8));
  });
}
