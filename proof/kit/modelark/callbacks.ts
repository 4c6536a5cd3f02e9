/**
 * The fake's unsigned requests to `callback_url`: one for every change, final ones up to three
 * times more until a 2xx. They go to this machine only.
 */
import { timeoutSignal } from '../../../server/clock.ts';

const retriesMax = 3;

export function createCallbacks({ timeoutMs }: { readonly timeoutMs: number }) {
  const inFlight = new Set<Promise<void>>();

  async function isAcknowledged(url: string, body: string): Promise<boolean> {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body, signal: timeoutSignal(timeoutMs) };
    try {
      const response = await fetch(url, request);
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }

  async function deliver(url: string, body: string, attemptsMax: number): Promise<void> {
    const isLocal = ['127.0.0.1', '[::1]'].includes(new URL(url).hostname);
    for (let attempt = 0; isLocal && attempt < attemptsMax; attempt++) {
      if (await isAcknowledged(url, body)) return;
    }
  }

  return {
    send(url: string, body: unknown, { isFinal }: { readonly isFinal: boolean }): void {
      const delivery = deliver(url, JSON.stringify(body), isFinal ? 1 + retriesMax : 1);
      inFlight.add(delivery);
      void delivery.finally(() => inFlight.delete(delivery));
    },
    /** Resolves when no callback is being sent. */
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
