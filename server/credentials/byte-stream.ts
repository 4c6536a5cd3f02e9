/** Reads a stream piece by piece. */
import type { Chunks } from '../egress/save-stream.ts';

export class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);
  /** How many bytes were read. */
  at = 0;

  constructor(chunks: Chunks) {
    this.#chunks =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  }

  /** Returns fewer bytes at the end. */
  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    // Copies: the memory of a chunk may be freed when the next one is asked for.
    await this.each(length, (piece) => void pieces.push(Buffer.from(piece)));
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** Calls back with each piece, and returns how many bytes there were. */
  async each(length: number, onPiece: (piece: Buffer) => void): Promise<number> {
    let done = 0;
    while (done < length) {
      const piece = await this.#next(length - done);
      if (piece.length === 0) break;
      done += piece.length;
      onPiece(piece);
    }
    return done;
  }

  /** Returns what is there, which is valid until the next call; nothing at the end. */
  async #next(lengthMax: number): Promise<Buffer> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      // Not the last chunk, whose memory may be freed.
      if (done) return Buffer.alloc(0);
      this.#chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const piece = this.#chunk.subarray(0, lengthMax);
    this.#chunk = this.#chunk.subarray(piece.length);
    this.at += piece.length;
    return piece;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
