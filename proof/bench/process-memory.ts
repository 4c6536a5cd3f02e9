/** Memory of a process tree without PostgreSQL's processes, from the kernel's accounting. */
import { readdirSync, readFileSync } from 'node:fs';

export type TreeMemory = {
  readonly residentMb: number;
  /** Pages that processes share are divided among them. */
  readonly proportionalMb: number;
};

export function treeMemory(root: number): TreeMemory {
  const pids = withDescendants(root).filter((pid) => read(pid, 'comm').trim() !== 'postgres');
  const sum = (field: RegExp) =>
    pids.reduce((total, pid) => total + Number(field.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0), 0);
  return {
    residentMb: sum(/^Rss:\s+(\d+) kB$/m) / 1024,
    proportionalMb: sum(/^Pss:\s+(\d+) kB$/m) / 1024,
  };
}

/** Records the largest resident memory of a tree until stopped. */
export function watchPeak(root: number): { stop(): number } {
  let peakMb = 0;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, treeMemory(root).residentMb);
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return peakMb;
    },
  };
}

function withDescendants(root: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  const children = Map.groupBy(pids, (pid) => Number(/\) . (\d+)/.exec(read(pid, 'stat'))?.[1]));
  const from = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(from)];
  return from(root);
}

/** Returns an empty text for a process that has just ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
