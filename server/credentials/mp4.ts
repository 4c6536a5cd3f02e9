/**
 * Content credentials in MP4 (C2PA 2.x, A.5): a box after `ftyp`, and a hash of all boxes but these
 * two. Chunk offsets are moved by its size. A file whose offsets could be anywhere else is refused.
 */
import { type Assertion, assertion, box } from './manifest.ts';

export const boxesMax = 64;
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
export const emptyBinding = assertion('c2pa.hash.bmff.v3', {
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

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
/** Boxes below them have offsets of other kinds or compressed, or samples outside of the movie. */
const refused = new Set(['mvex', 'saio', 'iloc', 'meco', 'cmov']);

/** Moves the chunk offsets of an index in place. Throws `CannotSign`. */
export function moveChunks(
  moov: Buffer,
  moved: { readonly by: number; readonly from: number },
): void {
  const walk = (start: number, end: number, depth: number) => {
    // Deeper than any index, before the stack overflows.
    if (depth > containers.size) throw new CannotSign('its index is damaged');
    for (let at = start; at < end; ) {
      const size = at + 8 <= end ? moov.readUInt32BE(at) : 0;
      if (size < 8 || size > end - at) throw new CannotSign('its index is damaged');
      const type = moov.toString('latin1', at + 4, at + 8);
      if (refused.has(type)) throw new CannotSign(`its index has ${JSON.stringify(type)}`);
      if (containers.has(type)) walk(at + 8, at + size, depth + 1);
      if (type === 'stco' || type === 'co64') moveTable(moov.subarray(at, at + size), type, moved);
      at += size;
    }
  };
  if (moov.includes('iloc', 0, 'latin1')) throw new CannotSign('its index has items');
  walk(moov.readUInt32BE() === 1 ? 16 : 8, moov.length, 1);
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
