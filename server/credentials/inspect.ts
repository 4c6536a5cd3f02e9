/**
 * Judges the content credentials of a file that arrives as a stream: memory is constant, and bytes
 * are hashed only behind a manifest with a signature of ours. Anything else ends the reading.
 */
import { createHash } from 'node:crypto';
import { ByteStream } from './byte-stream.ts';
import { imageBinding, imageFormatOf, imageFormats } from './image.ts';
import type { Assertion } from './manifest.ts';
import { boxesMax, hashedOffset, isManifestBox, manifestStart, mp4Binding } from './mp4.ts';
import {
  type Claims,
  type KnownKey,
  manifestBytesMax,
  type ReadManifest,
  readManifest,
} from './read-manifest.ts';

export type Inspection = {
  /** `valid`: signed here, and no byte was changed. */
  readonly state: 'valid' | 'altered' | 'unsigned' | 'other_signer';
  /** Null if they could not be read, or are not what we signed. */
  readonly claims: Claims | null;
  /** Of the active manifest, by label. */
  readonly assertions: ReadManifest['assertions'];
};

/** The file has more boxes than any that is signed here. */
export class TooManyBoxes extends Error {}

const none = { claims: null, assertions: new Map() };
/** With a manifest that is longer than any of ours. */
const otherSigner: Inspection = { state: 'other_signer', ...none };
const unsigned: Inspection = { state: 'unsigned', ...none };

/** Throws `TooManyBoxes`. */
export async function inspect(
  chunks: AsyncIterable<Uint8Array>,
  keys: readonly KnownKey[],
): Promise<Inspection> {
  const stream = new ByteStream(chunks);
  try {
    const start = await stream.read(8);
    if (start.length < 8) return unsigned;
    if (start.toString('latin1', 4, 8) === 'ftyp') return await inspectMp4(stream, start, keys);
    const format = imageFormatOf(start);
    return format === null ? unsigned : await inspectImage(stream, { start, format, keys });
  } finally {
    await stream.close();
  }
}

/** Of a file that is not as it was signed here, or was not. */
const unlike = (found: ReadManifest | null): Inspection =>
  found ? { ...found, state: found.signer === 'other' ? 'other_signer' : 'altered' } : unsigned;

/** Ours has exactly this binding, so its bytes are compared without being decoded. */
const judgeBinding = (found: ReadManifest, expected: Assertion): Inspection => ({
  ...found,
  state: found.assertions.get(expected.label)?.equals(expected.bytes) ? 'valid' : 'altered',
});

async function inspectMp4(
  stream: ByteStream,
  start: Buffer,
  keys: readonly KnownKey[],
): Promise<Inspection> {
  let manifest: ReadManifest | null = null;
  const hash = createHash('sha256');
  let header = start;
  for (let count = 1; header.length > 0; count++) {
    if (count > boxesMax) throw new TooManyBoxes();
    const at = stream.at - header.length;
    const type = header.toString('latin1', 4, 8);
    const { size, bytes } = await readSize(stream, header);
    let left = size - bytes.length;
    if (header.length < 8 || left < 0) return unlike(manifest);
    // Of ours, only the manifest is a second `ftyp`, `mfra` or manifest box.
    if (manifest && (type === 'ftyp' || type === 'mfra')) return unlike(manifest);
    let body: Buffer = Buffer.alloc(0);
    if (type === 'uuid') {
      body = await stream.read(Math.min(left, manifestStart.length));
      left -= body.length;
    }
    if (isManifestBox(type, body)) {
      if (manifest) return unlike(manifest);
      if (left > manifestBytesMax) return otherSigner;
      manifest = readManifest(await stream.read(left), keys);
      const isInPlace = count === 2 && bytes.length === 8 && body.equals(manifestStart);
      if (manifest.signer !== 'ours' || !isInPlace) return unlike(manifest);
    } else {
      if (manifest) hash.update(hashedOffset(at)).update(bytes).update(body);
      const skipped = await stream.each(left, (piece) => void (manifest && hash.update(piece)));
      if (skipped < left && size !== Number.POSITIVE_INFINITY) return unlike(manifest);
    }
    header = await stream.read(8);
  }
  return manifest ? judgeBinding(manifest, mp4Binding(hash.digest())) : unsigned;
}

/** Returns the bytes of the header, too; the last box may have no size. */
async function readSize(stream: ByteStream, header: Buffer) {
  const size = header.length < 8 ? 0 : header.readUInt32BE();
  if (size === 0) return { size: Number.POSITIVE_INFINITY, bytes: header };
  if (size !== 1) return { size, bytes: header };
  const large = await stream.read(8);
  const isWhole = large.length === 8;
  const bytes = Buffer.concat([header, large]);
  return { size: isWhole ? Number(large.readBigUInt64BE()) : 0, bytes };
}

/** Ours are at its start; those of others are found if they begin here. */
const imageStartBytes = 256 * 1024;

async function inspectImage(
  stream: ByteStream,
  {
    start,
    format,
    keys,
  }: { start: Buffer; format: keyof typeof imageFormats; keys: readonly KnownKey[] },
): Promise<Inspection> {
  const { at, wrap, find } = imageFormats[format];
  const bytes = Buffer.concat([start, await stream.read(imageStartBytes)]);
  const wrapped = find(bytes);
  if (!wrapped) return unsigned;
  const { manifest, end } = wrapped;
  if (end > bytes.length || manifest.length > manifestBytesMax) return otherSigner;
  const found = readManifest(manifest, keys);
  const isInPlace = wrapped.start === at && wrap(manifest).equals(bytes.subarray(at, end));
  if (found.signer !== 'ours' || !isInPlace) return unlike(found);
  const hash = createHash('sha256').update(bytes.subarray(0, at)).update(bytes.subarray(end));
  await stream.each(Number.POSITIVE_INFINITY, (piece) => void hash.update(piece));
  return judgeBinding(found, imageBinding({ start: at, length: end - at }, hash.digest()));
}
