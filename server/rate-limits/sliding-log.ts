/** When requests were admitted, oldest first, for one key and one window, in memory. */

/**
 * `at[i]` is a time in ms, `count[i]` how many requests were admitted then; valid from `head` on.
 */
export type SlidingLog = { at: number[]; count: number[]; head: number; total: number };

export function createSlidingLog(): SlidingLog {
  return { at: [], count: [], head: 0, total: 0 };
}

/** Removes everything up to and including this time. */
export function evictUntil(log: SlidingLog, untilMs: number): void {
  while (log.head < log.at.length && log.at[log.head]! <= untilMs) {
    log.total -= log.count[log.head]!;
    log.head += 1;
  }
  // The evicted part is cut off once it is the larger one, which costs nothing on average.
  if (log.head > 32 && log.head * 2 > log.at.length) {
    log.at = log.at.slice(log.head);
    log.count = log.count.slice(log.head);
    log.head = 0;
  }
}

/** Almost always appends at the end; reports of other processes can be slightly older. */
export function append(log: SlidingLog, atMs: number, count: number): void {
  let index = log.at.length;
  while (index > log.head && log.at[index - 1]! > atMs) index -= 1;
  if (index === log.at.length) {
    log.at.push(atMs);
    log.count.push(count);
  } else {
    log.at.splice(index, 0, atMs);
    log.count.splice(index, 0, count);
  }
  log.total += count;
}

/** Removes one request that was admitted at that time. Returns false if there is none. */
export function remove(log: SlidingLog, atMs: number): boolean {
  const index = log.at.lastIndexOf(atMs);
  if (index < log.head) return false;
  log.total -= 1;
  log.count[index]! -= 1;
  if (log.count[index] === 0) {
    log.at.splice(index, 1);
    log.count.splice(index, 1);
  }
  return true;
}

/**
 * The time whose expiry brings the total below the limit; the oldest one if there is room already.
 */
export function nextExpiryMs(log: SlidingLog, limit: number): number {
  let total = log.total;
  for (let index = log.head; index < log.at.length; index += 1) {
    total -= log.count[index]!;
    if (total < limit) return log.at[index]!;
  }
  return Number.NEGATIVE_INFINITY;
}

/** The newest time, or -Infinity for an empty log. */
export function newestMs(log: SlidingLog): number {
  return log.at.at(-1) ?? Number.NEGATIVE_INFINITY;
}
