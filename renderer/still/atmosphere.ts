/**
 * The weather and light that a prompt adds to a still image: a moving light, rain, snow, fog, an
 * overcast sky, lightning. `strength` 0 draws nothing, for frames that must stay unchanged.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../color.ts';
import { createParticles, type ParticleKind } from '../edit/particles.ts';
import { clamp } from '../motion.ts';
import { drawnSize, resized } from '../scenes/enlarged.ts';
import type { SceneContext } from '../scenes/scene.ts';

type Atmosphere = {
  draw(context: SKRSContext2D, now: { readonly second: number; readonly strength: number }): void;
};

const magic = /\b(magic|fairy|sparkl|dust|firefl|ember|petal|pollen|glitter|bokeh|dream)/;

export function createAtmosphere(setting: SceneContext): Atmosphere {
  const { weather, mood } = setting.brief;
  const particles: ParticleKind | null =
    weather === 'rain' || weather === 'storm'
      ? 'rain'
      : weather === 'snow' || weather === 'fog'
        ? weather
        : mood === 'dreamy' || setting.brief.mentions(magic)
          ? 'sparkles'
          : null;
  const layers = [
    ...(particles === 'rain' || particles === 'snow' ? [overcast(setting)] : []),
    movingLight(setting),
    ...(particles ? [particleLayer(setting, particles)] : []),
  ];
  return {
    draw(context, now) {
      if (now.strength <= 0) return;
      for (const layer of layers) layer.draw(context, now);
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
    },
  };
}

function movingLight({ size, palette, seconds }: SceneContext): Atmosphere {
  const { width, height } = size;
  const color = mix(palette.light, white, 0.5);
  const [across, down] = [width * 0.55, height * 0.3];
  const lean = (height * down) / across;
  const breadth = across + (down * down) / across;
  return {
    draw(context, { second, strength }) {
      const from = -breadth + (width + lean + breadth) * clamp(second / seconds);
      const light = context.createLinearGradient(from, 0, from + across, down);
      for (const [index, alpha] of [0, 0.12, 0.34, 0.12, 0].entries()) {
        light.addColorStop(index / 4, css(color, alpha * strength));
      }
      context.globalCompositeOperation = 'soft-light';
      context.fillStyle = light;
      const left = Math.max(0, from - lean);
      context.fillRect(left, 0, Math.min(width, from + breadth) - left, height);
      context.globalCompositeOperation = 'source-over';
    },
  };
}

/** Darkens the frame; a storm also has a few lightning flashes. */
function overcast({ size, brief, random, seconds }: SceneContext): Atmosphere {
  const isStorm = brief.weather === 'storm';
  const alpha = brief.weather === 'snow' ? 0.14 : isStorm ? 0.36 : 0.24;
  const flashes = isStorm
    ? Array.from({ length: Math.ceil(seconds / 3) }, (_, at) => 3 * at + 1 + random() * 1.6)
    : [];
  return {
    draw(context, { second, strength }) {
      context.fillStyle = `rgba(24,34,52,${alpha * strength})`;
      context.fillRect(0, 0, size.width, size.height);
      const since = second - (flashes.findLast((flash) => flash <= second) ?? -9);
      const flash =
        Math.exp(-since * 9) * 0.4 + (since > 0.12 ? Math.exp(-(since - 0.12) * 6) * 0.3 : 0);
      if (flash < 0.01) return;
      context.globalCompositeOperation = 'soft-light';
      context.fillStyle = `rgba(226,236,255,${flash * strength})`;
      context.fillRect(0, 0, size.width, size.height);
      context.globalCompositeOperation = 'source-over';
    },
  };
}

/** Drawn on a canvas of its own, since particles set their own opacity. */
function particleLayer(setting: SceneContext, kind: ParticleKind): Atmosphere {
  const size = drawnSize(setting.size);
  const draw = createParticles(kind, resized(setting, size));
  const canvas = createCanvas(size.width, size.height);
  const own = canvas.getContext('2d');
  return {
    draw(context, { second, strength }) {
      own.clearRect(0, 0, size.width, size.height);
      draw(own, second);
      context.globalAlpha = strength;
      context.drawImage(canvas, 0, 0, setting.size.width, setting.size.height);
      context.globalAlpha = 1;
    },
  };
}
