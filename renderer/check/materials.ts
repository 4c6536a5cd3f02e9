/** Creates the images, videos and audio files that checked clips are made from. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { NamedRatio } from '@vidgen/contract/video-sizes.ts';
import { between, randomFrom } from '../random.ts';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import { type Size, sizeOf } from '../size.ts';
import { toneOf } from '../testing/audio-analysis.ts';
import { wavOf } from '../testing/audio-files.ts';
import { steady, writeVideo } from '../testing/video-files.ts';

export type CheckMaterials = {
  of(kinds: readonly MaterialKind[], ratio: NamedRatio): Promise<JobMaterial[]>;
};

/** Each file is created once, when it is first needed. */
export function createMaterials(folder: string): CheckMaterials {
  const created = new Map<string, Promise<void>>();
  return {
    async of(kinds, ratio) {
      await mkdir(folder, { recursive: true });
      const materials = kinds.map((kind, at) => {
        const index = kinds.slice(0, at).filter((other) => other === kind).length;
        const name = `${kind}-${index}-${ratio.replace(':', 'x')}`;
        return { kind, index, file: join(folder, name), title: `cdn.example.test/${name}` };
      });
      for (const { kind, index, file } of materials) {
        if (!created.has(file)) created.set(file, write(file, { kind, index, ratio }));
        await created.get(file);
      }
      return materials;
    },
  };
}

async function write(
  file: string,
  { kind, index, ratio }: { kind: MaterialKind; index: number; ratio: NamedRatio },
): Promise<void> {
  if (kind === 'image') {
    const photo = drawPhoto(sizeIn('1080p', ratio), index + 1);
    await writeFile(file, await photo.encode('jpeg', 95));
  } else if (kind === 'video') {
    const frames = steady({ seconds: 1 });
    await writeVideo(file, { size: sizeIn('480p', ratio), frames, clickSeconds: 1 });
  } else {
    await writeFile(file, wavOf(toneOf({ hertz: 440, seconds: 1, level: 0.4 })));
  }
}

const sizeIn = (resolution: '480p' | '1080p', aspectRatio: NamedRatio): Size =>
  sizeOf({ model: 'vidgen-2-0', resolution, aspectRatio }, null);

/** As detailed as a photo: a gradient, and edges at every angle. */
function drawPhoto({ width, height }: Size, seed: number): Canvas {
  const random = randomFrom(seed);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  const hue = random() * 360;
  const sky = context.createLinearGradient(0, 0, width * 0.3, height);
  sky.addColorStop(0, `hsl(${hue} 45% 35%)`);
  sky.addColorStop(1, `hsl(${hue + 70} 60% 75%)`);
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  for (let shape = 0; shape < 160; shape += 1) {
    const lightness = between(random, { from: 15, to: 80 });
    context.fillStyle = `hsl(${hue + random() * 140} ${30 + shape / 5}% ${lightness}% / 0.7)`;
    const [x, y] = [random() * width, random() * height];
    const reach = between(random, { from: 0.01, to: 0.14 }) * height;
    context.beginPath();
    context.ellipse(x, y, reach * 1.4, reach * random(), random() * 3, 0, Math.PI * 2);
    context.fill();
  }
  return canvas;
}
