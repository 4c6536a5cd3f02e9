/** What clips are made from when they are checked: pictures, videos and sound of every shape. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { chooseEncoder } from '../encode/choose.ts';
import { between, randomFrom } from '../random.ts';
import { framesPerSecond, type JobMaterial } from '../render-job.ts';
import { type Ratio, type Size, sizeOf } from '../size.ts';
import type { CheckMode } from './cases.ts';

const sampleRate = 48_000;
const sourceSeconds = 1;

/** What a mode is given: how many of each kind. */
const givenTo: Record<CheckMode, { images: number; videos: number; audios: number }> = {
  text: { images: 0, videos: 0, audios: 0 },
  image: { images: 1, videos: 0, audios: 0 },
  images: { images: 2, videos: 0, audios: 0 },
  reference: { images: 2, videos: 1, audios: 1 },
  edit: { images: 0, videos: 1, audios: 0 },
  extension: { images: 0, videos: 1, audios: 0 },
};

/** Files are made when they are first asked for, and once. */
export function createMaterials(folder: string): {
  of(mode: CheckMode, shape: Ratio): Promise<JobMaterial[]>;
} {
  const made = new Map<string, Promise<string>>();
  const once = (name: string, make: (file: string) => Promise<void>): Promise<string> => {
    const file = join(folder, name);
    if (!made.has(name))
      made.set(
        name,
        make(file).then(() => file),
      );
    return made.get(name)!;
  };
  const materialOf = async (
    kind: JobMaterial['kind'],
    index: number,
    shape: Ratio,
  ): Promise<JobMaterial> => {
    const name = `${kind}-${index}-${shape.replace(':', 'x')}`;
    const file = await once(name, (path) => makers[kind](path, { index, shape }));
    return { kind, index, file, title: `cdn.example.test/${name}` };
  };
  return {
    async of(mode, shape) {
      await mkdir(folder, { recursive: true });
      const { images, videos, audios } = givenTo[mode];
      const wanted = [
        ...Array.from({ length: images }, (_, index) => ['image', index] as const),
        ...Array.from({ length: videos }, (_, index) => ['video', index] as const),
        ...Array.from({ length: audios }, (_, index) => ['audio', index] as const),
      ];
      return await Promise.all(wanted.map(([kind, index]) => materialOf(kind, index, shape)));
    },
  };
}

type Wanted = { readonly index: number; readonly shape: Ratio };

const makers: Record<JobMaterial['kind'], (file: string, wanted: Wanted) => Promise<void>> = {
  async image(file, { index, shape }) {
    const picture = drawPhoto(sizeLike('1080p', shape), { seed: index + 1, shift: 0 });
    await writeFile(file, await picture.encode('jpeg', 95));
  },
  async video(file, { index, shape }) {
    const size = sizeLike('480p', shape);
    const frames = sourceSeconds * framesPerSecond;
    const { open } = await chooseEncoder('native');
    const encoder = await open({ file, size, framesPerSecond, frames, sampleRate });
    for (let second = 0; second < sourceSeconds; second += 1) await encoder.addAudio(tone());
    for (let frame = 0; frame < frames; frame += 1) {
      await encoder.addFrame(drawPhoto(size, { seed: index + 20, shift: frame * 3 }).data());
    }
    await encoder.close();
  },
  async audio(file) {
    await writeFile(file, waveFile(tone()));
  },
};

const sizeLike = (resolution: '480p' | '1080p', aspectRatio: Ratio): Size =>
  sizeOf({ model: 'vidgen-2-0', resolution, aspectRatio }, null);

/** As detailed as a photograph: soft light, edges at every angle, fine texture. */
export function drawPhoto(size: Size, look: { seed: number; shift: number }): Canvas {
  const { width, height } = size;
  const random = randomFrom(look.seed);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  const hue = random() * 360;
  const sky = context.createLinearGradient(0, 0, width * 0.3, height);
  sky.addColorStop(0, `hsl(${hue} 45% 35%)`);
  sky.addColorStop(1, `hsl(${hue + 70} 60% 75%)`);
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  for (let shape = 0; shape < 160; shape += 1) {
    const near = shape / 160;
    const tone = between(random, { from: 15, to: 80 });
    context.fillStyle = `hsl(${hue + random() * 140} ${30 + near * 30}% ${tone}% / 0.7)`;
    const [x, y] = [random() * width + look.shift * near, random() * height];
    const reach = between(random, { from: 0.01, to: 0.14 }) * height;
    context.beginPath();
    if (shape % 3 === 0) context.ellipse(x, y, reach * 1.4, reach, random() * 3, 0, Math.PI * 2);
    else {
      context.moveTo(x, y);
      context.lineTo(x + reach * (random() - 0.3), y + reach);
      context.lineTo(x - reach, y + reach * random() * 0.6);
    }
    context.fill();
  }
  return canvas;
}

/** A second of a steady tone. */
const tone = (): Float32Array =>
  Float32Array.from({ length: sampleRate * 2 }, (_, at) => Math.sin(at / 36) * 0.4);

/** Samples as a WAV file of 32-bit floats, stereo. */
function waveFile(samples: Float32Array): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(3, 20); // floats
  head.writeUInt16LE(2, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 8, 28);
  head.writeUInt16LE(8, 32);
  head.writeUInt16LE(32, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}
