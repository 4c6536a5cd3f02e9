/**
 * Content credentials in JPEG and PNG (C2PA 2.x, A.3.1 and A.3.2): a segment or a chunk at a fixed
 * place, and a hash of everything else.
 */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { type Assertion, assertion, type ManifestMaker, sha256 } from './manifest.ts';
import { CannotSign, HasManifest } from './mp4.ts';

type ImageFormat = {
  /** Where the manifest is inserted. */
  readonly at: number;
  wrap(manifest: Buffer): Buffer;
  /** Finds a manifest before the image, and what wraps it, which may end behind `bytes`. */
  find(bytes: Buffer): { manifest: Buffer; start: number; end: number } | null;
};

/** Of one APP11 segment, without its header. */
const segmentBytesMax = 65_000;
const boxHeaderBytes = 8;

/** Each segment repeats the header of the box that it continues (ISO 19566-5, D.2). */
const jpeg: ImageFormat = {
  at: 2,
  wrap(manifest) {
    const segments: Buffer[] = [];
    for (let at = boxHeaderBytes; at < manifest.length; at += segmentBytesMax) {
      const part = manifest.subarray(at, at + segmentBytesMax);
      const header = Buffer.from('ffeb00004a50000100000000', 'hex');
      header.writeUInt16BE(10 + boxHeaderBytes + part.length, 2);
      header.writeUInt32BE(segments.length / 3 + 1, 8);
      segments.push(header, manifest.subarray(0, boxHeaderBytes), part);
    }
    return Buffer.concat(segments);
  },
  find(bytes) {
    const parts: Buffer[] = [];
    let [start, at] = [0, 2];
    while (at + 12 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda) {
      const end = at + 2 + bytes.readUInt16BE(at + 2);
      const isPart = bytes[at + 1] === 0xeb && bytes.toString('latin1', at + 4, at + 6) === 'JP';
      if (!isPart && parts.length > 0) break;
      if (isPart && parts.length === 0) start = at;
      // Only the first segment keeps the header of the box.
      if (isPart) parts.push(bytes.subarray(at + (parts.length === 0 ? 12 : 20), end));
      at = end;
    }
    return parts.length === 0 ? null : { manifest: Buffer.concat(parts), start, end: at };
  },
};

/** The type of a chunk. */
const caBX = 0x63614258;

const png: ImageFormat = {
  // After the signature and IHDR.
  at: 33,
  wrap(manifest) {
    const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('caBX'), manifest, Buffer.alloc(4)]);
    chunk.writeUInt32BE(manifest.length);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
    return chunk;
  },
  find(bytes) {
    for (let at = 8; at + 8 <= bytes.length; ) {
      const end = at + 12 + bytes.readUInt32BE(at);
      const isManifest = bytes.readUInt32BE(at + 4) === caBX;
      if (isManifest) return { manifest: bytes.subarray(at + 8, end - 4), start: at, end };
      at = end;
    }
    return null;
  },
};

export const imageFormats = { jpeg, png };

const pngStart = Buffer.from('89504e470d0a1a0a', 'hex');

export function imageFormatOf(bytes: Buffer): keyof typeof imageFormats | null {
  if (bytes.readUIntBE(0, 3) === 0xffd8ff) return 'jpeg';
  return bytes.subarray(0, 8).equals(pngStart) ? 'png' : null;
}

export const imageBinding = (
  excluded: { readonly start: number; readonly length: number },
  hash: Buffer,
): Assertion =>
  assertion('c2pa.hash.data', {
    exclusions: [excluded],
    name: 'jumbf manifest',
    alg: 'sha256',
    hash,
    pad: Buffer.alloc(8),
  });

/** Throws `CannotSign` or `HasManifest`. */
export function signImage(bytes: Buffer, { sizeOf, manifestFor }: ManifestMaker): Buffer {
  const format = bytes.length > 64 ? imageFormatOf(bytes) : null;
  if (format === null) throw new CannotSign('it is neither JPEG nor PNG');
  const { at, wrap, find } = imageFormats[format];
  if (find(bytes)) throw new HasManifest();
  // Any length between 256 and 65,535 takes the same bytes in the binding.
  const size = sizeOf(imageBinding({ start: at, length: 0x100 }, Buffer.alloc(32)));
  const { length } = wrap(Buffer.alloc(size));
  if (length > 0xffff) throw new CannotSign('the manifest is too long');
  const signed = wrap(manifestFor(imageBinding({ start: at, length }, sha256(bytes))));
  assert.equal(signed.length, length, 'a manifest has the size that was left for it');
  return Buffer.concat([bytes.subarray(0, at), signed, bytes.subarray(at)]);
}
