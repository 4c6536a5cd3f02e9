/**
 * Runs a fault test in a process with mounts or a network of its own, so that its mounts and rules
 * disappear with the process, however it ends. Linux only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FaultTest, FaultTestOptions, FaultTestResult } from './fault-test.ts';

export type NamespaceOptions = {
  /** Own mounts; an own network with loopback; or the same network without being root. */
  readonly own: 'mounts' | 'network' | 'user network';
  /** The URL of a module, and the function it exports that runs the fault test. */
  readonly module: string;
  readonly name: string;
};

type ChildMessage = { readonly line: string } | { readonly result: FaultTestResult };

const loopback = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const unshareArgs: Readonly<Record<NamespaceOptions['own'], readonly string[]>> = {
  mounts: ['--mount'],
  network: loopback,
  'user network': ['--map-root-user', ...loopback],
};

// Not awaited: the test's module imports this one, which must have been evaluated by then.
if (import.meta.main) void runAsChild(process.argv.slice(2));

export async function runInNamespace(
  { own, module, name }: NamespaceOptions,
  { runs, seed, log, saveProgress, signal }: FaultTestOptions,
): Promise<FaultTestResult> {
  const program = [process.execPath, fileURLToPath(import.meta.url)];
  const args = [...unshareArgs[own], ...program, module, name, String(runs), String(seed)];
  const child = spawn('unshare', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let last: FaultTestResult | undefined;
  child.on('message', (message: ChildMessage) => {
    if ('line' in message) return log(message.line);
    last = message.result;
    saveProgress(last);
  });
  await once(child, 'close');
  signal.removeEventListener('abort', stop);
  if (!last) throw new Error('the process in the namespace exited without a result');
  return last;
}

async function runAsChild(args: readonly string[]): Promise<void> {
  const [module, name, runs, seed] = args as [string, string, string, string];
  const stopped = new AbortController();
  process.once('SIGTERM', () => stopped.abort());
  // The process that started this one has died.
  process.once('disconnect', () => stopped.abort());
  const send = (message: ChildMessage) => void process.send?.(message);
  const exported = (await import(module)) as Record<string, FaultTest['run']>;
  const result = await exported[name]!({
    runs: Number(runs),
    seed: Number(seed),
    log: (line) => send({ line }),
    saveProgress: (result) => send({ result }),
    signal: stopped.signal,
  });
  process.send?.({ result }, () => process.exit());
}
