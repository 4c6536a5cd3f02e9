/** A volcano at work: a fountain of fire from its mouth, rivers of lava, smoke lit from below. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import { createAir } from '../../elements/atmosphere.ts';
import { createLayer, type Layer } from '../../elements/layer.ts';
import { createSky } from '../../elements/sky.ts';
import { wrap } from '../../motion.ts';
import { between } from '../../random.ts';
import { glowOf, type Scene, type SceneContext } from '../scene.ts';

const horizon = 0.74;
const lava: Color = [255, 108, 24];
const depth = 0.2;

/** Half the width of the cone at a share of the way down from its mouth. */
const flank = (share: number): number => 0.045 + 0.5 * share ** 1.5;

export function createVolcano(setting: SceneContext): Scene {
  const { size, camera, noise } = setting;
  const { width, height } = size;
  const sky = createSky(setting, { horizon, sun: { x: 0.16, y: 0.2 }, reach: horizon + 0.04 });
  const air = createAir(setting, { horizon });
  const mouth = { x: width * 0.5, y: height * 0.36 };
  const cone = createCone(setting, mouth);
  const drawRivers = createRivers(setting, mouth);
  const glow = glowOf(lava, 256);
  const smoke = glowOf(mix(setting.palette.middle, lava, 0.3), 96);
  const drawFountain = createFountain(setting, mouth);

  function drawSmoke(context: SKRSContext2D, second: number): void {
    for (let puff = 0; puff < 22; puff += 1) {
      const age = wrap(puff / 22 + second * 0.06);
      const radius = height * (0.05 + age * 0.16);
      const x = mouth.x + noise.at(puff * 3.1, age * 2) * height * 0.12 * age + age * height * 0.12;
      context.globalAlpha = 0.34 * (1 - age) * Math.min(1, age * 9);
      const top = mouth.y - age * height * 0.5 - radius;
      context.drawImage(smoke, x - radius, top, radius * 2, radius * 2);
    }
    context.globalAlpha = 1;
  }

  function drawGlow(context: SKRSContext2D, second: number): void {
    const flicker = 0.88 + 0.12 * noise.at(second * 2.3, 7);
    const reach = height * 0.5 * flicker;
    context.globalCompositeOperation = 'lighter';
    context.globalAlpha = 0.6 * flicker;
    context.drawImage(glow, mouth.x - reach, mouth.y - reach * 1.1, reach * 2, reach * 2);
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }

  return {
    draw(context, second) {
      const seen = camera.at(second);
      sky.draw(context, seen);
      air.drawStars(context, second);
      seen.look(context, depth, () => {
        drawSmoke(context, second);
        drawGlow(context, second);
      });
      cone.draw(context, seen);
      seen.look(context, depth, () => {
        drawRivers(context, second);
        drawFountain(context, second);
      });
      air.drawSpecks(context, second);
    },
  };
}

type Place = { readonly x: number; readonly y: number };

function createCone(setting: SceneContext, mouth: Place): Layer {
  const { size, noise, palette, random } = setting;
  const { height } = size;
  const row = random() * 90;
  const rock = mix(palette.shade, [46, 26, 24], 0.4);
  return createLayer(
    setting,
    { depth, top: mouth.y - height * 0.04, bottom: height },
    (context, edges) => {
      const fill = context.createLinearGradient(0, mouth.y, 0, height * horizon);
      fill.addColorStop(0, css(mix(rock, lava, 0.55)));
      fill.addColorStop(0.3, css(mix(rock, lava, 0.16)));
      fill.addColorStop(1, css(rock));
      context.fillStyle = fill;
      context.beginPath();
      for (const side of [-1, 1]) {
        for (let step = 0; step <= 60; step += 1) {
          const share = (side === -1 ? 60 - step : step) / 60;
          const rough = noise.rough(share * 9 + row, side * 5, 3) * 0.018;
          const x = mouth.x + side * (flank(share) + rough) * height;
          context.lineTo(x, mouth.y + share * height * (horizon + 0.04 - 0.36));
        }
      }
      context.fill();
      const ground = height * (horizon + 0.01);
      const soil = context.createLinearGradient(0, ground, 0, edges.bottom);
      soil.addColorStop(0, css(mix(rock, lava, 0.12)));
      soil.addColorStop(1, css(palette.shade));
      context.fillStyle = soil;
      context.beginPath();
      context.moveTo(edges.left, edges.bottom);
      for (let x = edges.left; x <= edges.right + 6; x += 6) {
        context.lineTo(x, ground - noise.rough((x / height) * 2 + row, 9, 3) * height * 0.025);
      }
      context.lineTo(edges.right, edges.bottom);
      context.fill();
    },
  );
}

/** Glowing pieces, thrown up and falling back in an arc. */
function createFountain({ random, size, brief, unit }: SceneContext, mouth: Place) {
  const { height } = size;
  const dot = glowOf([255, 186, 84], 24);
  const pieces = Array.from({ length: 150 }, () => ({
    aside: (random() + random() - 1) * 0.34,
    speed: between(random, { from: 0.45, to: 1 }),
    life: between(random, { from: 1.3, to: 2.2 }),
    phase: random(),
    radius: between(random, { from: 2.2, to: 7 }) * unit,
  }));
  return (context: SKRSContext2D, second: number): void => {
    context.globalCompositeOperation = 'lighter';
    for (const { aside, speed, life, phase, radius } of pieces) {
      const age = wrap(phase + (second * brief.pace) / life);
      const rise = (speed * age * 1.9 - 1.7 * age * age) * height * 0.62;
      const x = mouth.x + aside * age * speed * height * 0.55;
      context.globalAlpha = Math.min(1, (1 - age) * 1.6);
      context.drawImage(dot, x - radius, mouth.y - rise - radius, radius * 2, radius * 2);
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  };
}

/** Lava that finds its way down, brighter and darker as it comes. */
function createRivers({ random, noise, size }: SceneContext, mouth: Place) {
  const { height } = size;
  const rivers = Array.from({ length: 4 }, (_, index) => ({
    aside: (index - 1.5) * 0.34 + between(random, { from: -0.08, to: 0.08 }),
    reach: between(random, { from: 0.55, to: 0.95 }),
    row: random() * 90,
    phase: random() * 6,
  }));

  return (context: SKRSContext2D, second: number): void => {
    context.globalCompositeOperation = 'lighter';
    context.lineCap = 'round';
    for (const { aside, reach, row, phase } of rivers) {
      const pulse = 0.8 + 0.2 * Math.sin(second * 1.3 + phase);
      for (const [thick, color, alpha] of [
        [0.026, [180, 34, 6], 0.35],
        [0.011, lava, 0.7],
        [0.004, [255, 226, 140], 0.8],
      ] as const) {
        context.strokeStyle = css(color, alpha * pulse);
        context.lineWidth = height * thick;
        context.beginPath();
        for (let step = 0; step <= 14; step += 1) {
          const share = (step / 14) * reach;
          const bend = noise.at(row, share * 4) * 0.05 * share;
          const x = mouth.x + (aside * flank(share) + bend) * height;
          const y = mouth.y + share * height * (horizon - 0.34);
          if (step === 0) context.moveTo(x, y);
          else context.lineTo(x, y);
        }
        context.stroke();
      }
    }
    context.globalCompositeOperation = 'source-over';
  };
}
