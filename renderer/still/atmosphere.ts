/**
 * What the words of a prompt bring into a still picture: light that passes over it, rain or snow,
 * a grey day, fog that lies far off. All of it can be taken back, for frames that were given.
 */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, white } from '../color.ts';
import { createAir } from '../elements/atmosphere.ts';
import { clamp, smooth } from '../motion.ts';
import { drawnSize } from '../scenes/enlarged.ts';
import type { SceneContext } from '../scenes/scene.ts';
import type { Plane } from './plane.ts';

export type Atmosphere = {
  /** `strength` from 0, nothing, to 1. */
  draw(
    context: SKRSContext2D,
    moment: { readonly second: number; readonly strength: number },
  ): void;
};

export function createAtmosphere(setting: SceneContext, depth: Plane): Atmosphere {
  const { weather, mood } = setting.brief;
  const isWet = weather === 'rain' || weather === 'storm';
  const magic = /\b(magic|fairy|sparkl|dust|firefl|ember|petal|pollen|glitter|bokeh|dream)/;
  const isSpeckled = mood === 'dreamy' || setting.brief.mentions(magic);
  const layers = [
    isWet || weather === 'snow' ? greyDay(setting) : null,
    weather === 'fog' || weather === 'storm' ? fog(setting, depth) : null,
    passingLight(setting),
    isWet || weather === 'snow' || isSpeckled ? specks(setting) : null,
  ].filter((layer) => layer !== null);
  return {
    draw(context, moment) {
      if (moment.strength <= 0) return;
      for (const layer of layers) layer.draw(context, moment);
      context.globalAlpha = 1;
      context.globalCompositeOperation = 'source-over';
    },
  };
}

/** A slanting band of light that brightens what has any light of its own. */
function passingLight({ size, palette, seconds }: SceneContext): Atmosphere {
  const { width, height } = size;
  const color = mix(palette.light, white, 0.5);
  const [across, down] = [width * 0.55, height * 0.3];
  // How far the band leans over the frame's height.
  const lean = (height * down) / across;
  const breadth = across + (down * down) / across;
  return {
    draw(context, { second, strength }) {
      const from = -breadth + (width + lean + breadth) * clamp(second / seconds);
      const light = context.createLinearGradient(from, 0, from + across, down);
      for (const [at, alpha] of [
        [0, 0],
        [0.25, 0.12],
        [0.5, 0.34],
        [0.75, 0.12],
        [1, 0],
      ] as const) {
        light.addColorStop(at, css(color, alpha * strength));
      }
      context.globalCompositeOperation = 'soft-light';
      context.fillStyle = light;
      const left = Math.max(0, from - lean);
      context.fillRect(left, 0, Math.min(width, from + breadth) - left, height);
      context.globalCompositeOperation = 'source-over';
    },
  };
}

/** Clouds before the sun; in a storm also lightning, a few times. */
function greyDay({ size, brief, random, seconds }: SceneContext): Atmosphere {
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

/** Drawn beside the frame, since what is in the air has strengths of its own. */
function specks(setting: SceneContext): Atmosphere {
  const size = drawnSize(setting.size);
  const unit = (setting.unit * size.width) / setting.size.width;
  const air = createAir({ ...setting, size, unit }, { horizon: 0.5 });
  const layer = createCanvas(size.width, size.height);
  const own = layer.getContext('2d');
  return {
    draw(context, { second, strength }) {
      own.clearRect(0, 0, size.width, size.height);
      air.drawSpecks(own, second);
      context.globalAlpha = strength;
      context.drawImage(layer, 0, 0, setting.size.width, setting.size.height);
      context.globalAlpha = 1;
    },
  };
}

/** Banks of fog that drift by, thickest where the picture is far. Soft, so it is drawn small. */
function fog({ size, palette, noise, brief }: SceneContext, depth: Plane): Atmosphere {
  const { width, height } = depth;
  const far = createCanvas(width, height);
  const farContext = far.getContext('2d');
  const farness = farContext.createImageData(width, height);
  depth.values.forEach((near, at) => {
    const down = Math.floor(at / width) / height;
    const away = 0.14 + 0.86 * smooth(near, { from: 0.95, to: 0.15 });
    farness.data[at * 4 + 3] = 255 * away * (0.3 + 0.7 * smooth(down, { from: 0.1, to: 0.5 }));
  });
  farContext.putImageData(farness, 0, 0);
  const banks = [2.6, 4.1].map((scale) => bank(noise, scale));
  const canvas = createCanvas(width, height);
  const own = canvas.getContext('2d');
  const thickness = brief.weather === 'storm' ? 0.35 : 0.85;
  const color = css(mix(palette.horizon, white, 0.35));
  return {
    draw(context, { second, strength }) {
      own.globalCompositeOperation = 'source-over';
      own.clearRect(0, 0, width, height);
      banks.forEach((picture, index) => {
        const drift = (second * (0.02 + index * 0.018) * brief.pace) % 1;
        own.globalAlpha = 0.75;
        own.drawImage(picture, -drift * width * 2, 0, width * 2, height);
        own.drawImage(picture, (1 - drift) * width * 2, 0, width * 2, height);
      });
      own.globalAlpha = 1;
      own.globalCompositeOperation = 'destination-in';
      own.drawImage(far, 0, 0);
      own.globalCompositeOperation = 'source-in';
      own.fillStyle = color;
      own.fillRect(0, 0, width, height);
      context.globalAlpha = thickness * strength;
      context.drawImage(canvas, 0, 0, size.width, size.height);
      context.globalAlpha = 1;
    },
  };
}

/** A cloudy strip whose right edge continues at its left one. */
function bank(noise: SceneContext['noise'], scale: number) {
  const [width, height] = [128, 48];
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  const massAt = (across: number, down: number): number =>
    noise.rough(across * scale + scale * 9, down * scale * 0.9, 4);
  for (let at = 0; at < width * height; at += 1) {
    const across = (at % width) / width;
    const down = Math.floor(at / width) / height;
    const mass = mixed(massAt(across, down), massAt(across - 1, down), across);
    image.data[at * 4 + 3] = 255 * smooth(mass, { from: -0.3, to: 0.45 });
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const mixed = (from: number, to: number, share: number): number => from + (to - from) * share;
