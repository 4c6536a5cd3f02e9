/**
 * Clients that only read, all the time and from every process. While the database is away their
 * responses are late or `internal_error`, and nothing else; no request may hang.
 */
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import type { Findings } from '../fault-test.ts';
import type { Installation } from '../installation.ts';

/**
 * The longest a request may take when the database does not respond at all: a shared lookup whose
 * statement times out, then one of its own, and time for a busy machine.
 */
const responseMsMax = 90_000;
const pauseMs = 100;

export class Watch implements AsyncDisposable {
  readonly #installation: Installation;
  /** Each violation is kept once. */
  readonly #violations = new Set<string>();
  readonly #counts = new Map<number, number>();
  #slowestMs = 0;
  #isRunning = true;
  #running: readonly Promise<void>[] = [];

  private constructor(installation: Installation) {
    this.#installation = installation;
  }

  /** Reads the paths from each process in turn, with the key of the first account. */
  static async start(
    installation: Installation,
    processes: readonly { readonly url: string }[],
    paths: readonly string[] = ['/v1/credits'],
  ): Promise<Watch> {
    const { key } = await installation.account();
    const watch = new Watch(installation);
    watch.#running = processes.map(({ url }) => watch.#run(url, { paths, key }));
    return watch;
  }

  /** How many requests were answered, and the slowest of them. */
  get notes(): string[] {
    const [good, failed, away] = [200, 500, 503].map((status) => this.#counts.get(status) ?? 0);
    const seconds = (this.#slowestMs / 1000).toFixed(1);
    const { internalErrors } = this.#installation.clients;
    return [
      `${internalErrors.length} creates were answered internal_error and repeated`,
      `${good} reads were answered with 200, ${failed} with 500, ${away} with 503; the slowest ` +
        `took ${seconds} s`,
    ];
  }

  /** Adds the violations since the last call to `findings`. */
  addViolations(findings: Findings): Findings {
    const violations = [...this.#violations];
    this.#violations.clear();
    return { ...findings, broken: [...findings.broken, ...violations] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
  }

  async #run(url: string, request: { paths: readonly string[]; key: string }): Promise<void> {
    const { paths, key } = request;
    for (let at = 0; this.#isRunning; at = (at + 1) % paths.length) {
      await this.#send(`${url}${paths[at]}`, key);
      await sleep(pauseMs);
    }
  }

  async #send(url: string, key: string): Promise<void> {
    const fromMs = monotonicMs();
    try {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(responseMsMax) });
      const text = await response.text();
      const { status } = response;
      this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
      if (status === 200 || (status >= 500 && text.includes('"internal_error"'))) return;
      this.#violations.add(`${url} was answered with ${status} ${text}`);
    } catch (error) {
      const { message, cause } = error as Error;
      if (this.#isRunning)
        this.#violations.add(`${url} had no response: ${message} ${cause ?? ''}`);
    } finally {
      this.#slowestMs = Math.max(this.#slowestMs, monotonicMs() - fromMs);
    }
  }
}
