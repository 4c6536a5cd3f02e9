/**
 * How many bytes may still be read: for a file, for a create, for the process. Taken before they
 * are read and never overdrawn; a budget draws on the wider one it was made from.
 */
export type ByteBudget = {
  /** All of it or nothing. */
  acquire(bytes: number): boolean;
  /** What was taken and not read. */
  release(bytes: number): void;
  /** Everything that is still taken goes back to the wider budget. */
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
