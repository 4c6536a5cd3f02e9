/**
 * How many bytes may still be read: for a file, for a create, for the process. Taken before they
 * are read and never overdrawn; a budget draws on the wider one it was made from.
 */
export type ByteBudget = {
  /** All of it or nothing. */
  take(bytes: number): boolean;
  /** What was taken and not read. */
  giveBack(bytes: number): void;
  /** Everything that is still taken goes back to the wider budget. */
  close(): void;
};

export function createByteBudget(bytesMax: number, wider?: ByteBudget): ByteBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > bytesMax || wider?.take(bytes) === false) return false;
      taken += bytes;
      return true;
    },
    giveBack(bytes) {
      taken -= bytes;
      wider?.giveBack(bytes);
    },
    close() {
      wider?.giveBack(taken);
      taken = 0;
    },
  };
}
