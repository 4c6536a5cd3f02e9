/**
 * Customers who only ask, all the time and at every process: while the database is away they get
 * their answer late or `internal_error`, and nothing else. No request may hang.
 */
import { monotonicMs, sleep, timeoutSignal } from '../../../server/clock.ts';

/**
 * What a request may take at the most when the database says nothing at all: a look-up shared with
 * others whose statement is given up, then one of its own, and time for a busy machine.
 */
const responseMsMax = 90_000;
const pauseMs = 100;

type WatchedRequest = { readonly path: string; readonly key: string };

export class Watch {
  /** Answers that no request may get, once each. */
  readonly #violations = new Set<string>();
  readonly #counts = new Map<number, number>();
  #slowestMs = 0;
  #isRunning = true;
  readonly #running: Promise<void>[];

  /** Asks each of these addresses one question after the other. */
  constructor(urls: readonly string[], requests: readonly WatchedRequest[]) {
    this.#running = urls.map((url) => this.#run(url, requests));
  }

  /** As a sentence: how many were answered, and how the worst of it was. */
  get summary(): string {
    const [good, away] = [200, 500].map((status) => this.#counts.get(status) ?? 0);
    const seconds = (this.#slowestMs / 1000).toFixed(1);
    return `${good} status queries answered, ${away} with 500; the slowest took ${seconds} s`;
  }

  /** Each is told once. */
  takeViolations(): string[] {
    const violations = [...this.#violations];
    this.#violations.clear();
    return violations;
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
  }

  async #run(url: string, requests: readonly WatchedRequest[]): Promise<void> {
    for (let at = 0; this.#isRunning; at = (at + 1) % requests.length) {
      await this.#send(url, requests[at]!);
      await sleep(pauseMs);
    }
  }

  async #send(url: string, { path, key }: WatchedRequest): Promise<void> {
    const fromMs = monotonicMs();
    try {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: timeoutSignal(responseMsMax),
      });
      const text = await response.text();
      const { status } = response;
      this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
      if (status === 200 || (status === 500 && text.includes('"internal_error"'))) return;
      this.#violations.add(`${path} answered ${status} ${text}`);
    } catch (error) {
      const { message, cause } = error as Error;
      if (this.#isRunning)
        this.#violations.add(`${path} was not answered: ${message} ${cause ?? ''}`);
    } finally {
      this.#slowestMs = Math.max(this.#slowestMs, monotonicMs() - fromMs);
    }
  }
}
