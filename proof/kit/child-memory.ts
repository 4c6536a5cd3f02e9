/**
 * Records the peak memory of the child processes of this process. Linux only; elsewhere it records
 * nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';

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
  const peaks = new Map<string, { readonly command: string; readonly mebibytes: number }>();
  const sample = () => {
    for (const id of children()) {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${id}/status`)) ?? [];
      if (kibibytes === undefined) continue;
      // A shell sets limits and then becomes the program, so the last command line counts.
      const command = read(`/proc/${id}/cmdline`);
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

function children(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/task').flatMap((thread) =>
    read(`/proc/self/task/${thread}/children`).split(' ').filter(Boolean),
  );
}

/** Returns an empty text for a process that has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
