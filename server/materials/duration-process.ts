/** Starts the process that measures files, confined and limited, and checks what it sends. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { confine, permissionFlags } from '../process/sandbox.ts';
import type { DurationResult } from './media-duration.ts';

export type DurationProcess = ChildProcessByStdio<Writable, Readable, null>;

const heapMegabytesMax = 64;
/**
 * No core dumps of hostile files, and a CPU limit in case the parent dies: the seconds that
 * the files of one process can take. The shell sets both limits and then execs the process.
 */
const limitScript = 'ulimit -c 0; ulimit -t 60; exec "$0" "$@"';

/** Whatever the process sends, a price must be a number. */
export const isResult = (result: DurationResult): boolean =>
  (!('seconds' in result) || (result.seconds > 0 && Number.isFinite(result.seconds))) &&
  ['measured', 'ambiguous', 'needs', 'unreadable'].includes(result.outcome);

export const ownScript = fileURLToPath(new URL('./duration-worker.ts', import.meta.url));

export function startProcess(script: string): DurationProcess {
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMegabytesMax}`,
    // Defense in depth: the script reads our code only, and cannot write or start processes.
    ...permissionFlags(foldersOf(script)),
    script,
  ];
  const confined = confine(node, foldersOf(script));
  const [command = '', ...args] =
    process.platform === 'win32' ? node : ['/bin/sh', '-c', limitScript, ...confined];
  return spawn(command, args, {
    // Only what a start needs. Anything else in our environment could be a secret.
    env: { SystemRoot: process.env.SystemRoot, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
}

const foldersOf = (script: string) => ({
  readable: script === ownScript ? [] : [dirname(script) + sep],
  writable: [],
});
