/** Starts `inside.ts` where it can do no harm: in a network of its own that leads nowhere. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testAuthorityPath } from '../../kit/fake-network.ts';
import type { Tally } from './drive.ts';

/** What has been found so far; the last line is the outcome. */
export type InsideLine = Omit<Tally, 'ways'> & {
  readonly ways: number;
  readonly byHand: number;
};

const program = fileURLToPath(new URL('./inside.ts', import.meta.url));
const unshare = ['--map-root-user', '--net'];

export const hasNamespaces = (): boolean =>
  spawnSync('unshare', [...unshare, 'ip', 'link', 'set', 'lo', 'up']).status === 0;

export async function driveInNamespace(order: {
  readonly seed: number;
  readonly runs: number;
  readonly onLine?: (line: InsideLine) => void;
  readonly signal?: AbortSignal;
}): Promise<InsideLine> {
  const words = [process.execPath, program, String(order.seed), String(order.runs)];
  const child = spawn('unshare', [...unshare, ...words], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: fileURLToPath(testAuthorityPath) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => void child.kill();
  order.signal?.addEventListener('abort', stop, { once: true });
  const exited = once(child, 'exit');
  let last: InsideLine | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line) as InsideLine;
    order.onLine?.(last);
  }
  const [code] = await exited;
  order.signal?.removeEventListener('abort', stop);
  if (last === undefined || (code !== 0 && !order.signal?.aborted)) {
    throw new Error(`the drive through the namespace ended with ${code}`);
  }
  return last;
}
