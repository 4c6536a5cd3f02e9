/**
 * A bounded number of places for each name, given in order of arrival. Keeps a list of fifty
 * materials on one host from becoming fifty sockets on that host.
 */

export type Places = {
  /** Waits for a place; rejects with the signal's reason. The answer gives the place back, once. */
  take(name: string, signal: AbortSignal): Promise<() => void>;
};

export function createPlaces(max: number): Places {
  const taken = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  function giveBack(name: string): void {
    const next = waiting.get(name)?.values().next().value;
    if (next !== undefined) {
      next();
      return;
    }
    const left = (taken.get(name) ?? 0) - 1;
    if (left > 0) taken.set(name, left);
    else taken.delete(name);
  }

  function oncePlace(name: string): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) giveBack(name);
      isHeld = false;
    };
  }

  function wait(name: string, signal: AbortSignal): Promise<void> {
    const queue = waiting.get(name) ?? new Set();
    waiting.set(name, queue);
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(enter);
        if (queue.size === 0) waiting.delete(name);
        signal.removeEventListener('abort', giveUp);
      };
      const enter = () => {
        leave();
        resolve();
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      queue.add(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async take(name, signal) {
      signal.throwIfAborted();
      const count = taken.get(name) ?? 0;
      // A place handed from one holder to the next stays counted.
      if (count < max) taken.set(name, count + 1);
      else await wait(name, signal);
      return oncePlace(name);
    },
  };
}
