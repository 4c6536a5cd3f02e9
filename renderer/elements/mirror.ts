/** The reflection of something that floats on water. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { SceneContext } from '../scenes/scene.ts';

export type Floating = {
  readonly image: Canvas;
  /** As a share of the image's height, from its top. */
  readonly waterline: number;
};

/** Draws it below the origin, faded and swaying. */
export function createMirror({ unit }: Pick<SceneContext, 'unit'>, vessel: Floating) {
  const mirrored = mirrorOf(vessel);
  const [wide, tall] = [mirrored.width, vessel.image.height];
  const slice = Math.max(3, Math.round(tall / 34));
  return (context: SKRSContext2D, second: number): void => {
    for (let from = 0; from < mirrored.height; from += slice) {
      const away = from / mirrored.height;
      const shift = Math.sin(second * 2.1 + from * 0.35) * (1 + away * 7) * unit;
      const rows = Math.min(slice, mirrored.height - from);
      context.drawImage(mirrored, 0, from, wide, rows, -wide / 2 + shift, from, wide, rows);
    }
  };
}

function mirrorOf({ image, waterline }: Floating): Canvas {
  const [wide, tall] = [image.width, image.height];
  const canvas = createCanvas(wide, Math.ceil(tall * 0.7));
  const context = canvas.getContext('2d');
  context.save();
  context.translate(0, tall * waterline * 0.7);
  context.scale(1, -0.7);
  context.drawImage(image, 0, 0);
  context.restore();
  const fade = context.createLinearGradient(0, 0, 0, canvas.height);
  fade.addColorStop(0, 'rgba(0,0,0,.5)');
  fade.addColorStop(0.8, 'rgba(0,0,0,0)');
  context.globalCompositeOperation = 'destination-in';
  context.fillStyle = fade;
  context.fillRect(0, 0, wide, canvas.height);
  return canvas;
}
