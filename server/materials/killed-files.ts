/**
 * Remembers files that ended the process that measured them, so that each costs one process, and
 * their accounts, whose files then share one process.
 */
import { createHash } from 'node:crypto';
import { monotonicMs } from '../process/clock.ts';
import type { DurationInput } from './media-duration.ts';

const rememberedMs = 10 * 60_000;
const entriesMax = 1_000;

export class KilledFiles<Result> {
  readonly #results = new Map<string, { readonly result: Result; readonly untilMs: number }>();
  readonly #accounts = new Map<string, number>();

  add(file: DurationInput, { accountId, result }: { accountId: string; result: Result }): void {
    const untilMs = monotonicMs() + rememberedMs;
    setNewest(this.#results, digestOf(file), { result, untilMs });
    setNewest(this.#accounts, accountId, untilMs);
  }

  /** Null for a file that is not known to end its process. */
  find(file: DurationInput): Result | null {
    // Usually there are none, and no file has to be read.
    const found = this.#results.size === 0 ? null : this.#results.get(digestOf(file));
    return found && found.untilMs > monotonicMs() ? found.result : null;
  }

  isFrom(accountId: string): boolean {
    return (this.#accounts.get(accountId) ?? 0) > monotonicMs();
  }
}

function setNewest<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest);
}

/** Of its length and its first bytes, which are the same however much of it is known. */
function digestOf({ kind, bytesTotal, pieces }: DurationInput): string {
  const first = pieces[0]?.bytes.subarray(0, 64 * 1024) ?? '';
  return createHash('sha256').update(`${kind} ${bytesTotal} `).update(first).digest('base64');
}
