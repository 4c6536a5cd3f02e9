/**
 * `npm run preview:gallery` writes one frame of every clip to `docs/images/previews.jpg`, and the
 * three frames of the README. `npm run preview:gallery -- 3 7` renders only these clips.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { chooseEncoder } from '../encode/choose.ts';
import { createPicture } from '../picture.ts';
import { framesPerSecond, type JobMaterial, type RenderJob } from '../render-job.ts';
import { type GalleryClip, galleryClips } from './clips.ts';

const images = join(import.meta.dirname, '../../docs/images');
const sheetWidth = 2400;
const gap = 10;
const clipsPerRow = 6;
const sourceSeconds = 4;

const chosen = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'vidgen-gallery-'));
const shots: Canvas[] = [];
for (const [index, clip] of galleryClips.entries()) {
  if (chosen.length > 0 && !chosen.includes(index)) continue;
  process.stderr.write(`${index + 1} of ${galleryClips.length}: ${clip.prompt}\n`);
  shots.push(await shotOf(clip));
}
await mkdir(images, { recursive: true });
await writeFile(join(images, 'previews.jpg'), await sheetOf(shots).encode('jpeg', 84));
if (chosen.length === 0) {
  const strip = await stripOf(galleryClips[0]!);
  await writeFile(join(images, 'first-video.jpg'), await strip.encode('jpeg', 86));
}
await rm(folder, { recursive: true });
process.exit(0);

/** Modes with videos draw frames in order only, so earlier frames are drawn first. */
async function shotOf(clip: GalleryClip, until = clip.second ?? 3.2): Promise<Canvas> {
  const picture = await createPicture(await jobOf(clip));
  const canvas = createCanvas(picture.size.width, picture.size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const last = Math.min(picture.frames - 1, Math.round(until * framesPerSecond));
  const isInOrder = (clip.videos ?? []).length > 0;
  for (let frame = isInOrder ? 0 : last; frame <= last; frame += 1) {
    await picture.draw(context, frame);
  }
  await picture.close();
  return canvas;
}

async function jobOf(clip: GalleryClip): Promise<RenderJob> {
  const materials: JobMaterial[] = [];
  for (const [index, of] of (clip.images ?? []).entries()) {
    materials.push(await materialOf('image', index, of));
  }
  for (const [index, of] of (clip.videos ?? []).entries()) {
    materials.push(await materialOf('video', index, of));
  }
  const generation: Generation = {
    model: 'vidgen-2-0',
    prompt: clip.prompt,
    generationType: 'text-to-video',
    imageUrls: [],
    videoUrls: [],
    audioUrls: [],
    duration: 5,
    aspectRatio: '16:9',
    resolution: '720p',
    generateAudio: false,
    watermark: false,
    webSearch: false,
    returnLastFrame: false,
    seed: clip.seed ?? 7,
    ...clip.change,
  };
  const out = { video: '', lastFrame: null };
  return { generation, materials, seed: clip.seed ?? 7, out };
}

async function materialOf(
  kind: 'image' | 'video',
  index: number,
  of: number,
): Promise<JobMaterial> {
  const file = join(folder, `${kind}-${of}`);
  const job = await jobOf(galleryClips[of]!);
  const picture = await createPicture(job);
  const canvas = createCanvas(picture.size.width, picture.size.height);
  const context = canvas.getContext('2d', { alpha: false });
  if (kind === 'image') {
    await picture.drawBare(context, 3 * framesPerSecond);
    await writeFile(file, await canvas.encode('jpeg', 94));
  } else {
    const frames = sourceSeconds * framesPerSecond;
    const { open } = await chooseEncoder('native');
    const options = { file, size: picture.size, framesPerSecond, frames, sampleRate: null };
    const encoder = await open(options);
    for (let frame = 0; frame < frames; frame += 1) {
      await picture.drawBare(context, frame);
      await encoder.addFrame(Buffer.from(canvas.data()));
    }
    await encoder.close();
  }
  await picture.close();
  return { kind, index, file, title: `gallery/${kind}-${of}` };
}

/** Arranges the clips in rows that all fill the width of the sheet. */
function sheetOf(all: readonly Canvas[]): Canvas {
  const rows: { picture: Canvas; x: number; width: number; height: number }[][] = [];
  for (let from = 0; from < all.length; from += clipsPerRow) {
    const row = all.slice(from, from + clipsPerRow);
    const shapes = row.map(({ width, height }) => width / height);
    const sum = shapes.reduce((one, other) => one + other, 0);
    const height = (sheetWidth - gap * (row.length + 1)) / sum;
    let x = gap;
    rows.push(
      row.map((picture, at) => {
        const width = height * shapes[at]!;
        const place = { picture, x, width, height };
        x += width + gap;
        return place;
      }),
    );
  }
  const total = rows.reduce((sum, row) => sum + row[0]!.height + gap, gap);
  const sheet = createCanvas(sheetWidth, Math.round(total));
  const context = sheet.getContext('2d', { alpha: false });
  context.fillStyle = '#0d1117';
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.imageSmoothingQuality = 'medium';
  let y = gap;
  for (const row of rows) {
    for (const { picture, x, width, height } of row) {
      context.drawImage(picture, x, y, width, height);
    }
    y += row[0]!.height + gap;
  }
  return sheet;
}

async function stripOf(clip: GalleryClip): Promise<Canvas> {
  const moments = await Promise.all([0.9, 2.6, 4.6].map((second) => shotOf(clip, second)));
  const width = 640;
  const height = Math.round((width * moments[0]!.height) / moments[0]!.width);
  const strip = createCanvas(width * moments.length + 6 * (moments.length - 1), height);
  const context = strip.getContext('2d', { alpha: false });
  context.fillStyle = '#0d1117';
  context.fillRect(0, 0, strip.width, height);
  context.imageSmoothingQuality = 'medium';
  for (const [index, picture] of moments.entries()) {
    context.drawImage(picture, index * (width + 6), 0, width, height);
  }
  return strip;
}
