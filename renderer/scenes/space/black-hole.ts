/** A black hole: the dark itself, light bent around it, and the disc of fire that falls into it. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../../color.ts';
import { createLayer } from '../../elements/layer.ts';
import { smooth } from '../../motion.ts';
import type { SceneContext, SceneObject } from '../scene.ts';

const depth = 0.25;
const lean = -0.2;
/** How open the disc is: 1 is seen from above. */
const open = 0.17;
/** The disc from its inner to its outer edge, in radii of the hole. */
const [inner, outer] = [1.25, 3.1];

export function createBlackHole(setting: SceneContext): SceneObject {
  const { size, brief } = setting;
  const portrait = size.height > size.width;
  const radius = Math.min(size.width * (portrait ? 0.15 : 0.12), size.height * 0.15);
  const [x, y] = [size.width * (portrait ? 0.5 : 0.56), size.height * 0.42];
  const disc = paintDisc(setting);
  const reach = radius * 2.4;
  const place = { depth, top: y - reach, bottom: y + reach };
  const halo = createLayer(setting, place, (context) =>
    paintHalo(context, setting, { x, y, radius }),
  );

  function drawDisc(context: SKRSContext2D, second: number): void {
    context.save();
    context.scale(1, open);
    context.rotate(second * 0.5 * brief.pace ** 0.5);
    const far = radius * outer;
    context.drawImage(disc, -far, -far, far * 2, far * 2);
    context.restore();
  }

  return {
    draw(context, camera, second) {
      halo.draw(context, camera);
      camera.look(context, depth, () => {
        context.save();
        context.translate(x, y);
        context.rotate(lean);
        context.globalCompositeOperation = 'lighter';
        drawDisc(context, second);
        context.globalCompositeOperation = 'source-over';
        context.fillStyle = '#000';
        context.beginPath();
        context.arc(0, 0, radius, 0, Math.PI * 2);
        context.fill();
        context.strokeStyle = css(mix(setting.palette.light, white, 0.4), 0.9);
        context.lineWidth = radius * 0.022;
        context.stroke();
        // The near half of the disc passes before the dark.
        context.beginPath();
        context.rect(-radius * 1.02, 0, radius * 2.04, radius);
        context.clip();
        context.globalCompositeOperation = 'lighter';
        drawDisc(context, second);
        context.restore();
      });
    },
  };
}

/** From above: streaks that circle, white-hot within, red without. */
function paintDisc({ random, palette }: SceneContext): Canvas {
  const side = 720;
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  context.translate(side / 2, side / 2);
  context.globalCompositeOperation = 'lighter';
  for (let streak = 0; streak < 520; streak += 1) {
    const share = random() ** 1.4;
    const radius = (side / 2) * ((inner + share * (outer - inner)) / outer) * 0.985;
    const hot = mix(
      mix(palette.light, white, 0.5),
      palette.horizon,
      smooth(share, { from: 0, to: 0.4 }),
    );
    const color = mix(hot, palette.low, smooth(share, { from: 0.3, to: 1 }));
    const from = random() * Math.PI * 2;
    context.strokeStyle = css(color, (0.08 + random() * 0.3) * (1 - share) ** 0.8);
    context.lineWidth = 1.5 + random() * 9;
    context.beginPath();
    context.arc(0, 0, radius, from, from + 0.5 + random() * 2.4);
    context.stroke();
  }
  return canvas;
}

type Hole = { readonly x: number; readonly y: number; readonly radius: number };

/** The far side of the disc, seen above and below the hole: its light is bent around it. */
function paintHalo(
  context: SKRSContext2D,
  { palette }: SceneContext,
  { x, y, radius }: Hole,
): void {
  context.translate(x, y);
  context.rotate(lean);
  const reach = radius * 2.3;
  const glow = context.createRadialGradient(0, 0, radius * 0.95, 0, 0, reach);
  glow.addColorStop(0, css(mix(palette.light, white, 0.5), 0.95));
  glow.addColorStop(0.1, css(mix(palette.light, palette.horizon, 0.5), 0.8));
  glow.addColorStop(0.26, css(palette.horizon, 0.5));
  glow.addColorStop(0.48, css(palette.low, 0.2));
  glow.addColorStop(1, css(palette.low, 0));
  context.fillStyle = glow;
  context.fillRect(-reach, -reach, reach * 2, reach * 2);
  // Brighter above, and on the side that comes towards the eye.
  context.globalCompositeOperation = 'destination-out';
  const fade = context.createLinearGradient(-reach * 0.7, -reach * 0.8, reach * 0.7, reach * 0.9);
  fade.addColorStop(0, 'rgba(0,0,0,0)');
  fade.addColorStop(0.5, 'rgba(0,0,0,.25)');
  fade.addColorStop(1, 'rgba(0,0,0,.8)');
  context.fillStyle = fade;
  context.fillRect(-reach, -reach, reach * 2, reach * 2);
}
