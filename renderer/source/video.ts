/**
 * A given video: its true size and length, and its pictures at 24 a second, whatever it was made
 * at. Read as a stream, so that thirty seconds need no more memory than one.
 */
import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas';
import { framesPerSecond } from '../render-job.ts';
import type { Size } from '../size.ts';
import { type Container, damaged, openContainer, UnusableVideo } from './container.ts';
import { decode, displaySize, type Frames, type Shown, scaler } from './frames.ts';
import { type Measure, measure } from './measure.ts';

export { UnusableVideo };

export type VideoSource = Measure & {
  readonly file: string;
  /** Upright, with square pixels. */
  readonly size: Size;
  /** Among so many large ones that it must not be decoded together with them. */
  readonly isHeavy: boolean;
  play(options: PlayOptions): Promise<Player>;
  /** The last picture, covering the given size. */
  lastFrame(size: Size): Promise<Canvas>;
};

export type PlayOptions = {
  /** The pictures cover it; what hangs over on two sides is cut. */
  readonly size: Size;
  /** What comes after the last picture: that picture for ever, or the first one again. */
  readonly atEnd: 'hold' | 'repeat';
  readonly threads: 1 | 2;
  /** Further steps of FFmpeg's, on the pictures in their final size. */
  readonly filters?: string;
};

export type Player = {
  /** The RGBA pixels of the next 24th of a second. They are good until it is asked again. */
  next(): Promise<Buffer>;
  close(): Promise<void>;
};

/** Throws `UnusableVideo` for anything but a video that can be shown. */
export async function openVideo(file: string): Promise<VideoSource> {
  const measured = await withContainer(file, { onlyPicture: false }, measure);
  const size = await withContainer(file, { onlyPicture: true }, firstSize);
  return {
    ...measured,
    ...{ file, size, isHeavy: false },
    play: (options) => play({ file, ...measured }, options),
    lastFrame: (wanted) => lastFrame({ file, ...measured }, wanted),
  };
}

/** Ten videos of 1080p. A decoder holds about ten pictures: 0.3 GB of them in all. */
const togetherPixelsMax = 10 * 1920 * 1080;

/** Marks those that are too many: the first ones play, the others are looked through beforehand. */
export function sharingMemory(sources: readonly VideoSource[]): VideoSource[] {
  let pixels = 0;
  return sources.map((source) => {
    pixels += source.size.width * source.size.height;
    return { ...source, isHeavy: pixels > togetherPixelsMax };
  });
}

type Take = Measure & { readonly file: string };

async function withContainer<Result>(
  file: string,
  options: { readonly onlyPicture: boolean },
  use: (container: Container) => Promise<Result>,
): Promise<Result> {
  await using container = await openContainer(file, options);
  return await use(container);
}

/** Decodes one picture: a file in which there is none to decode is found out here. */
async function firstSize(container: Container): Promise<Size> {
  using frames = await decode(container, { threads: 1 });
  const first = await frames.next();
  if (!first) throw damaged();
  using frame = first.frame;
  return displaySize(frame, container);
}

async function play(take: Take, options: PlayOptions): Promise<Player> {
  let run = await openRun(take, options);
  let runStart = 0;
  let count = 0;
  const runFrames = Math.max(1, Math.round(take.seconds * framesPerSecond));

  async function produce(): Promise<Buffer> {
    if (options.atEnd === 'repeat' && count - runStart >= runFrames) {
      await run.close();
      run = await openRun(take, options);
      runStart = count;
    }
    const shown = await run.at((count - runStart) / framesPerSecond);
    count += 1;
    return shown;
  }

  // One ahead: it is decoded on other threads while the last one is being drawn.
  let ahead: Promise<Buffer> | null = null;
  const start = (): Promise<Buffer> => {
    const producing = produce();
    producing.catch(() => {});
    return producing;
  };
  return {
    async next() {
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

type Run = {
  /** The picture of a moment, counted from the first one. Moments are asked for in their order. */
  at(second: number): Promise<Buffer>;
  close(): Promise<void>;
};

/** Once through the file. A moment shows the picture whose time is nearest to it. */
async function openRun(take: Take, options: PlayOptions): Promise<Run> {
  const container = await openContainer(take.file, { onlyPicture: true });
  const frames = await decode(container, options);
  let current = await frames.next();
  if (!current) throw damaged();
  const toPixels = scaler(container, { first: current.frame, ...options });
  let upcoming = await frames.next();
  // Two, since one is made while the other is used; a new one each time would be much to clear up.
  const buffers = [bufferFor(options.size), bufferFor(options.size)] as [Buffer, Buffer];
  let pixels: Buffer | null = null;

  return {
    async at(second) {
      const limit = take.startsAt + second + 0.5 / framesPerSecond;
      while (upcoming && upcoming.second < limit) {
        current?.frame.free();
        current = upcoming;
        upcoming = await frames.next();
        pixels = null;
      }
      if (!pixels) {
        buffers.reverse();
        pixels = await fill(buffers[0], toPixels, current!);
      }
      return pixels;
    },
    async close() {
      current?.frame.free();
      upcoming?.frame.free();
      toPixels.close();
      frames[Symbol.dispose]();
      await container[Symbol.asyncDispose]();
    },
  };
}

const bufferFor = ({ width, height }: Size): Buffer => Buffer.alloc(width * height * 4);

/** Scales a picture into a buffer of just its size. */
async function fill(
  buffer: Buffer,
  toPixels: ReturnType<typeof scaler>,
  { frame }: Shown,
): Promise<Buffer> {
  const [scaled] = await toPixels.processAll(frame).catch(() => Promise.reject(damaged()));
  if (!scaled) throw damaged();
  using picture = scaled;
  const [plane] = picture.data ?? [];
  const [stride] = picture.linesize;
  if (!plane || !stride) throw damaged();
  // Rows may be longer than what is seen of them.
  const row = picture.width * 4;
  if (stride === row) plane.copy(buffer, 0, 0, buffer.length);
  else {
    for (let y = 0; y < picture.height; y += 1) {
      plane.copy(buffer, y * row, y * stride, y * stride + row);
    }
  }
  return buffer;
}

/** How far before the end decoding begins; a file without an index is decoded from its start. */
const tailSeconds = 1;

async function lastFrame(take: Take, size: Size): Promise<Canvas> {
  await using container = await openContainer(take.file, { onlyPicture: true });
  await container.seek(take.startsAt + Math.max(0, take.seconds - tailSeconds));
  using frames = await decode(container, { threads: 2 });
  const last = (await lastOf(frames)) ?? (await fromStart(take));
  using frame = last.frame;
  using toPixels = scaler(container, { first: frame, size });
  return canvasOf(await fill(bufferFor(size), toPixels, last), size);
}

async function fromStart(take: Take): Promise<Shown> {
  await using container = await openContainer(take.file, { onlyPicture: true });
  using frames = await decode(container, { threads: 2 });
  const last = await lastOf(frames);
  if (!last) throw damaged();
  return last;
}

async function lastOf(frames: Frames): Promise<Shown | null> {
  let last: Shown | null = null;
  for (let shown = await frames.next(); shown; shown = await frames.next()) {
    last?.frame.free();
    last = shown;
  }
  return last;
}

/** An opaque canvas with these pixels. */
export function canvasOf(rgba: Buffer, { width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  paste(canvas, rgba);
  return canvas;
}

/** Lays pixels of a canvas' own size on it. */
export function paste(canvas: Canvas, rgba: Buffer): void {
  const pixels = new Uint8ClampedArray(rgba.buffer, rgba.byteOffset, rgba.length);
  const context = canvas.getContext('2d', { alpha: false });
  context.putImageData(new ImageData(pixels, canvas.width, canvas.height), 0, 0);
}
