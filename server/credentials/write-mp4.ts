/**
 * Signs an MP4 while it is written to a file, in constant memory. The size of its manifest is known
 * before, so room is left for it after `ftyp`, and filled at the end. A file that cannot be signed
 * is written as it came.
 */
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import type { Chunks, NewFile } from '../egress/save-stream.ts';
import type { ManifestMaker } from './manifest.ts';
import {
  boxesMax,
  CannotSign,
  emptyBinding,
  HasManifest,
  hashedOffset,
  isManifestBox,
  manifestBox,
  moveChunks,
  mp4Binding,
} from './mp4.ts';

const ftypBytesMax = 512 * 1024;
const moovBytesMax = 16 * 1024 ** 2;

/** What a file can have beside the boxes that are refused: nothing in it is at an offset. */
const plainBoxes = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'uuid', 'udta']);

/** `reason` is why it was not signed. */
type Written = { readonly bytes: number; readonly reason: CannotSign | HasManifest | null };

/**
 * Writes all of the stream into a new file that is open for reading and writing. Rethrows errors of
 * the stream and of the disk. Throws of `makerOf` are a reason not to sign.
 */
export async function writeMp4(
  file: NewFile,
  chunks: Chunks,
  makerOf: () => ManifestMaker,
): Promise<Written> {
  const writer = new FileWriter(file);
  const signer = new Mp4Signer(makerOf);
  try {
    for await (const { buffer, byteOffset, byteLength } of chunks) {
      const chunk = Buffer.from(buffer, byteOffset, byteLength);
      signer.read(chunk);
      await writer.append(chunk, signer.gap);
    }
    for (const part of signer.end()) await writer.replace(part);
    if (signer.reason) await writer.closeGap();
    await writer.flush();
    return { bytes: writer.end, reason: signer.reason };
  } finally {
    writer.release();
  }
}

/** Only errors of `make`: others are errors of ours. */
function unlessFailed<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    throw new CannotSign('signing failed', { cause });
  }
}

type Gap = { readonly at: number; readonly length: number };
/** Bytes of the signed file. */
type Part = { readonly at: number; readonly bytes: Buffer };
type Header = { readonly type: string; readonly size: number; readonly bytes: Buffer };

/** Reads a file without waiting for anything, so that a short one is signed at once. */
class Mp4Signer {
  readonly #makerOf: () => ManifestMaker;
  readonly #hash: Hash = createHash('sha256');
  #reason: Written['reason'] = null;
  #room: (Gap & Pick<ManifestMaker, 'manifestFor'>) | null = null;
  #boxes = 0;
  /** Of the next box, in the signed file. */
  #at = 0;
  /** The part of a header that was read before. */
  #header: Buffer = Buffer.alloc(0);
  #box = { type: '', left: 0 };
  /** In the file its chunks are not moved, until it can be signed. */
  #moov: Part | null = null;

  constructor(makerOf: () => ManifestMaker) {
    this.#makerOf = makerOf;
  }

  get reason(): Written['reason'] {
    return this.#reason;
  }

  /** The room for the manifest, if the file is to have one as far as it was read. */
  get gap(): Gap | null {
    return this.#reason ? null : this.#room;
  }

  read(chunk: Buffer): void {
    this.#unlessOdd(() => {
      for (let at = 0; at < chunk.length; ) {
        const rest = chunk.subarray(at);
        at += this.#box.left > 0 ? this.#readBody(rest) : this.#readHeader(rest);
      }
    });
  }

  /** Returns what is to be replaced in the file. */
  end(): readonly Part[] {
    const parts = this.#unlessOdd(() => {
      const { left } = this.#box;
      const isComplete = left === 0 || left === Number.POSITIVE_INFINITY;
      if (!isComplete || this.#header.length > 0) throw new CannotSign('the file is cut off');
      if (!this.#room || !this.#moov) throw notOneMovie();
      const { at, length, manifestFor } = this.#room;
      const binding = mp4Binding(this.#hash.digest());
      const bytes = unlessFailed(() => manifestBox(manifestFor(binding)));
      assert.equal(bytes.length, length, 'a manifest has the size that was left for it');
      return [this.#moov, { at, bytes }];
    });
    return parts ?? [];
  }

  #unlessOdd<Read>(read: () => Read): Read | undefined {
    if (this.#reason) return undefined;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof CannotSign || error instanceof HasManifest)) throw error;
      this.#reason = error;
      return undefined;
    }
  }

  /** Returns how many bytes of the header are in `rest`. */
  #readHeader(rest: Buffer): number {
    const before = this.#header;
    const bytes = before.length === 0 ? rest : Buffer.concat([before, rest.subarray(0, 32)]);
    const header = headerOf(bytes);
    this.#header = header ? noBytes : Buffer.from(bytes);
    if (!header) return rest.length;
    this.#beginBox(header);
    return header.bytes.length - before.length;
  }

  #beginBox({ type, size, bytes }: Header): void {
    this.#boxes += 1;
    this.#box = { type, left: size - bytes.length };
    if (this.#boxes === 1) {
      this.#leaveRoom(type, size);
      return;
    }
    // With its manifest it still can be verified.
    if (this.#boxes === boxesMax) {
      throw new CannotSign(`it has more than ${boxesMax - 1} boxes`);
    }
    if (type === 'ftyp' || (type === 'moov' && this.#moov)) throw notOneMovie();
    this.#hash.update(hashedOffset(this.#at));
    if (type === 'moov') {
      if (size > moovBytesMax) throw new CannotSign('its index is too large');
      this.#moov = { at: this.#at, bytes: Buffer.allocUnsafe(size) };
      bytes.copy(this.#moov.bytes);
    } else {
      this.#hash.update(bytes);
    }
    this.#at += size;
    this.#endBox();
  }

  /** Behind the first box. */
  #leaveRoom(type: string, size: number): void {
    if (type !== 'ftyp') throw notOneMovie();
    if (size > ftypBytesMax) throw new CannotSign('its index is too large');
    const { sizeOf, manifestFor } = unlessFailed(this.#makerOf);
    const length = manifestBox(noBytes).length + unlessFailed(() => sizeOf(emptyBinding));
    this.#room = { at: size, length, manifestFor };
    this.#at = size + length;
  }

  /** Returns how many bytes of the box are in `rest`. */
  #readBody(rest: Buffer): number {
    const { type, left } = this.#box;
    const piece = rest.subarray(0, left);
    if (type === 'moov') piece.copy(this.#moov!.bytes, this.#moov!.bytes.length - left);
    else if (type !== 'ftyp') this.#hash.update(piece);
    this.#box.left -= piece.length;
    this.#endBox();
    return piece.length;
  }

  #endBox(): void {
    if (this.#box.left > 0 || this.#box.type !== 'moov') return;
    const { bytes } = this.#moov!;
    moveChunks(bytes, { by: this.#room!.length, from: this.#room!.at });
    this.#hash.update(bytes);
  }
}

const noBytes = Buffer.alloc(0);

/** With the first bytes of a `uuid` box, which say what it is. Null: there are too few bytes. */
function headerOf(bytes: Buffer): Header | null {
  if (bytes.length < 8) return null;
  const type = bytes.toString('latin1', 4, 8);
  const shortSize = bytes.readUInt32BE();
  const sizeEnd = shortSize === 1 ? 16 : 8;
  if (bytes.length < sizeEnd) return null;
  // Without a size it is the last box, and as long as the file.
  let size = shortSize === 0 ? Number.POSITIVE_INFINITY : shortSize;
  if (shortSize === 1) size = Number(bytes.readBigUInt64BE(8));
  if (size < sizeEnd) throw new CannotSign('it is no complete MP4');
  const end = type === 'uuid' ? Math.min(sizeEnd + 16, size) : sizeEnd;
  if (bytes.length < end) return null;
  if (isManifestBox(type, bytes.subarray(sizeEnd, end))) throw new HasManifest();
  if (!plainBoxes.has(type)) throw new CannotSign(`it has a ${JSON.stringify(type)} box`);
  return { type, size, bytes: bytes.subarray(0, end) };
}

const notOneMovie = () => new CannotSign('it is no MP4 with one movie');

const smallBytes = 64 * 1024;
const bufferBytes = 512 * 1024;
/** Of writers that have ended: a new one takes longer than all that a short file is copied. */
const smallBuffers: Buffer[] = [];
const smallBuffersMax = 8;

/** Writes through one buffer, which has a small file completely. */
class FileWriter {
  readonly #file: NewFile;
  #buffer = smallBuffers.pop() ?? Buffer.allocUnsafeSlow(smallBytes);
  /** In the buffer. */
  #length = 0;
  /** What was written before the buffer. */
  #at = 0;
  #gap: Gap | null = null;

  constructor(file: NewFile) {
    this.#file = file;
  }

  get end(): number {
    return this.#at + this.#length;
  }

  /** Leaves the gap when it is there. Null: there is to be none. */
  async append(bytes: Buffer, gap: Gap | null): Promise<void> {
    if (!gap) await this.closeGap();
    const before = gap ? gap.at - this.end : -1;
    if (!gap || before < 0 || before >= bytes.length) return await this.#append(bytes);
    await this.#append(bytes.subarray(0, before));
    this.#gap = gap;
    await this.#append(Buffer.alloc(gap.length));
    await this.#append(bytes.subarray(before));
  }

  async #append(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      if (this.#length === this.#buffer.length) {
        await this.flush();
        if (this.#buffer.length < bufferBytes) {
          this.release();
          this.#buffer = Buffer.allocUnsafeSlow(bufferBytes);
        }
      }
      const copied = bytes.copy(this.#buffer, this.#length, done);
      this.#length += copied;
      done += copied;
    }
  }

  /** Replaces bytes that were appended at once, or as the last of the file. */
  async replace({ bytes, at }: Part): Promise<void> {
    if (at >= this.#at) {
      bytes.copy(this.#buffer, at - this.#at);
      return;
    }
    await this.flush();
    await this.#file.write(bytes, at);
  }

  /** Moves what follows the gap to its start. */
  async closeGap(): Promise<void> {
    if (!this.#gap) return;
    const { at, length } = this.#gap;
    this.#gap = null;
    if (this.#at === 0) {
      this.#buffer.copyWithin(at, at + length, this.#length);
      this.#length -= length;
      return;
    }
    await this.flush();
    for (let from = at + length; from < this.#at; ) {
      const bytes = await this.#file.read(this.#buffer, from);
      assert(bytes > 0, 'what was written can be read');
      await this.#file.write(this.#buffer.subarray(0, bytes), from - length);
      from += bytes;
    }
    this.#at -= length;
    await this.#file.truncate(this.#at);
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    await this.#file.write(this.#buffer.subarray(0, this.#length), this.#at);
    this.#at += this.#length;
    this.#length = 0;
  }

  /** Keeps the buffer for the next writer. Nothing may be written any more. */
  release(): void {
    const isKept = this.#buffer.length === smallBytes && smallBuffers.length < smallBuffersMax;
    if (isKept) smallBuffers.push(this.#buffer);
  }
}
