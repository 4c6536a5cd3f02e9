/** The processor time of another process, to tell a slow file from a slow machine. */
import { processTree, statOf } from '../process-tree.ts';

/** Linux reports times in hundredths of a second on every supported processor. */
const tickMs = 10;

/** Of its descendants too. Returns null where the platform does not tell. */
export function cpuMsOf(pid: number | undefined): number | null {
  if (process.platform !== 'linux' || pid === undefined) return null;
  // In user and kernel mode, and both of children that have ended.
  const times = processTree(pid).flatMap((one) => statOf(one)?.slice(11, 15) ?? []);
  return times.reduce((total, ticks) => total + Number(ticks), 0) * tickMs;
}
