/**
 * Processor time of a process and all of its descendants, from the kernel's accounting. The time of
 * a child that has ended is in its parent's, so that none is lost. Linux only.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in these units on every platform that Node supports. */
const msPerTick = 10;

type ProcessStat = { readonly parent: number; readonly ticks: number };

/** Returns the user and system time so far, in milliseconds, of these processes and descendants. */
export function processorMs(...roots: readonly number[]): number {
  const stats = readStats();
  const children = Map.groupBy(stats.keys(), (pid) => stats.get(pid)!.parent);
  const sumOf = (pid: number): number =>
    (children.get(pid) ?? []).reduce(
      (sum, child) => sum + sumOf(child),
      stats.get(pid)?.ticks ?? 0,
    );
  return roots.reduce((sum, pid) => sum + sumOf(pid), 0) * msPerTick;
}

function readStats(): Map<number, ProcessStat> {
  if (process.platform !== 'linux') throw new Error('processor time is measured on Linux only');
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = pid > 0 ? readStat(pid) : undefined;
    if (stat) stats.set(pid, stat);
  }
  return stats;
}

/** See proc_pid_stat(5): utime, stime, cutime and cstime are the fields 14 to 17. */
function readStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name in parentheses may contain spaces; the state after it is field 3.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}
