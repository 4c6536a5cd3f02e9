/**
 * Signs an MP4 while it is written to a file, in constant memory. The size of its manifest is known
 * before, so room is left for it after `ftyp`, and filled at the end. A file that cannot be signed
 * is written as it came.
 */
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Chunks } from '../egress/save-stream.ts';
import { ByteStream } from './byte-stream.ts';
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
  file: FileHandle,
  chunks: Chunks,
  makerOf: () => ManifestMaker,
): Promise<Written> {
  const stream = new ByteStream(chunks);
  const writer = new FileWriter(file);
  let reason: Written['reason'] = null;
  try {
    await new Mp4Writer(stream, writer, makerOf).write();
  } catch (error) {
    if (!(error instanceof CannotSign || error instanceof HasManifest)) throw error;
    reason = error;
    await writer.closeGap();
    for (let piece = await stream.next(); piece.length > 0; piece = await stream.next()) {
      await writer.append(piece);
    }
  } finally {
    await stream.close();
  }
  await writer.flush();
  return { bytes: writer.end, reason };
}

/** Only errors of `make`: those of the stream and of the disk are no reason. */
function unlessFailed<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    throw new CannotSign('signing failed', { cause });
  }
}

type Header = { readonly type: string; readonly size: number; readonly bytes: Buffer };

class Mp4Writer {
  readonly #stream: ByteStream;
  readonly #writer: FileWriter;
  readonly #makerOf: () => ManifestMaker;
  readonly #hash: Hash = createHash('sha256');

  constructor(stream: ByteStream, writer: FileWriter, makerOf: () => ManifestMaker) {
    this.#stream = stream;
    this.#writer = writer;
    this.#makerOf = makerOf;
  }

  /** Throws `CannotSign` or `HasManifest` when all that was read is written, beside the gap. */
  async write(): Promise<void> {
    const ftyp = await this.#readHeader();
    if (ftyp?.type !== 'ftyp') throw notOneMovie();
    if (ftyp.size > ftypBytesMax) throw new CannotSign('its index is too large');
    await this.#copy(ftyp);
    const { sizeOf, manifestFor } = unlessFailed(this.#makerOf);
    const gap = manifestBox(Buffer.alloc(0)).length + unlessFailed(() => sizeOf(emptyBinding));
    await this.#writer.leaveGap(gap);
    const moov = await this.#writeBoxes({ by: gap, from: ftyp.size });
    const binding = mp4Binding(this.#hash.digest());
    const manifest = unlessFailed(() => manifestBox(manifestFor(binding)));
    assert.equal(manifest.length, gap, 'a manifest has the size that was left for it');
    await this.#writer.replace(moov.bytes, moov.at);
    await this.#writer.replace(manifest, ftyp.size);
  }

  /** Returns the index with its chunks moved. In the file they are not, until it can be signed. */
  async #writeBoxes(moved: Parameters<typeof moveChunks>[1]) {
    let moov: { readonly bytes: Buffer; readonly at: number } | null = null;
    for (let count = 1; ; count++) {
      const at = this.#writer.end;
      const header = await this.#readHeader();
      if (!header) break;
      const { type, size, bytes } = header;
      // With its manifest it still can be verified.
      if (count === boxesMax - 1) {
        throw new CannotSign(`it has more than ${boxesMax - 1} boxes`);
      }
      if (type === 'ftyp' || (type === 'moov' && moov)) throw notOneMovie();
      this.#hash.update(hashedOffset(at));
      if (type !== 'moov') {
        this.#hash.update(bytes);
        await this.#copy(header, (piece) => void this.#hash.update(piece));
        continue;
      }
      if (size > moovBytesMax) throw new CannotSign('its index is too large');
      const movedBytes = Buffer.allocUnsafeSlow(size);
      let done = bytes.copy(movedBytes);
      await this.#copy(header, (piece) => {
        done += piece.copy(movedBytes, done);
      });
      moveChunks(movedBytes, moved);
      this.#hash.update(movedBytes);
      moov = { bytes: movedBytes, at };
    }
    if (!moov) throw notOneMovie();
    return moov;
  }

  /** Copies the rest of a box. */
  async #copy({ size, bytes }: Header, onPiece?: (piece: Buffer) => void): Promise<void> {
    for (let left = size - bytes.length; left > 0; ) {
      const piece = await this.#stream.next(left);
      if (piece.length === 0 && size === Number.POSITIVE_INFINITY) return;
      if (piece.length === 0) throw new CannotSign('the file is cut off');
      onPiece?.(piece);
      await this.#writer.append(piece);
      left -= piece.length;
    }
  }

  /** Null at the end of the file. */
  async #readHeader(): Promise<Header | null> {
    let bytes = await this.#take(8);
    if (bytes.length === 0) return null;
    if (bytes.length < 8) throw new CannotSign('the file is cut off');
    const type = bytes.toString('latin1', 4, 8);
    let size = bytes.readUInt32BE();
    if (size === 1) {
      bytes = Buffer.concat([bytes, await this.#take(8)]);
      size = bytes.length === 16 ? Number(bytes.readBigUInt64BE(8)) : 0;
    } else if (size === 0) {
      // It is the last box, and as long as the file.
      size = Number.POSITIVE_INFINITY;
    }
    if (size < bytes.length) throw new CannotSign('it is no complete MP4');
    if (type === 'uuid') {
      const start = await this.#take(Math.min(16, size - bytes.length));
      if (isManifestBox(type, start)) throw new HasManifest();
      bytes = Buffer.concat([bytes, start]);
    }
    if (!plainBoxes.has(type)) throw new CannotSign(`it has a ${JSON.stringify(type)} box`);
    return { type, size, bytes };
  }

  async #take(length: number): Promise<Buffer> {
    const bytes = await this.#stream.read(length);
    await this.#writer.append(bytes);
    return bytes;
  }
}

const notOneMovie = () => new CannotSign('it is no MP4 with one movie');

const smallBytes = 64 * 1024;
const bufferBytes = 512 * 1024;

/** Writes through one buffer, which has a small file completely. */
class FileWriter {
  readonly #file: FileHandle;
  #buffer = Buffer.allocUnsafeSlow(smallBytes);
  /** In the buffer. */
  #length = 0;
  /** What was written before the buffer. */
  #at = 0;
  #gap = { at: 0, length: 0 };

  constructor(file: FileHandle) {
    this.#file = file;
  }

  get end(): number {
    return this.#at + this.#length;
  }

  async append(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      if (this.#length === this.#buffer.length) {
        await this.flush();
        if (this.#buffer.length < bufferBytes) this.#buffer = Buffer.allocUnsafeSlow(bufferBytes);
      }
      const copied = bytes.copy(this.#buffer, this.#length, done);
      this.#length += copied;
      done += copied;
    }
  }

  async leaveGap(length: number): Promise<void> {
    this.#gap = { at: this.end, length };
    await this.append(Buffer.alloc(length));
  }

  /** Replaces bytes that were appended at once, or as the last of the file. */
  async replace(bytes: Buffer, at: number): Promise<void> {
    if (at >= this.#at) {
      bytes.copy(this.#buffer, at - this.#at);
      return;
    }
    await this.flush();
    await this.#write(bytes, at);
  }

  /** Moves what follows the gap to its start. */
  async closeGap(): Promise<void> {
    const { at, length } = this.#gap;
    if (length === 0) return;
    if (this.#at === 0) {
      this.#buffer.copyWithin(at, at + length, this.#length);
      this.#length -= length;
      return;
    }
    await this.flush();
    for (let from = at + length; from < this.#at; ) {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, this.#buffer.length, from);
      assert(bytesRead > 0, 'what was written can be read');
      await this.#write(this.#buffer.subarray(0, bytesRead), from - length);
      from += bytesRead;
    }
    this.#at -= length;
    await this.#file.truncate(this.#at);
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    await this.#write(this.#buffer.subarray(0, this.#length), this.#at);
    this.#at += this.#length;
    this.#length = 0;
  }

  /** A full disk takes a part first, and says why with the rest. */
  async #write(bytes: Buffer, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const left = bytes.length - done;
      const { bytesWritten } = await this.#file.write(bytes, done, left, at + done);
      done += bytesWritten;
    }
  }
}
