/**
 * A file on this disk, read in pieces as the parser needs them, like `remote-file.ts`. Reads a
 * bounded part: what is not found in it is not known.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { Piece, Span } from './media-duration.ts';

const firstBytes = 80 * 1024;
const pieceBytesMin = 1024 ** 2;
/** More than the probe of a create reads of one file, so that it finds the same. */
const bytesMax = 64 * 1024 ** 2;

export class LocalFile implements AsyncDisposable {
  readonly bytesTotal: number;
  readonly #handle: FileHandle;
  readonly #pieces: Piece[] = [];
  #bytesRead = 0;

  private constructor(handle: FileHandle, bytesTotal: number) {
    this.#handle = handle;
    this.bytesTotal = bytesTotal;
  }

  static async open(path: string): Promise<LocalFile> {
    const handle = await open(path);
    const file = new LocalFile(handle, (await handle.stat()).size);
    await file.read({ start: 0, end: Math.min(firstBytes, file.bytesTotal) });
    return file;
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** Returns false if the limit is reached or the span is not in the file. */
  async read({ start, end }: Span): Promise<boolean> {
    const covering = this.#pieces.find(
      (piece) => piece.start <= start && start < piece.start + piece.bytes.length,
    );
    const from = covering ? covering.start + covering.bytes.length : start;
    const wanted = Math.min(Math.max(end - from, pieceBytesMin), this.bytesTotal - from);
    if (wanted <= 0 || this.#bytesRead + wanted > bytesMax) return false;
    const bytes = Buffer.alloc(wanted);
    const { bytesRead } = await this.#handle.read(bytes, 0, wanted, from);
    this.#bytesRead += bytesRead;
    this.#pieces.push({ start: from, bytes: bytes.subarray(0, bytesRead) });
    this.#pieces.sort((one, other) => one.start - other.start);
    return bytesRead > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}
