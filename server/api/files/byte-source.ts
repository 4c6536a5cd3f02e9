/** The chunks of a body with a position in them, for parsers that read ahead. */
import { releaseChunk } from './receive-file.ts';

export type ByteSource = {
  /** The chunk that is being read, freed when it is used up, and the position in it. */
  chunk: Buffer;
  at: number;
  /** Goes to the next chunk if this one is used up; returns false at the end of the body. */
  hasMore(): Promise<boolean>;
  /** Makes the next bytes part of one chunk: `count` of them, or all that are left. */
  readAhead(count: number): Promise<void>;
  /** Releases the chunks when the body is given up. */
  close(): Promise<void>;
};

export function createByteSource(chunks: AsyncIterable<Buffer>): ByteSource {
  const iterator = chunks[Symbol.asyncIterator]();
  const source: ByteSource = {
    chunk: Buffer.alloc(0),
    at: 0,
    async hasMore() {
      while (source.at === source.chunk.length) {
        const { done, value } = await iterator.next();
        if (done) return false;
        releaseChunk(source.chunk);
        [source.chunk, source.at] = [value, 0];
      }
      return true;
    },
    async readAhead(count) {
      while (source.chunk.length - source.at < count) {
        const { done, value } = await iterator.next();
        if (done) return;
        source.chunk = Buffer.concat([source.chunk.subarray(source.at), value]);
        source.at = 0;
      }
    },
    async close() {
      await iterator.return?.();
    },
  };
  return source;
}
