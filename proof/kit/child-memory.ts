/**
 * How much memory the processes took that this one has started, at their highest. Told by Linux;
 * elsewhere there is nothing to see.
 */
import { readdirSync, readFileSync } from 'node:fs';

export type ChildMemory = {
  /** Mebibytes, of each process so far whose command line has this word in it. */
  peaksOf(text: string): number[];
  stop(): void;
};

/** The kernel keeps the highest itself: only what is taken right before an end is missed. */
const sampleMs = 20;

export function watchChildMemory(): ChildMemory {
  const peaks = new Map<string, { readonly command: string; readonly mebibytes: number }>();
  const sample = () => {
    for (const id of children()) {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${id}/status`)) ?? [];
      if (kibibytes === undefined) continue;
      // A shell sets limits first, and then becomes the program: what was seen last counts.
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

/** Empty for what has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
