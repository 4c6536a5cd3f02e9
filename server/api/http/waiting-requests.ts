/** Counts the requests of each caller that wait, since each of them holds a connection. */

export class WaitingRequests {
  readonly #counts = new Map<string, number>();

  /** Returns null if as many of the caller wait already. Dispose of it when the wait is over. */
  start(caller: string, max: number): Disposable | null {
    const count = this.#counts.get(caller) ?? 0;
    if (count >= max) return null;
    this.#counts.set(caller, count + 1);
    return {
      [Symbol.dispose]: () => {
        const left = this.#counts.get(caller)! - 1;
        if (left > 0) this.#counts.set(caller, left);
        else this.#counts.delete(caller);
      },
    };
  }
}
