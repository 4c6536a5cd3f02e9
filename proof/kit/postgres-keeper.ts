/**
 * The process that runs a temporary PostgreSQL for a test process. It prints the URL on the first
 * line, and stops the server and deletes its files when its input closes: at `stop`, or when the
 * test process dies. The next keeper deletes what a killed one left.
 */
import { availableParallelism } from 'node:os';
import { Cluster } from './cluster.ts';

export type KeeperMessage = { readonly url: string } | { readonly failed: string };

const settings = [
  // Faster tests; a crash of the machine loses the data.
  ...['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'shared_buffers=64MB'],
  `max_connections=${100 + 50 * availableParallelism()}`,
  'dynamic_shared_memory_type=mmap',
];

if (import.meta.main) await keepServer();

async function keepServer(): Promise<void> {
  const letGo = inputClosed();
  try {
    await using cluster = await Cluster.make({ settings });
    send({ url: cluster.url });
    await letGo;
  } catch (error) {
    send({ failed: (error as Error).message });
  }
  process.exit();
}

function send(message: KeeperMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function inputClosed(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on('close', resolve).resume();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
    // The test process may end before the URL is printed.
    process.stdout.on('error', () => resolve());
  });
}
