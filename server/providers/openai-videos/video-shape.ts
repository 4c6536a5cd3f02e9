/**
 * The shape of an MP4 or QuickTime video, from the headers of its tracks (ISO 14496-12, 8.3.2). An
 * edit keeps the shape of its source, and the engines must be told a size.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { Size } from '@vidgen/renderer/size.ts';

/** The index of half a minute takes less. */
const indexBytesMax = 4 * 1024 ** 2;
const boxesMax = 1_000;

/** Returns null for a file of another format or without a picture. */
export async function readVideoShape(file: string): Promise<Size | null> {
  await using handle = await open(file);
  const index = await readIndex(handle);
  return index && shapeInIndex(index);
}

/** `index` is the content of the `moov` box. */
export function shapeInIndex(index: Buffer): Size | null {
  const shapes = boxesIn(index)
    .filter(({ type }) => type === 'trak')
    .flatMap(({ content }) => boxesIn(content))
    .filter(({ type }) => type === 'tkhd')
    .flatMap(({ content }) => shapeIn(content) ?? []);
  return shapes[0] ?? null;
}

/** Returns the content of the `moov` box, wherever in the file it is. */
async function readIndex(handle: FileHandle): Promise<Buffer | null> {
  const { size: end } = await handle.stat();
  const head = Buffer.alloc(16);
  let at = 0;
  for (let count = 0; count < boxesMax && at < end; count++) {
    const { bytesRead } = await handle.read(head, 0, head.length, at);
    const box = bytesRead < 8 ? null : readBoxHead(head.subarray(0, bytesRead), end - at);
    if (!box) return null;
    if (box.type === 'moov') {
      const bytes = Math.min(box.bytes - box.headBytes, indexBytesMax);
      const content = Buffer.alloc(bytes);
      const read = await handle.read(content, 0, bytes, at + box.headBytes);
      return content.subarray(0, read.bytesRead);
    }
    at += box.bytes;
  }
  return null;
}

/** Returns null for a box that is shorter than its own head. `left`: bytes to the end. */
function readBoxHead(head: Buffer, left: number) {
  const short = head.readUInt32BE(0);
  const isLong = short === 1 && head.length >= 16;
  const headBytes = isLong ? 16 : 8;
  const long = isLong ? Number(head.readBigUInt64BE(8)) : short;
  const bytes = long === 0 ? left : Math.min(long, left);
  return bytes < headBytes ? null : { type: head.toString('latin1', 4, 8), headBytes, bytes };
}

function boxesIn(bytes: Buffer): { readonly type: string; readonly content: Buffer }[] {
  const boxes = [];
  for (let at = 0; at + 8 <= bytes.length && boxes.length < boxesMax; ) {
    const box = readBoxHead(bytes.subarray(at, at + 16), bytes.length - at);
    if (!box) break;
    boxes.push({ type: box.type, content: bytes.subarray(at + box.headBytes, at + box.bytes) });
    at += box.bytes;
  }
  return boxes;
}

/** Returns null for a track without a picture. Widths and heights are 16.16 fixed-point numbers. */
function shapeIn(header: Buffer): Size | null {
  // Version 1 has longer times.
  const matrixAt = header[0] === 1 ? 52 : 40;
  if (header.length < matrixAt + 44) return null;
  const width = header.readUInt16BE(matrixAt + 36);
  const height = header.readUInt16BE(matrixAt + 40);
  if (width === 0 || height === 0) return null;
  // A phone that was held upright stores the frames turned by 90 degrees.
  const isTurned = header.readInt32BE(matrixAt) === 0 && header.readInt32BE(matrixAt + 4) !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}
