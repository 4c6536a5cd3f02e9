/**
 * `npm run preview:gallery` writes one frame of every clip to `docs/images/previews.jpg`, and the
 * three frames of the README. `npm run preview:gallery -- 3 7` renders only these clips.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { chooseEncoder } from '../encode/choose.ts';
import { createPicture } from '../picture.ts';
import { framesPerSecond, type JobMaterial, type RenderJob } from '../render-job.ts';
import { type GalleryClip, galleryClips } from './clips.ts';

const images = join(import.meta.dirname, '../../docs/images');
const sourceSeconds = 4;

const chosen = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'vidgen-gallery-'));
const shots: Canvas[] = [];
for (const [index, clip] of galleryClips.entries()) {
  if (chosen.length > 0 && !chosen.includes(index)) continue;
  process.stderr.write(`${index + 1} of ${galleryClips.length}: ${clip.prompt}\n`);
  shots.push(await shotOf(clip));
}
const sheet = sheetOf(shots, { width: 2400, gap: 10, edge: 10, perRow: 6 });
await writeFile(join(images, 'previews.jpg'), await sheet.encode('jpeg', 84));
if (chosen.length === 0) {
  const [first] = galleryClips;
  const frames = await Promise.all([0.9, 2.6, 4.6].map((second) => shotOf(first!, second)));
  const strip = sheetOf(frames, { width: 1932, gap: 6, edge: 0, perRow: 3 });
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
  const { prompt, change } = clip;
  const generation: Generation = {
    ...{ model: 'vidgen-2-0', generationType: 'text-to-video', prompt, duration: 5, seed: 7 },
    ...{ imageUrls: [], videoUrls: [], audioUrls: [], aspectRatio: '16:9', resolution: '720p' },
    ...{ generateAudio: false, watermark: false, webSearch: false, returnLastFrame: false },
    ...change,
  };
  return { generation, materials, seed: 7, out: { video: '', lastFrame: null } };
}

async function materialOf(
  kind: 'image' | 'video',
  index: number,
  of: number,
): Promise<JobMaterial> {
  const file = join(folder, `${kind}-${of}`);
  const picture = await createPicture(await jobOf(galleryClips[of]!));
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

/** Arranges the frames in rows that all fill the width of the sheet. */
function sheetOf(
  all: readonly Canvas[],
  { width, gap, edge, perRow }: { width: number; gap: number; edge: number; perRow: number },
): Canvas {
  let y = edge;
  const placed = Array.from({ length: Math.ceil(all.length / perRow) }, (_, at) => {
    const row = all.slice(at * perRow, (at + 1) * perRow);
    const shapes = row.reduce((sum, picture) => sum + picture.width / picture.height, 0);
    const height = (width - edge * 2 - gap * (row.length - 1)) / shapes;
    let x = edge;
    const boxes = row.map((picture) => {
      const box = { picture, x, y, width: (height * picture.width) / picture.height, height };
      x += box.width + gap;
      return box;
    });
    y += height + gap;
    return boxes;
  }).flat();
  const sheet = createCanvas(width, Math.round(y - gap + edge));
  const context = sheet.getContext('2d', { alpha: false });
  context.fillStyle = '#0d1117';
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.imageSmoothingQuality = 'medium';
  for (const box of placed) {
    context.drawImage(box.picture, box.x, box.y, box.width, box.height);
  }
  return sheet;
}
