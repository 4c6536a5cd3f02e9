/**
 * Runs a proof in a process with mounts or a network of its own, so that whatever it mounts or
 * blocks is gone with it, however it ends. Needs Linux and root (`namespaces` of `platform.ts`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FaultTestOptions, FaultTestResult } from '../fault-test.ts';

export type NamespaceOptions = {
  /** Own mounts, or an own network; of that, only the loopback is up. */
  readonly own: 'mounts' | 'network';
  /** A module that exports `run`, as a proof has it. */
  readonly module: string;
};

export type ChildMessage = { readonly line: string } | { readonly outcome: FaultTestResult };

const program = fileURLToPath(new URL('./namespace-child.ts', import.meta.url));
const commands: Readonly<Record<NamespaceOptions['own'], readonly string[]>> = {
  mounts: ['--mount', 'sh', '-c', 'exec "$@"', 'sh'],
  network: ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
};

export async function runInNamespace(
  { own, module }: NamespaceOptions,
  options: FaultTestOptions,
): Promise<FaultTestResult> {
  const { runs, seed, log, saveProgress, signal } = options;
  const args = [program, module, String(runs), String(seed)];
  const child = spawn('unshare', [...commands[own], process.execPath, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let last: FaultTestResult | undefined;
  child.on('message', (message: ChildMessage) => {
    if ('line' in message) return log(message.line);
    last = message.outcome;
    saveProgress(last);
  });
  await once(child, 'close');
  signal.removeEventListener('abort', stop);
  if (!last) throw new Error('the process apart ended without a word');
  return last;
}
