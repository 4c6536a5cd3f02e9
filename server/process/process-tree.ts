/**
 * The processes below a process, on Linux: limits count them together, because a confined program
 * is a descendant of the one that was started, and may start more.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Returns the process and its descendants, perhaps without some that begin or end meanwhile. */
export function processTree(pid: number): readonly number[] {
  const found = [pid];
  for (const parent of found) found.push(...childrenOf(parent));
  return found;
}

/** Kernels can be built without it. */
const hasLists = existsSync('/proc/thread-self/children');

function childrenOf(pid: number): readonly number[] {
  try {
    if (!hasLists)
      return readdirSync('/proc')
        .map(Number)
        .filter((one) => parentOf(one) === pid);
    // Each thread has its own children.
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
      return text.split(' ').filter(Boolean).map(Number);
    });
  } catch {
    // A thread has just ended; the next call finds the others.
    return [];
  }
}

const parentOf = (pid: number): number => (pid > 0 ? Number(statOf(pid)?.[1]) : 0);

/** Linux reports times in hundredths of a second on every supported processor. */
const tickMs = 10;

/**
 * The processor time of a process and its descendants, to tell a slow file from a slow machine.
 * Null where the platform does not tell.
 */
export function cpuMsOf(pid: number | undefined): number | null {
  if (process.platform !== 'linux' || pid === undefined) return null;
  // In user and kernel mode, and both of children that have ended.
  const times = processTree(pid).flatMap((one) => statOf(one)?.slice(11, 15) ?? []);
  return times.reduce((total, ticks) => total + Number(ticks), 0) * tickMs;
}

/** The fields of `/proc/[pid]/stat` after the name; null if the process is gone. */
function statOf(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may contain spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
