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

/** The fields of `/proc/[pid]/stat` after the name; null if the process is gone. */
export function statOf(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may contain spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
