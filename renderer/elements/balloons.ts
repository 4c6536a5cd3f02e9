/** Hot-air balloons that drift over the land. At dusk, dawn and night their burners glow. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { type Color, colorOf, css, mix, white } from '../color.ts';
import { addLight, glowOf, type SceneContext } from '../scenes/scene.ts';
import { fillPath, strokePath } from './paths.ts';

const dyes = ['d63a34 fae0aa', '2668a8 f6f0e2', 'f0a030 c43c3c', '408c78 fad678', '924a96 fabe96'];

const places = [
  { x: 0.3, y: 0.3, tall: 0.24, depth: 0.5 },
  { x: 0.62, y: 0.2, tall: 0.15, depth: 0.3 },
  { x: 0.8, y: 0.42, tall: 0.1, depth: 0.2 },
  { x: 0.48, y: 0.46, tall: 0.065, depth: 0.13 },
  { x: 0.14, y: 0.5, tall: 0.05, depth: 0.1 },
] as const;

export function createBalloons(scene: SceneContext) {
  const { size, palette, random, brief } = scene;
  const side = Math.min(size.height, size.width * 1.2);
  const burner = glowOf([255, 190, 90], 96);
  const isDay = palette.time === 'day';
  const first = Math.floor(random() * dyes.length);
  const balloons = places.map((place, index) => {
    const haze = (0.5 - place.depth) * 1.1;
    const air = mix(palette.low, palette.horizon, 0.5);
    const dim = { dawn: 0.24, day: 0, dusk: 0.3, night: 0.6 }[palette.time];
    const dyed = (color: Color): Color =>
      mix(mix(color, palette.shade, dim), air, Math.max(0, haze));
    const [one, other] = dyes[(first + index) % dyes.length]!.split(' ').map(colorOf);
    return {
      ...place,
      image: balloonOf({ one: dyed(one!), other: dyed(other!), light: palette.light }),
      tall: place.tall * side,
      x: place.x + (random() - 0.5) * 0.06,
      y: place.y + (random() - 0.5) * 0.05,
      phase: random() * 6,
    };
  });
  const way = random() < 0.5 ? -1 : 1;
  const pace = brief.pace ** 0.6;

  return (context: SKRSContext2D, camera: Camera): void => {
    const { second } = camera;
    for (const { image, tall, x, y, depth, phase } of [...balloons].reverse()) {
      camera.look(context, depth, () => {
        const bob = Math.sin(second * 0.5 * pace + phase) * 0.008;
        const px = size.width * x + way * second * pace * size.height * 0.012 * (0.4 + depth);
        const py = size.height * (y + bob - second * 0.0018 * pace);
        context.save();
        context.translate(px, py);
        context.rotate(Math.sin(second * 0.6 * pace + phase) * 0.02);
        context.drawImage(image, -tall * 0.4, -tall / 2, tall * 0.8, tall);
        if (!isDay) {
          const flare = Math.max(0, Math.sin(second * 1.3 + phase * 3)) ** 3;
          const radius = tall * (0.28 + 0.08 * flare);
          addLight(context, () => {
            context.globalAlpha = (0.22 + 0.6 * flare) * (palette.night ? 1 : 0.7);
            context.drawImage(burner, -radius, tall * 0.06 - radius, radius * 2, radius * 2);
          });
        }
        context.restore();
      });
    }
  };
}

function balloonOf({ one, other, light }: { one: Color; other: Color; light: Color }): Canvas {
  const canvas = createCanvas(160, 200);
  const context = canvas.getContext('2d');
  context.translate(80, 100);
  const outline = (wide: number): void => {
    context.beginPath();
    context.moveTo(0, -96);
    context.bezierCurveTo(wide * 1.06, -96, wide * 1.1, -14, wide * 0.2, 56);
    context.lineTo(-wide * 0.2, 56);
    context.bezierCurveTo(-wide * 1.1, -14, -wide * 1.06, -96, 0, -96);
  };
  const half = 74;
  for (let gore = 0; gore < 5; gore += 1) {
    outline(half * Math.cos((gore / 5) * (Math.PI / 2)));
    context.fillStyle = css(gore % 2 === 0 ? one : other);
    context.fill();
  }
  outline(half);
  const round = context.createRadialGradient(-26, -50, 6, 0, -30, 96);
  round.addColorStop(0, css(mix(light, white, 0.4), 0.5));
  round.addColorStop(0.4, css(white, 0));
  round.addColorStop(1, 'rgba(8,8,30,.5)');
  context.fillStyle = round;
  context.fill();
  strokePath(context, [30, 22, 24], 1.2, 'M-12 55L-8 78M-4 55L-3 78M4 55L3 78M12 55L8 78');
  fillPath(context, mix([92, 60, 36], one, 0.15), 'M-10 77H10L8 93H-8Z');
  return canvas;
}
