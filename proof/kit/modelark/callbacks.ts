/**
 * The double's calls to `callback_url`: on every change, unsigned, final ones up to three times
 * more when no 2xx comes in time. Calls go to this machine only.
 */
import { timeoutSignal } from '../../../server/clock.ts';

export type DoubleCallback = {
  readonly url: string;
  readonly body: unknown;
  readonly attempts: number;
  readonly answered: boolean;
};

const retriesMax = 3;

export function createCallbacks(options: { readonly timeoutMs: number }) {
  const sent: DoubleCallback[] = [];
  const underway = new Set<Promise<void>>();

  async function attempt(url: string, text: string): Promise<boolean> {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
        signal: timeoutSignal(options.timeoutMs),
      });
      await answer.arrayBuffer();
      return answer.status >= 200 && answer.status < 300;
    } catch {
      return false;
    }
  }

  async function deliver(url: string, body: unknown, attemptsMax: number): Promise<void> {
    const text = JSON.stringify(body);
    let attempts = 0;
    let answered = false;
    const local = ['127.0.0.1', '[::1]'].includes(new URL(url).hostname);
    while (local && !answered && attempts < attemptsMax) {
      attempts++;
      answered = await attempt(url, text);
    }
    sent.push({ url, body: JSON.parse(text), attempts, answered });
  }

  return {
    sent: sent as readonly DoubleCallback[],
    send(url: string, body: unknown, call: { readonly final: boolean }): void {
      const delivery = deliver(url, body, call.final ? 1 + retriesMax : 1);
      underway.add(delivery);
      void delivery.finally(() => underway.delete(delivery));
    },
    /** Resolves when nothing is being sent any more. */
    async settled(): Promise<void> {
      while (underway.size > 0) await Promise.all(underway);
    },
  };
}
