/** Reads a stream piece by piece. */

export class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);
  /** How many bytes were read. */
  at = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
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
    while (done < length && (await this.#hasMore())) {
      const piece = this.#chunk.subarray(0, length - done);
      this.#chunk = this.#chunk.subarray(piece.length);
      done += piece.length;
      this.at += piece.length;
      onPiece(piece);
    }
    return done;
  }

  async #hasMore(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
