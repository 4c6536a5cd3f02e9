/** A map of bounded size whose values are forgotten after a time, the oldest first. */
import { monotonicMs } from '../process/clock.ts';

export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();
  readonly #ttlMs: number;
  readonly #entriesMax: number;

  constructor({ ttlMs, entriesMax }: { readonly ttlMs: number; readonly entriesMax: number }) {
    this.#ttlMs = ttlMs;
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): Value | null {
    const found = this.#entries.get(name);
    return found && found.untilMs > monotonicMs() ? found.value : null;
  }

  set(name: string, value: Value): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, untilMs: monotonicMs() + this.#ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#entriesMax && oldest !== undefined) this.#entries.delete(oldest);
  }
}
