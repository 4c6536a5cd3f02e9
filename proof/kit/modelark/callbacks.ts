/**
 * The fake's unsigned requests to `callback_url`: one for every change, final ones up to three
 * times more until a 2xx. They go to this machine only.
 */

export type FakeCallback = {
  readonly url: string;
  readonly body: unknown;
  readonly attempts: number;
  readonly acknowledged: boolean;
};

const retriesMax = 3;

export function createCallbacks(options: { readonly timeoutMs: number }) {
  const sent: FakeCallback[] = [];
  const inFlight = new Set<Promise<void>>();

  async function attempt(url: string, text: string): Promise<boolean> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
        signal: AbortSignal.timeout(options.timeoutMs),
      });
      await response.arrayBuffer();
      return response.status >= 200 && response.status < 300;
    } catch {
      return false;
    }
  }

  async function deliver(url: string, body: unknown, attemptsMax: number): Promise<void> {
    const text = JSON.stringify(body);
    let attempts = 0;
    let acknowledged = false;
    const local = ['127.0.0.1', '[::1]'].includes(new URL(url).hostname);
    while (local && !acknowledged && attempts < attemptsMax) {
      attempts++;
      acknowledged = await attempt(url, text);
    }
    sent.push({ url, body: JSON.parse(text), attempts, acknowledged });
  }

  return {
    sent: sent as readonly FakeCallback[],
    send(url: string, body: unknown, callOptions: { readonly final: boolean }): void {
      const delivery = deliver(url, body, callOptions.final ? 1 + retriesMax : 1);
      inFlight.add(delivery);
      void delivery.finally(() => inFlight.delete(delivery));
    },
    /** Resolves when no callback is being sent. */
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
