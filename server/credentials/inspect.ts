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

/** The file has more boxes, segments or chunks than any that is signed here. */
export class TooManyBoxes extends Error {}

const none = { claims: null, assertions: new Map() };
/** With a manifest that is longer than any of ours. */
const otherSigner: Inspection = { state: 'other_signer', ...none };
const unsigned: Inspection = { state: 'unsigned', ...none };

/** Throws `StreamTooLong` or `TooManyBoxes`. */
export async function inspect(
  chunks: AsyncIterable<Uint8Array>,
  { keys, bytesMax }: { readonly keys: readonly KnownKey[]; readonly bytesMax: number },
): Promise<Inspection> {
  const stream = new ByteStream(chunks, bytesMax);
  try {
    const start = await stream.read(8);
    if (start.length < 8) return unsigned;
    if (start.toString('latin1', 4, 8) === 'ftyp') return await inspectMp4(stream, start, keys);
    const format = imageFormatOf(start);
    return format === null ? unsigned : await inspectImage[format](stream, start, keys);
  } finally {
    await stream.close();
  }
}

/** What is known of a file before its bytes are compared; null for a manifest of ours. */
function judge({ signer, ...found }: ReadManifest): Inspection | null {
  if (signer === 'ours') return null;
  return { state: signer === 'broken' ? 'altered' : 'other_signer', ...found };
}

/** Ours has exactly this binding, so its bytes are compared without being decoded. */
const judgeBinding = ({ assertions, claims }: ReadManifest, expected: Assertion): Inspection => ({
  state: assertions.get(expected.label)?.equals(expected.bytes) ? 'valid' : 'altered',
  ...{ claims, assertions },
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
    if (header.length < 8 || left < 0) return endOf(manifest);
    // Of ours, only the manifest is a second `ftyp`, `mfra` or manifest box.
    if (manifest && (type === 'ftyp' || type === 'mfra')) return endOf(manifest);
    let body: Buffer = Buffer.alloc(0);
    if (type === 'uuid') {
      body = await stream.read(Math.min(left, manifestStart.length));
      left -= body.length;
    }
    if (isManifestBox(type, body)) {
      const isOurs = count === 2 && bytes.length === 8 && body.equals(manifestStart);
      if (left > manifestBytesMax) return otherSigner;
      const found = readManifest(await stream.read(left), keys);
      const judged = judge(found);
      if (judged) return manifest ? endOf(manifest) : judged;
      if (!isOurs) return endOf(found);
      manifest = found;
    } else {
      if (manifest) hash.update(hashedOffset(at)).update(bytes).update(body);
      const skipped = await stream.each(left, (piece) => void (manifest && hash.update(piece)));
      if (skipped < left && size !== Number.POSITIVE_INFINITY) return endOf(manifest);
    }
    header = await stream.read(8);
  }
  return manifest ? judgeBinding(manifest, mp4Binding(hash.digest())) : unsigned;
}

/** Of a file that is not as it was signed, or was not. */
const endOf = (manifest: ReadManifest | null): Inspection =>
  manifest
    ? { state: 'altered', claims: manifest.claims, assertions: manifest.assertions }
    : unsigned;

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

type InspectImage = (
  stream: ByteStream,
  start: Buffer,
  keys: readonly KnownKey[],
) => Promise<Inspection>;

const inspectImage: Readonly<Record<keyof typeof imageFormats, InspectImage>> = {
  /** Ours begins right behind the first marker. */
  async jpeg(stream, start, keys) {
    let header: Buffer = Buffer.concat([start.subarray(2), await stream.read(6)]);
    const parts: Buffer[] = [];
    const raw: Buffer[] = [];
    let began = 0;
    for (let count = 1; header.length === 12 && header[0] === 0xff; count++) {
      if (count > boxesMax) throw new TooManyBoxes();
      const size = header.readUInt16BE(2) + 2;
      const isPart = header[1] === 0xeb && header.toString('latin1', 4, 6) === 'JP';
      if (parts.length > 0 && !isPart) break;
      if (header[1] === 0xda || size < 20) break;
      const at = stream.at - header.length;
      const body = isPart ? await stream.read(size - 12) : null;
      if (body) {
        if (parts.length === 0) began = at;
        // Only the first segment keeps the header of the box.
        parts.push(parts.length === 0 ? body : body.subarray(8));
        raw.push(header, body);
        if (stream.at - began > manifestBytesMax) return otherSigner;
      } else await stream.each(size - 12, () => {});
      header = await stream.read(12);
    }
    if (parts.length === 0) return unsigned;
    const manifest = Buffer.concat(parts);
    const before = start.subarray(0, 2);
    const image = { format: 'jpeg', manifest, raw: Buffer.concat(raw), start: began } as const;
    return await judgeImage(stream, { ...image, before, after: header, keys });
  },

  /** Ours is the second chunk. */
  async png(stream, start, keys) {
    let before: Buffer = start;
    for (let count = 1; ; count++) {
      if (count > boxesMax) throw new TooManyBoxes();
      const header = await stream.read(8);
      const size = header.length === 8 ? header.readUInt32BE() : 0;
      const type = header.toString('latin1', 4, 8);
      if (header.length < 8 || type === 'IDAT') return unsigned;
      if (type === 'caBX') {
        if (size > manifestBytesMax) return otherSigner;
        const image = { format: 'png', start: stream.at - 8, after: Buffer.alloc(0) } as const;
        const raw = Buffer.concat([header, await stream.read(size + 4)]);
        const manifest = raw.subarray(8, 8 + size);
        return await judgeImage(stream, { ...image, raw, manifest, before, keys });
      }
      if (type === 'IHDR' && size === 13) {
        before = Buffer.concat([before, header, await stream.read(17)]);
      } else await stream.each(size + 4, () => {});
    }
  },
};

async function judgeImage(
  stream: ByteStream,
  image: {
    readonly format: keyof typeof imageFormats;
    readonly manifest: Buffer;
    /** With what it is wrapped into. */
    readonly raw: Buffer;
    /** Where that begins. */
    readonly start: number;
    /** If the manifest is where ours is, all that precedes it. */
    readonly before: Buffer;
    /** What was read behind it. */
    readonly after: Buffer;
    readonly keys: readonly KnownKey[];
  },
): Promise<Inspection> {
  const { format, manifest, raw, start, before, after, keys } = image;
  const found = readManifest(manifest, keys);
  const judged = judge(found);
  if (judged) return judged;
  const isInPlace = start === before.length && imageFormats[format].wrap(manifest).equals(raw);
  if (!isInPlace) return endOf(found);
  const hash = createHash('sha256').update(before).update(after);
  await stream.each(Number.POSITIVE_INFINITY, (piece) => void hash.update(piece));
  return judgeBinding(found, imageBinding({ start, length: raw.length }, hash.digest()));
}
