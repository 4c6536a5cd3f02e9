/** The process that `apart.ts` starts: runs a proof's module, and tells what it says and finds. */
import type { Outcome, ProofOrder } from '../proof.ts';
import type { Message } from './apart.ts';

if (import.meta.main) await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<void> {
  const [module, runs, seed] = words as [string, string, string];
  const stopped = new AbortController();
  process.once('SIGTERM', () => stopped.abort());
  // Whoever started us is gone: so is what we were asked for.
  process.once('disconnect', () => stopped.abort());
  const tell = (message: Message) => void process.send?.(message);
  const { run } = (await import(module)) as { run(order: ProofOrder): Promise<Outcome> };
  const outcome = await run({
    runs: Number(runs),
    seed: Number(seed),
    say: (line) => tell({ line }),
    keep: (outcome) => tell({ outcome }),
    signal: stopped.signal,
  });
  process.send?.({ outcome }, () => process.exit());
}
