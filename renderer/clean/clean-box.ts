/**
 * The pixels below the overlays of a preview, kept in the file itself: a box at the end of the MP4,
 * which players skip. A preview that is edited or continued is drawn without the earlier overlays,
 * wherever the file has been meanwhile. The content is untrusted: a box that does not match its
 * format is ignored.
 */
import { open } from 'node:fs/promises';
import type { Rect, Size } from '../size.ts';

/** The regions lie below each other in the frames of `clip`, from the left edge. */
export type CleanSegment = {
  readonly size: Size;
  readonly frames: number;
  /** By which the frames of `clip` were reduced: 1, or 2 for soft scenes. */
  readonly reduction: 1 | 2;
  readonly regions: readonly CleanRegion[];
  /** An MP4; empty if there are no regions. */
  readonly clip: Buffer;
};

export type CleanRegion = Rect & { readonly untilFrame: number };

/** Identifies the box, as its `usertype` (ISO 14496-12, 4.2). */
const boxType = Buffer.from('5d1e2f6a9b0c4e67a3c18f24d7706b52', 'hex');
const headBytes = 8 + boxType.length;
const segmentHeadBytes = 10;
const regionBytes = 12;
const clipLengthBytes = 4;

const boxBytesMax = 24_000_000;
const topBoxesMax = 64;
const segmentsMax = 10;
const regionsMax = 4;
/** A box must not replace a whole video by another one. */
const shareMax = 0.6;

/** The size of the frames of `clip` before they are reduced; half of it is even. */
export const atlasSize = (regions: readonly Rect[]): Size => ({
  width: roundUp(Math.max(...regions.map(({ width }) => width))),
  height: roundUp(regions.reduce((sum, { height }) => sum + height, 0)),
});

const roundUp = (side: number): number => Math.ceil(side / 4) * 4;

/** Adds the box to a finished MP4. Omits it if the pixels are too large to keep. */
export async function appendCleanBox(
  file: string,
  segments: readonly CleanSegment[],
): Promise<void> {
  const parts = segments.flatMap(bytesOf);
  const bytes = parts.reduce((sum, part) => sum + part.length, headBytes);
  if (segments.length > segmentsMax || bytes > boxBytesMax) return;
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(bytes, 0);
  head.write('uuid', 4, 'latin1');
  boxType.copy(head, 8);
  await using handle = await open(file, 'a');
  await handle.writeFile(Buffer.concat([head, ...parts]));
}

function bytesOf({ size, frames, reduction, regions, clip }: CleanSegment): Buffer[] {
  const head = Buffer.alloc(segmentHeadBytes + regions.length * regionBytes + clipLengthBytes);
  let at = head.writeUInt16BE(size.width, 0);
  at = head.writeUInt16BE(size.height, at);
  at = head.writeUInt32BE(frames, at);
  at = head.writeUInt8(reduction, at);
  at = head.writeUInt8(regions.length, at);
  for (const { x, y, width, height, untilFrame } of regions) {
    for (const value of [x, y, width, height]) at = head.writeUInt16BE(value, at);
    at = head.writeUInt32BE(untilFrame, at);
  }
  head.writeUInt32BE(clip.length, at);
  return [head, clip];
}

/** Returns nothing for a file without a box, or with one that is damaged. */
export async function readCleanBox(file: string): Promise<readonly CleanSegment[]> {
  const content = await readBox(file);
  return content ? segmentsIn(content) : [];
}

async function readBox(file: string): Promise<Buffer | null> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const head = Buffer.alloc(headBytes);
  for (let at = 0, boxes = 0; at + headBytes <= size && boxes < topBoxesMax; boxes += 1) {
    await handle.read(head, 0, headBytes, at);
    const length = head.readUInt32BE(0);
    const bytes = length === 1 ? Number(head.readBigUInt64BE(8)) : length || size - at;
    if (bytes < 8) return null;
    if (length > 1 && head.toString('latin1', 4, 8) === 'uuid' && head.includes(boxType, 8)) {
      if (bytes < headBytes || bytes > boxBytesMax || at + bytes > size) return null;
      const content = Buffer.alloc(bytes - headBytes);
      const { bytesRead } = await handle.read(content, 0, content.length, at + headBytes);
      return bytesRead === content.length ? content : null;
    }
    at += bytes;
  }
  return null;
}

function segmentsIn(content: Buffer): readonly CleanSegment[] {
  const segments: CleanSegment[] = [];
  for (let at = 0; at < content.length; ) {
    const read = segmentAt(content, at);
    if (!read || segments.length === segmentsMax) return [];
    segments.push(read.segment);
    at = read.end;
  }
  return segments;
}

function segmentAt(content: Buffer, start: number) {
  if (start + segmentHeadBytes > content.length) return null;
  const size = { width: content.readUInt16BE(start), height: content.readUInt16BE(start + 2) };
  const frames = content.readUInt32BE(start + 4);
  const [reduction, count] = [content.readUInt8(start + 8), content.readUInt8(start + 9)];
  if (reduction !== 1 && reduction !== 2) return null;
  let at = start + segmentHeadBytes;
  if (at + count * regionBytes + clipLengthBytes > content.length) return null;
  const regions: CleanRegion[] = [];
  for (let index = 0; index < count; index += 1, at += regionBytes) {
    const [x, y, width, height] = [0, 2, 4, 6].map((offset) => content.readUInt16BE(at + offset));
    const untilFrame = content.readUInt32BE(at + 8);
    regions.push({ x: x!, y: y!, width: width!, height: height!, untilFrame });
  }
  const clipStart = at + clipLengthBytes;
  const end = clipStart + content.readUInt32BE(at);
  const clip = content.subarray(clipStart, end);
  const segment: CleanSegment = { size, frames, reduction, regions, clip };
  return end <= content.length && isPlausible(segment) ? { segment, end } : null;
}

function isPlausible({ size, regions, clip }: CleanSegment): boolean {
  if (regions.length > regionsMax || (regions.length === 0) !== (clip.length === 0)) return false;
  const isInside = ({ x, y, width, height }: Rect): boolean =>
    [x, y, width, height].every((side) => side % 2 === 0) &&
    Math.min(width, height) > 0 &&
    x + width <= size.width &&
    y + height <= size.height;
  const pixels = regions.reduce((sum, { width, height }) => sum + width * height, 0);
  return regions.every(isInside) && pixels <= size.width * size.height * shareMax;
}
