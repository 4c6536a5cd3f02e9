/**
 * Content credentials in MP4 (C2PA 2.x, A.5): a box after `ftyp`, and a hash of all boxes but these
 * two. Chunk offsets are moved by its size. A file whose offsets could be anywhere else is refused.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type Assertion, assertion, box, type ManifestMaker } from './manifest.ts';

export const boxesMax = 64;
const moovBytesMax = 16 * 1024 ** 2;
const uuid = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
const purpose = Buffer.from('\0\0\0\0manifest\0', 'latin1');
const firstChunkOffset = Buffer.alloc(8);
/** The body of the box, before the manifest. */
export const manifestStart = Buffer.concat([uuid, purpose, firstChunkOffset]);

/** The file keeps its bytes, and is stored without a manifest of ours. */
export class CannotSign extends Error {}
/** Of the provider. */
export class HasManifest extends Error {}

export const manifestBox = (manifest: Buffer): Buffer => box('uuid', manifestStart, manifest);

/** `body`: at least its first 16 bytes. */
export const isManifestBox = (type: string, body: Buffer): boolean =>
  type === 'uuid' && body.subarray(0, uuid.length).equals(uuid);

const exclusion = (xpath: string, data: Parameters<typeof assertion>[1] = null) => ({
  xpath,
  length: null,
  data,
  subset: null,
  version: null,
  flags: null,
  exact: null,
});

const noHash = Buffer.alloc(32);
const emptyBinding = assertion('c2pa.hash.bmff.v3', {
  exclusions: [
    exclusion('/uuid', [{ offset: 8, value: uuid }]),
    exclusion('/ftyp'),
    exclusion('/mfra'),
  ],
  alg: 'sha256',
  hash: noHash,
  name: 'jumbf manifest',
});
const hashAt = emptyBinding.bytes.indexOf(noHash);

/** Only the hash differs, so nothing else is encoded again. */
export function mp4Binding(hash: Buffer): Assertion {
  const bytes = Buffer.from(emptyBinding.bytes);
  hash.copy(bytes, hashAt);
  return { label: emptyBinding.label, bytes };
}

/** Each hashed box is preceded by its offset, so that boxes cannot change places. */
export function hashedOffset(at: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(at));
  return bytes;
}

type Box = { readonly type: string; readonly at: number; readonly size: number };

/** What a file can have beside the boxes that are refused: nothing in it is at an offset. */
const plainBoxes = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'uuid', 'udta']);

/** Reads a file through one buffer, which has a small one completely. */
export type FileReader = Awaited<ReturnType<typeof readFileAt>>;

const smallBytes = 64 * 1024;
const bufferBytes = 512 * 1024;

export async function readFileAt(file: FileHandle) {
  let buffer = Buffer.allocUnsafeSlow(smallBytes);
  const { bytesRead } = await file.read(buffer, 0, smallBytes, 0);
  /** Then reads do not overwrite what was read before. */
  const isSmall = bytesRead < smallBytes;
  if (!isSmall) buffer = Buffer.allocUnsafeSlow(bufferBytes);
  const size = isSmall ? bytesRead : (await file.stat()).size;
  return {
    size,
    isSmall,
    async read(at: number, length: number): Promise<Buffer> {
      if (length > size - at) throw new CannotSign('the file is cut off');
      if (isSmall) return buffer.subarray(at, at + length);
      const into = length > bufferBytes ? Buffer.allocUnsafeSlow(length) : buffer;
      const { bytesRead: read } = await file.read(into, 0, length, at);
      if (read !== length) throw new CannotSign('the file is cut off');
      return into.subarray(0, length);
    },
  };
}

/**
 * Writes the signed file: a small one at once, and the start of a larger one last. Throws
 * `CannotSign` or `HasManifest` before anything is written.
 */
export async function signMp4(
  from: FileReader,
  write: (pieces: readonly Buffer[], at: number) => Promise<void>,
  { sizeOf, manifestFor }: ManifestMaker,
): Promise<void> {
  const boxes = await readBoxes(from);
  const gap = manifestBox(Buffer.alloc(0)).length + sizeOf(emptyBinding);
  const [ftyp, ...rest] = boxes as [Box, ...Box[]];
  // A copy: a larger file is read through the same buffer.
  const start = Buffer.from(await from.read(0, ftyp.size));
  const moov = rest.find(({ type }) => type === 'moov')!;
  const movedMoov = Buffer.from(await from.read(moov.at, moov.size));
  moveChunks(movedMoov, { by: gap, from: ftyp.size });
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  for (const one of rest) {
    hash.update(hashedOffset(one.at + gap));
    for (let done = 0; done < one.size; ) {
      const length = one === moov ? one.size : Math.min(bufferBytes, one.size - done);
      const piece = one === moov ? movedMoov : await from.read(one.at + done, length);
      hash.update(piece);
      if (from.isSmall) pieces.push(piece);
      else await write([piece], one.at + gap + done);
      done += length;
    }
  }
  const manifest = manifestBox(manifestFor(mp4Binding(hash.digest())));
  assert.equal(manifest.length, gap, 'a manifest has the size that was left for it');
  await write([start, manifest, ...pieces], 0);
}

async function readBoxes(from: FileReader): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = 0; at < from.size; ) {
    const header = await from.read(at, Math.min(32, from.size - at));
    if (header.length < 8) throw new CannotSign('the file is cut off');
    const type = header.toString('latin1', 4, 8);
    let size = header.readUInt32BE();
    if (size === 1 && header.length >= 16) size = Number(header.readBigUInt64BE(8));
    if (size === 0) size = from.size - at;
    if (size < 8 || size > from.size - at) throw new CannotSign('it is no complete MP4');
    if (isManifestBox(type, header.subarray(8))) throw new HasManifest();
    if (!plainBoxes.has(type)) throw new CannotSign(`it has a ${JSON.stringify(type)} box`);
    boxes.push({ type, at, size });
    // With its manifest it still can be verified.
    if (boxes.length === boxesMax) throw new CannotSign(`it has more than ${boxesMax - 1} boxes`);
    at += size;
  }
  const count = (type: string) => boxes.filter((one) => one.type === type).length;
  if (boxes[0]?.type !== 'ftyp' || count('ftyp') !== 1 || count('moov') !== 1) {
    throw new CannotSign('it is no MP4 with one movie');
  }
  const { size } = boxes.find(({ type }) => type === 'moov')!;
  if (size > moovBytesMax || boxes[0].size > bufferBytes) {
    throw new CannotSign('its index is too large');
  }
  return boxes;
}

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
/** Boxes below them have offsets of other kinds, or samples outside of the movie. */
const refused = new Set(['mvex', 'saio', 'iloc', 'meco']);

/** Moves the chunk offsets in place. */
function moveChunks(moov: Buffer, moved: { readonly by: number; readonly from: number }): void {
  const walk = (start: number, end: number) => {
    for (let at = start; at < end; ) {
      const size = at + 8 <= end ? moov.readUInt32BE(at) : 0;
      if (size < 8 || size > end - at) throw new CannotSign('its index is damaged');
      const type = moov.toString('latin1', at + 4, at + 8);
      if (refused.has(type)) throw new CannotSign(`its index has ${JSON.stringify(type)}`);
      if (containers.has(type)) walk(at + 8, at + size);
      if (type === 'stco' || type === 'co64') moveTable(moov.subarray(at, at + size), type, moved);
      at += size;
    }
  };
  if (moov.includes('iloc', 0, 'latin1')) throw new CannotSign('its index has items');
  walk(moov.readUInt32BE() === 1 ? 16 : 8, moov.length);
}

function moveTable(
  table: Buffer,
  type: 'stco' | 'co64',
  { by, from }: { readonly by: number; readonly from: number },
): void {
  const width = type === 'stco' ? 4 : 8;
  const count = table.length >= 16 ? table.readUInt32BE(12) : 0;
  if (16 + width * count > table.length) throw new CannotSign('its index is damaged');
  for (let at = 16; at < 16 + width * count; at += width) {
    const offset = width === 4 ? table.readUInt32BE(at) : Number(table.readBigUInt64BE(at));
    const isOutside = offset < from || offset + by >= (width === 4 ? 2 ** 32 : 2 ** 53);
    if (isOutside) throw new CannotSign('its index points outside of the file');
    if (width === 4) table.writeUInt32BE(offset + by, at);
    else table.writeBigUInt64BE(BigInt(offset + by), at);
  }
}
