/**
 * Customers who only ask, all the time and at every process: while the database is away they get
 * their answer late or `internal_error`, and nothing else. No request may hang.
 */
import { elapsedMs, sleep, timeoutSignal } from '../../../server/clock.ts';

/**
 * What a request may take at the most when the database says nothing at all: a look-up shared with
 * others whose statement is given up, then one of its own, and time for a busy machine.
 */
const answerMsMax = 90_000;
const pauseMs = 100;

type Question = { readonly path: string; readonly key: string };

export class Watch {
  /** Answers that no request may get, once each. */
  readonly #troubles = new Set<string>();
  readonly #counts = new Map<number, number>();
  #slowestMs = 0;
  #going = true;
  readonly #running: Promise<void>[];

  /** Asks each of these addresses one question after the other. */
  constructor(urls: readonly string[], questions: readonly Question[]) {
    this.#running = urls.map((url) => this.#run(url, questions));
  }

  /** As a sentence: how many were answered, and how the worst of it was. */
  get note(): string {
    const [good, away] = [200, 500].map((status) => this.#counts.get(status) ?? 0);
    const seconds = (this.#slowestMs / 1000).toFixed(1);
    return `${good} status queries answered, ${away} with 500; the slowest took ${seconds} s`;
  }

  /** Each is told once. */
  takeTroubles(): string[] {
    const told = [...this.#troubles];
    this.#troubles.clear();
    return told;
  }

  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#running);
  }

  async #run(url: string, questions: readonly Question[]): Promise<void> {
    for (let at = 0; this.#going; at = (at + 1) % questions.length) {
      await this.#ask(url, questions[at]!);
      await sleep(pauseMs);
    }
  }

  async #ask(url: string, { path, key }: Question): Promise<void> {
    const fromMs = elapsedMs();
    try {
      const answer = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: timeoutSignal(answerMsMax),
      });
      const text = await answer.text();
      const { status } = answer;
      this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
      if (status === 200 || (status === 500 && text.includes('"internal_error"'))) return;
      this.#troubles.add(`${path} answered ${status} ${text}`);
    } catch (error) {
      const { message, cause } = error as Error;
      if (this.#going) this.#troubles.add(`${path} was not answered: ${message} ${cause ?? ''}`);
    } finally {
      this.#slowestMs = Math.max(this.#slowestMs, elapsedMs() - fromMs);
    }
  }
}
