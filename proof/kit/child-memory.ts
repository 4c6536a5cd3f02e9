/**
 * Records the peak memory of the child processes of this process. Linux only; elsewhere it records
 * nothing.
 */
import { readFileSync } from 'node:fs';
import { processTree } from '../../server/process/process-tree.ts';

export type ChildMemory = {
  /** Peaks in mebibytes, of each process so far whose command line contains `text`. */
  peaksOf(text: string): number[];
  stop(): void;
};

/**
 * The kernel keeps the peak, so only memory taken in the last milliseconds of a process is missed.
 */
const sampleMs = 20;

export function watchChildMemory(): ChildMemory {
  const peaks = new Map<number, { readonly command: string; readonly mebibytes: number }>();
  const sample = () => {
    for (const id of process.platform === 'linux' ? processTree(process.pid) : []) {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${id}/status`)) ?? [];
      if (kibibytes === undefined) continue;
      const command = read(`/proc/${id}/cmdline`);
      // Not the shells and tools that start it.
      if (!command.startsWith(process.execPath)) continue;
      peaks.set(id, { command, mebibytes: Number(kibibytes) / 1024 });
    }
  };
  const timer = setInterval(sample, sampleMs);
  return {
    peaksOf: (text) =>
      [...peaks.values()]
        .filter(({ command }) => command.includes(text))
        .map(({ mebibytes }) => mebibytes),
    stop: () => clearInterval(timer),
  };
}

/** Returns an empty text for a process that has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
