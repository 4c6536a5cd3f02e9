/** Keeps the pixels that overlays are about to cover, and adds them to the finished MP4. */
import { readFile, rm } from 'node:fs/promises';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { OverlayRegion } from '../captions/caption.ts';
import type { EncoderChoice } from '../encode/choose.ts';
import { framesPerSecond } from '../render-job.ts';
import type { Size } from '../size.ts';
import { appendCleanBox, atlasSize, type CleanRegion, type CleanSegment } from './clean-box.ts';

type CleanRecorder = {
  /** Call for every frame before its overlays are drawn. */
  add(bare: Canvas, frame: number): Promise<void>;
  /** Call after the video was written. */
  close(): Promise<void>;
};

type RecordedPicture = {
  /** The video, beside which a temporary file is written. */
  readonly file: string;
  readonly size: Size;
  readonly frames: number;
  readonly overlays: readonly OverlayRegion[];
};

/** More than a caption: a title on a soft scene, which half the resolution reproduces well. */
const largeShare = 0.1;

export async function openCleanRecorder(
  encoder: EncoderChoice,
  { file, size, frames, overlays }: RecordedPicture,
): Promise<CleanRecorder> {
  const regions = overlays.map(({ untilSecond, ...box }) => ({
    ...box,
    untilFrame: Math.min(frames, Math.ceil(untilSecond * framesPerSecond)),
  }));
  // A segment ends with a region, so that fewer pixels are encoded after a caption.
  const ends = [...new Set(regions.map(({ untilFrame }) => untilFrame))].sort((a, b) => a - b);
  const segments: CleanSegment[] = [];
  let start = 0;
  let recording = await begin();

  async function begin() {
    const end = ends[segments.length]!;
    const covered = regions
      .filter(({ untilFrame }) => untilFrame >= end)
      .map((region) => ({ ...region, untilFrame: end - start }));
    const pixels = covered.reduce((sum, { width, height }) => sum + width * height, 0);
    const reduction = pixels > size.width * size.height * largeShare ? 2 : 1;
    return await openAtlas(encoder, {
      ...{ file: `${file}.clean`, regions: covered, frames: end - start, reduction },
    });
  }
  async function finish(): Promise<void> {
    const { frames: recorded, reduction, regions: covered } = recording;
    const clip = await recording.close();
    segments.push({ size, frames: recorded, reduction, regions: covered, clip });
    start += recorded;
  }
  return {
    async add(bare, frame) {
      if (frame - start >= recording.frames) {
        await finish();
        recording = await begin();
      }
      await recording.add(bare);
    },
    async close() {
      await finish();
      await appendCleanBox(file, segments);
    },
  };
}

async function openAtlas(
  encoder: EncoderChoice,
  options: {
    readonly file: string;
    readonly regions: readonly CleanRegion[];
    readonly frames: number;
    readonly reduction: 1 | 2;
  },
) {
  const { file, regions, frames, reduction } = options;
  const whole = atlasSize(regions);
  const size = { width: whole.width / reduction, height: whole.height / reduction };
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  context.scale(1 / reduction, 1 / reduction);
  const clip = await encoder.open({
    ...{ file, size, frames, framesPerSecond, sampleRate: null, isKept: true },
  });
  return {
    ...{ regions, frames, reduction },
    async add(bare: Canvas): Promise<void> {
      let top = 0;
      for (const { x, y, width, height } of regions) {
        context.drawImage(bare, x, y, width, height, 0, top, width, height);
        top += height;
      }
      await clip.addFrame(canvas.data());
    },
    async close(): Promise<Buffer> {
      await clip.close();
      const bytes = await readFile(file);
      await rm(file);
      return bytes;
    },
  };
}
