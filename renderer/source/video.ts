/**
 * A given video: its real size and length, and its frames at 24 per second, whatever its own frame
 * rate. Frames are streamed, so that memory does not grow with the length.
 */
import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas';
import { framesPerSecond } from '../render-job.ts';
import type { Size } from '../size.ts';
import { type Container, damaged, openContainer } from './container.ts';
import { createScaler, decode, displaySize, type FrameReader, type TimedFrame } from './frames.ts';
import { measureVideo, type VideoTiming } from './measure.ts';

export type VideoSource = Awaited<ReturnType<typeof openVideo>>;

type PlayOptions = {
  readonly size: Size;
  readonly atEnd: 'hold' | 'repeat';
  readonly threads: 1 | 2;
  readonly filters?: string;
};

/** Throws `UnusableMaterial` if the file is not a usable video. */
export async function openVideo(file: string) {
  const measured = await withContainer(file, { onlyVideo: false }, measureVideo);
  const size = await withContainer(file, { onlyVideo: true }, firstSize);
  const timed = { file, ...measured };
  return {
    ...measured,
    file,
    /** After rotation, with square pixels. */
    size,
    /** Whether it exceeds the shared memory limit and must not be decoded while others are. */
    isStill: false,
    play: (options: PlayOptions) => play(timed, options),
    lastFrame: (wanted: Size) => lastFrame(timed, wanted),
  };
}

/** Ten videos of 1080p. A decoder holds about ten frames, 0.3 GB in total. */
const decodedPixelsMax = 10 * 1920 * 1080;

/** Marks the videos beyond the memory limit, which do not play. */
export function limitMemory(sources: readonly VideoSource[]): VideoSource[] {
  let pixels = 0;
  return sources.map((source) => {
    pixels += source.size.width * source.size.height;
    return { ...source, isStill: pixels > decodedPixelsMax };
  });
}

type TimedFile = VideoTiming & { readonly file: string };

async function withContainer<Result>(
  file: string,
  options: { readonly onlyVideo: boolean },
  use: (container: Container) => Promise<Result>,
): Promise<Result> {
  await using container = await openContainer(file, options);
  return await use(container);
}

/** Decodes one frame, which also finds files without any. */
async function firstSize(container: Container): Promise<Size> {
  await using frames = await decode(container, { threads: 1 });
  const first = await frames.next();
  if (!first) throw damaged();
  using frame = first.frame;
  return displaySize(frame, container);
}

async function play(source: TimedFile, options: PlayOptions) {
  let run = await openRun(source, options);
  let runStart = 0;
  let count = 0;
  const runFrames = Math.max(1, Math.round(source.seconds * framesPerSecond));

  async function produce(): Promise<Buffer> {
    if (options.atEnd === 'repeat' && count - runStart >= runFrames) {
      await run.close();
      run = await openRun(source, options);
      runStart = count;
    }
    const shown = await run.at((count - runStart) / framesPerSecond);
    count += 1;
    return shown;
  }

  // One frame ahead: it is decoded on other threads while the current one is drawn.
  let ahead: Promise<Buffer> | null = null;
  const start = (): Promise<Buffer> => {
    const producing = produce();
    producing.catch(() => {});
    return producing;
  };
  return {
    /** The RGBA pixels of the next frame, valid until the next call. */
    async next(): Promise<Buffer> {
      const pixels = await (ahead ?? start());
      ahead = start();
      return pixels;
    },
    async close() {
      await ahead?.catch(() => {});
      await run.close();
    },
  };
}

/** One pass through the file. Returns the frame nearest to each time. */
async function openRun(source: TimedFile, options: PlayOptions) {
  const container = await openContainer(source.file, { onlyVideo: true });
  const frames = await decode(container, options);
  let current = await frames.next();
  if (!current) throw damaged();
  const scaler = createScaler(container, { first: current.frame, ...options });
  let upcoming = await frames.next();
  // Two buffers, reused in turn: one is filled while the other is in use.
  const buffers = [bufferFor(options.size), bufferFor(options.size)] as [Buffer, Buffer];
  let pixels: Buffer | null = null;

  return {
    /** The frame at a time since the start. Times must not decrease. */
    async at(second: number): Promise<Buffer> {
      const limit = source.playsFrom + second + 0.5 / framesPerSecond;
      while (upcoming && upcoming.second < limit) {
        current?.frame.free();
        current = upcoming;
        upcoming = await frames.next();
        pixels = null;
      }
      if (!pixels) {
        buffers.reverse();
        pixels = await fill(buffers[0], scaler, current!);
      }
      return pixels;
    },
    async close() {
      current?.frame.free();
      upcoming?.frame.free();
      scaler.close();
      await frames[Symbol.asyncDispose]();
      await container[Symbol.asyncDispose]();
    },
  };
}

const bufferFor = ({ width, height }: Size): Buffer => Buffer.alloc(width * height * 4);

/** Scales a frame into a buffer of exactly its size. */
async function fill(
  buffer: Buffer,
  scaler: ReturnType<typeof createScaler>,
  { frame }: TimedFrame,
): Promise<Buffer> {
  const [scaled] = await scaler.processAll(frame).catch(() => Promise.reject(damaged()));
  if (!scaled) throw damaged();
  using picture = scaled;
  const [plane] = picture.data ?? [];
  const [stride] = picture.linesize;
  if (!plane || !stride) throw damaged();
  const row = picture.width * 4;
  if (stride === row) plane.copy(buffer, 0, 0, buffer.length);
  else {
    for (let y = 0; y < picture.height; y += 1) {
      plane.copy(buffer, y * row, y * stride, y * stride + row);
    }
  }
  return buffer;
}

/** How far before the end decoding starts; a file without an index is decoded from its start. */
const tailSeconds = 1;

async function lastFrame(source: TimedFile, size: Size): Promise<Canvas> {
  await using container = await openContainer(source.file, { onlyVideo: true });
  await container.seek(source.playsFrom + Math.max(0, source.seconds - tailSeconds));
  await using frames = await decode(container, { threads: 2 });
  const last = (await lastOf(frames)) ?? (await fromStart(source));
  using frame = last.frame;
  using scaler = createScaler(container, { first: frame, size });
  return canvasOf(await fill(bufferFor(size), scaler, last), size);
}

async function fromStart(source: TimedFile): Promise<TimedFrame> {
  await using container = await openContainer(source.file, { onlyVideo: true });
  await using frames = await decode(container, { threads: 2 });
  const last = await lastOf(frames);
  if (!last) throw damaged();
  return last;
}

async function lastOf(frames: FrameReader): Promise<TimedFrame | null> {
  let last: TimedFrame | null = null;
  for (let shown = await frames.next(); shown; shown = await frames.next()) {
    last?.frame.free();
    last = shown;
  }
  return last;
}

function canvasOf(rgba: Buffer, { width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  putPixels(canvas, rgba);
  return canvas;
}

export function putPixels(canvas: Canvas, rgba: Buffer): void {
  const pixels = new Uint8ClampedArray(rgba.buffer, rgba.byteOffset, rgba.length);
  const context = canvas.getContext('2d', { alpha: false });
  context.putImageData(new ImageData(pixels, canvas.width, canvas.height), 0, 0);
}
