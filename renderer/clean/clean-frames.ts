/**
 * Removes the overlays of earlier previews from decoded frames, with the pixels that the file
 * keeps. A file whose kept pixels cannot be used is shown as it is.
 */
import type { Frame } from 'node-av/lib';
import { framesPerSecond } from '../render-job.ts';
import { openContainer } from '../source/container.ts';
import { decode, type FrameReader } from '../source/frames.ts';
import { atlasSize, type CleanRegion, type CleanSegment } from './clean-box.ts';

/** The frames of one segment's clip, in order. */
type Atlas = AsyncDisposable & {
  /** Numbers must not decrease. Valid until the next call; null after the last frame. */
  at(number: number): Promise<Frame | null>;
};

/** Also closes `frames`. */
export function withoutOverlays(
  frames: FrameReader,
  { segments, startsAt }: { segments: readonly CleanSegment[]; startsAt: number },
): FrameReader {
  if (segments.length === 0) return frames;
  let opened: { readonly segment: CleanSegment; readonly atlas: Atlas } | null = null;
  let isUsable = true;

  async function clean(frame: Frame, second: number): Promise<void> {
    let number = Math.round((second - startsAt) * framesPerSecond);
    let at = 0;
    while (at < segments.length && number >= segments[at]!.frames) {
      number -= segments[at]!.frames;
      at += 1;
    }
    const segment = segments[at];
    const covered = segment?.regions.some(({ untilFrame }) => number < untilFrame);
    if (!segment || !covered || number < 0) return;
    if (opened?.segment !== segment) {
      await opened?.atlas[Symbol.asyncDispose]();
      opened = { segment, atlas: await openAtlas(segment) };
    }
    const kept = await opened.atlas.at(number);
    if (kept) restore(frame, kept, { segment, number });
  }

  return {
    async next() {
      const timed = await frames.next();
      if (timed && isUsable) {
        await clean(timed.frame, timed.second).catch(() => {
          isUsable = false;
        });
      }
      return timed;
    },
    async [Symbol.asyncDispose]() {
      await opened?.atlas[Symbol.asyncDispose]();
      await frames[Symbol.asyncDispose]();
    },
  };
}

async function openAtlas({ clip, regions, reduction }: CleanSegment): Promise<Atlas> {
  const container = await openContainer(clip, { onlyVideo: true });
  const frames = await decode(container, { threads: 1 });
  const { width, height } = atlasSize(regions);
  const enlarge =
    reduction === 1
      ? null
      : container.av.FilterAPI.create(`scale=${width}:${height}:flags=bilinear`, { threads: 1 });
  let [shown, current] = [-1, null as Frame | null];

  async function next(): Promise<Frame | null> {
    const frame = (await frames.next())?.frame ?? null;
    if (!frame || !enlarge) return frame;
    using small = frame;
    return (await enlarge.processAll(small))[0] ?? null;
  }
  return {
    async at(number) {
      while (shown < number) {
        current?.free();
        current = await next();
        if (!current) return null;
        shown += 1;
      }
      return current;
    },
    async [Symbol.asyncDispose]() {
      current?.free();
      enlarge?.close();
      await frames[Symbol.asyncDispose]();
      await container[Symbol.asyncDispose]();
    },
  };
}

/** Copies the kept pixels to their place. Both frames must have planes of 8 bits, 4:2:0. */
function restore(
  frame: Frame,
  kept: Frame,
  { segment, number }: { readonly segment: CleanSegment; readonly number: number },
): void {
  const { size, regions } = segment;
  const atlas = atlasSize(regions);
  const isSame =
    frame.width === size.width && frame.height === size.height && frame.format === kept.format;
  // AV_PIX_FMT_YUV420P
  if (!isSame || kept.format !== 0) return;
  if (kept.width !== atlas.width || kept.height !== atlas.height) return;
  // The decoder still predicts from this frame.
  if (frame.makeWritable() < 0) return;
  let top = 0;
  for (const region of regions) {
    if (number < region.untilFrame) copyRegion(frame, kept, region, top);
    top += region.height;
  }
}

function copyRegion(frame: Frame, kept: Frame, region: CleanRegion, top: number): void {
  for (const [plane, half] of [1, 2, 2].entries()) {
    const [to, from] = [frame.data?.[plane], kept.data?.[plane]];
    const [toStride, fromStride] = [frame.linesize[plane]!, kept.linesize[plane]!];
    if (!to || !from) return;
    const [x, width] = [region.x / half, region.width / half];
    for (let row = 0; row < region.height / half; row += 1) {
      const start = (top / half + row) * fromStride;
      from.copy(to, (region.y / half + row) * toStride + x, start, start + width);
    }
  }
}
