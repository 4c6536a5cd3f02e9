/**
 * Runs a proof in a process with mounts or a network of its own, so that whatever it mounts or
 * blocks is gone with it, however it ends. Needs Linux and root (`namespaces` of `platform.ts`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Outcome, ProofOrder } from '../proof.ts';

export type Apart = {
  /** Own mounts, or an own network; of that, only the loopback is up. */
  readonly own: 'mounts' | 'network';
  /** A module that exports `run`, as a proof has it. */
  readonly module: string;
};

export type Message = { readonly line: string } | { readonly outcome: Outcome };

const program = fileURLToPath(new URL('./apart-inside.ts', import.meta.url));
const commands: Readonly<Record<Apart['own'], readonly string[]>> = {
  mounts: ['--mount', 'sh', '-c', 'exec "$@"', 'sh'],
  network: ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
};

export async function runApart({ own, module }: Apart, order: ProofOrder): Promise<Outcome> {
  const { runs, seed, say, keep, signal } = order;
  const words = [program, module, String(runs), String(seed)];
  const child = spawn('unshare', [...commands[own], process.execPath, ...words], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let last: Outcome | undefined;
  child.on('message', (message: Message) => {
    if ('line' in message) return say(message.line);
    last = message.outcome;
    keep(last);
  });
  await once(child, 'close');
  signal.removeEventListener('abort', stop);
  if (!last) throw new Error('the process apart ended without a word');
  return last;
}
