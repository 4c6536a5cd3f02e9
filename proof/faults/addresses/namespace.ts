/** Starts `inside.ts` where it can do no harm: in a network of its own that leads nowhere. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testAuthorityPath } from '../../kit/fake-network.ts';
import type { VariantTally } from './check-variant.ts';

/** What has been found so far; the last line is the outcome. */
export type ChildReport = Omit<VariantTally, 'techniques'> & {
  readonly techniques: number;
  readonly byHand: number;
};

const program = fileURLToPath(new URL('./namespace-child.ts', import.meta.url));
const unshare = ['--map-root-user', '--net'];

export const hasNamespaces = (): boolean =>
  spawnSync('unshare', [...unshare, 'ip', 'link', 'set', 'lo', 'up']).status === 0;

export async function checkInNamespace(options: {
  readonly seed: number;
  readonly runs: number;
  readonly onLine?: (line: ChildReport) => void;
  readonly signal?: AbortSignal;
}): Promise<ChildReport> {
  const args = [process.execPath, program, String(options.seed), String(options.runs)];
  const child = spawn('unshare', [...unshare, ...args], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: fileURLToPath(testAuthorityPath) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => void child.kill();
  options.signal?.addEventListener('abort', stop, { once: true });
  const exited = once(child, 'exit');
  let last: ChildReport | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line) as ChildReport;
    options.onLine?.(last);
  }
  const [code] = await exited;
  options.signal?.removeEventListener('abort', stop);
  if (last === undefined || (code !== 0 && !options.signal?.aborted)) {
    throw new Error(`the drive through the namespace ended with ${code}`);
  }
  return last;
}
