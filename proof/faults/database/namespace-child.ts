/** The process that `apart.ts` starts: runs a proof's module, and tells what it says and finds. */
import type { FaultTestOptions, FaultTestResult } from '../fault-test.ts';
import type { ChildMessage } from './run-in-namespace.ts';

if (import.meta.main) await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const [module, runs, seed] = args as [string, string, string];
  const stopped = new AbortController();
  process.once('SIGTERM', () => stopped.abort());
  // Whoever started us is gone: so is what we were asked for.
  process.once('disconnect', () => stopped.abort());
  const send = (message: ChildMessage) => void process.send?.(message);
  const { run } = (await import(module)) as {
    run(options: FaultTestOptions): Promise<FaultTestResult>;
  };
  const result = await run({
    runs: Number(runs),
    seed: Number(seed),
    log: (line) => send({ line }),
    saveProgress: (result) => send({ outcome: result }),
    signal: stopped.signal,
  });
  process.send?.({ outcome: result }, () => process.exit());
}
