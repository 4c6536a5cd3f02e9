/**
 * Limits how many bytes may be read: per file, per create and per process. Bytes are acquired
 * before they are read and the limit is never exceeded; a budget also draws on its parent.
 */
export type ByteBudget = {
  /** Acquires all of the bytes or none. */
  acquire(bytes: number): boolean;
  /** Returns bytes that were acquired and not read. */
  release(bytes: number): void;
  /** Returns everything still acquired to the parent budget. */
  close(): void;
};

export function createByteBudget(bytesMax: number, parent?: ByteBudget): ByteBudget {
  let acquired = 0;
  return {
    acquire(bytes) {
      if (acquired + bytes > bytesMax || parent?.acquire(bytes) === false) return false;
      acquired += bytes;
      return true;
    },
    release(bytes) {
      acquired -= bytes;
      parent?.release(bytes);
    },
    close() {
      parent?.release(acquired);
      acquired = 0;
    },
  };
}
