/** A distant island: a hill with trees, palms at both ends and a pale beach. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix } from '../../color.ts';
import { addLand } from '../../elements/land.ts';
import { drawPalm, palmOf } from '../../elements/palm.ts';
import { paintRelief } from '../../elements/relief.ts';
import { createSprite, type Sprite } from '../../elements/sprite.ts';
import type { SceneContext } from '../scene.ts';

type IslandPlan = {
  readonly x: number;
  readonly base: number;
  readonly wide: number;
  readonly depth: number;
};

export function createIsland(scene: SceneContext, plan: IslandPlan) {
  const { palette, noise, random } = scene;
  const { x, base, wide, depth } = plan;
  const row = random() * 50;
  const rise = wide * 0.28;
  const heightAt = (px: number): number => {
    const share = (px - x) / (wide / 2);
    if (Math.abs(share) >= 0.94) return 0;
    const hill = (1 - (share / 0.94) ** 2) ** 0.8 * (0.66 + 0.34 * Math.cos(share * 2.6 - 0.6));
    const crowns = Math.abs(noise.at((px / wide) * 34 + row, row)) * 0.14;
    const ridge = 0.72 + noise.rough((px / wide) * 5 + row, row, 3) * 0.6;
    return (hill * ridge + crowns * hill ** 0.3) * rise;
  };
  const dim = { dawn: 0.62, day: 0.16, dusk: 0.66, night: 0.86 }[palette.time];
  const dark = mix(palette.middle, palette.shade, 0.75);
  const woods: Color = mix(mix([44, 92, 52], palette.low, 0.2), dark, dim);
  const sand = mix(mix([236, 212, 160], palette.horizon, 0.3), dark, dim * 0.85);
  const sprite = paintIsland(scene, { ...plan, rise, woods, sand, heightAt });
  const palms = [-0.42, -0.33, 0.36, 0.44].map((share, index) =>
    palmOf(random, {
      x: x + share * wide,
      y: base - heightAt(x + share * wide) * 0.6,
      tall: wide * (0.2 + random() * 0.08),
      lean: (share < 0 ? -1 : 1) * (0.16 + 0.1 * (index % 2)),
    }),
  );
  const color = mix(woods, dark, 0.5);
  return (context: SKRSContext2D, camera: Camera): void =>
    camera.look(context, depth, () => {
      sprite.draw(context);
      for (const palm of palms) drawPalm(context, palm, { color, second: camera.second, wind: 1 });
    });
}

type IslandShape = IslandPlan & {
  readonly rise: number;
  readonly woods: Color;
  readonly sand: Color;
  heightAt(x: number): number;
};

function paintIsland(scene: SceneContext, land: IslandShape): Sprite {
  const { palette, unit } = scene;
  const { x, base, wide, rise, woods } = land;
  const lit = mix(
    woods,
    mix(palette.horizon, palette.light, 0.3),
    palette.time === 'day' ? 0.25 : 0.2,
  );
  const half = wide / 2;
  const box = { left: x - wide * 0.56, right: x + wide * 0.56 };
  return createSprite({ ...box, top: base - rise * 1.4, bottom: base + 14 * unit }, (context) => {
    context.fillStyle = css(land.sand);
    context.beginPath();
    context.ellipse(x, base, wide * 0.54, wide * 0.016, 0, Math.PI, 0);
    context.fill();
    context.save();
    context.beginPath();
    addLand(context, { left: x - half, right: x + half, bottom: base }, (px) => {
      return base - land.heightAt(px) - wide * 0.006;
    });
    context.clip();
    const hill = { left: x - half, right: x + half, top: base - rise * 1.2, bottom: base };
    const light = { body: woods, lit, foot: mix(woods, palette.low, 0.3), fade: 0.6, side: 1 };
    paintRelief(context, scene, { ...light, box: hill, grain: wide * 0.1 });
    context.restore();
    const mirror = context.createLinearGradient(0, base, 0, base + 14 * unit);
    mirror.addColorStop(0, css(mix(woods, palette.shade, 0.4), 0.55));
    mirror.addColorStop(1, css(woods, 0));
    context.fillStyle = mirror;
    context.fillRect(x - half, base, wide, 14 * unit);
  });
}
