/**
 * A limited number of slots per name, granted in order of arrival. Keeps fifty materials on one
 * host from opening fifty sockets to it.
 */

export type KeyedSemaphore = {
  /**
   * Waits for a slot and returns a function that releases it once. Rejects with the signal's
   * reason.
   */
  acquire(name: string, signal: AbortSignal): Promise<() => void>;
};

export function createKeyedSemaphore(max: number): KeyedSemaphore {
  const counts = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  function release(name: string): void {
    const next = waiting.get(name)?.values().next().value;
    if (next !== undefined) {
      next();
      return;
    }
    const remaining = (counts.get(name) ?? 0) - 1;
    if (remaining > 0) counts.set(name, remaining);
    else counts.delete(name);
  }

  function releaseOnce(name: string): () => void {
    let isAcquired = true;
    return () => {
      if (isAcquired) release(name);
      isAcquired = false;
    };
  }

  function wait(name: string, signal: AbortSignal): Promise<void> {
    const queue = waiting.get(name) ?? new Set();
    waiting.set(name, queue);
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        queue.delete(grant);
        if (queue.size === 0) waiting.delete(name);
        signal.removeEventListener('abort', onAbort);
      };
      const grant = () => {
        stopWaiting();
        resolve();
      };
      const onAbort = () => {
        stopWaiting();
        reject(signal.reason);
      };
      queue.add(grant);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    async acquire(name, signal) {
      signal.throwIfAborted();
      const count = counts.get(name) ?? 0;
      // A slot handed to the next waiter stays counted.
      if (count < max) counts.set(name, count + 1);
      else await wait(name, signal);
      return releaseOnce(name);
    },
  };
}
