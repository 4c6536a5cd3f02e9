/** When requests were admitted, oldest first, for one key and one window, in memory. */

/** `at[i]` is a moment in ms, `count[i]` how many were admitted then; live from `head` on. */
export type SlidingLog = { at: number[]; count: number[]; head: number; total: number };

export function newLog(): SlidingLog {
  return { at: [], count: [], head: 0, total: 0 };
}

/** Forgets what has left the window: everything up to and including this moment. */
export function forgetUntil(log: SlidingLog, untilMs: number): void {
  while (log.head < log.at.length && log.at[log.head]! <= untilMs) {
    log.total -= log.count[log.head]!;
    log.head += 1;
  }
  // The dead part is cut off once it is the larger one: on average that costs nothing.
  if (log.head > 32 && log.head * 2 > log.at.length) {
    log.at = log.at.slice(log.head);
    log.count = log.count.slice(log.head);
    log.head = 0;
  }
}

/** Almost always at the end; what other processes report may be a little older. */
export function append(log: SlidingLog, atMs: number, count: number): void {
  let place = log.at.length;
  while (place > log.head && log.at[place - 1]! > atMs) place -= 1;
  if (place === log.at.length) {
    log.at.push(atMs);
    log.count.push(count);
  } else {
    log.at.splice(place, 0, atMs);
    log.count.splice(place, 0, count);
  }
  log.total += count;
}

/** The moment whose leaving brings the total below the limit; with room left, the oldest one. */
export function leavingMs(log: SlidingLog, limit: number): number {
  let total = log.total;
  for (let place = log.head; place < log.at.length; place += 1) {
    total -= log.count[place]!;
    if (total < limit) return log.at[place]!;
  }
  return Number.NEGATIVE_INFINITY;
}

/** The newest moment, or -Infinity for an empty log. */
export function newestMs(log: SlidingLog): number {
  return log.at.at(-1) ?? Number.NEGATIVE_INFINITY;
}
