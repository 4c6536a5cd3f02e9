/** How the processor time of a function grows with its input. Elapsed time is never measured. */

const small = 2_000;
const factor = 8;
/** Eight times the input takes eight times as long if linear, 64 times if quadratic. */
const growthMax = 24;
/** Below this, the resolution of the clock and the compiler decide. */
const microsecondsMin = 20_000;
const attempts = 3;

/** Returns a message if doubling the input does much more than double the work. */
export function growthProblem(work: (size: number) => void): string | null {
  work(small);
  const large = leastMicroseconds(() => work(small * factor));
  if (large < microsecondsMin) return null;
  const growth =
    large /
    Math.max(
      1,
      leastMicroseconds(() => work(small)),
    );
  if (growth <= growthMax) return null;
  return `${factor} times the input took ${Math.round(growth)} times the processor time`;
}

function leastMicroseconds(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least > microsecondsMin; attempt += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}
