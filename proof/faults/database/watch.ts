/**
 * Clients that only read, all the time and from every process. While the database is away their
 * responses are late or `internal_error`, and nothing else; no request may hang.
 */
import { sleep } from '../../../server/process/clock.ts';
import type { Findings } from '../fault-test.ts';
import type { Installation } from '../installation.ts';

/**
 * The longest a request may take when the database does not respond at all: a shared lookup whose
 * statement times out, then one of its own, and time for a busy machine.
 */
const responseMsMax = 90_000;
const pauseMs = 100;

export class Watch implements AsyncDisposable {
  readonly #violations = new Set<string>();
  #isRunning = true;
  #running: readonly Promise<void>[] = [];

  /** Reads the paths from each process in turn, with the key of the first account. */
  static async start(
    installation: Installation,
    processes: readonly { readonly url: string }[],
    paths: readonly string[] = ['/v1/credits'],
  ): Promise<Watch> {
    const { key } = await installation.account();
    const watch = new Watch();
    watch.#running = processes.map(({ url }) => watch.#run(url, { paths, key }));
    return watch;
  }

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
    try {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(responseMsMax) });
      const text = await response.text();
      const { status } = response;
      if (status === 200 || (status >= 500 && text.includes('"internal_error"'))) return;
      this.#violations.add(`${url} was answered with ${status} ${text}`);
    } catch (error) {
      const { message, cause } = error as Error;
      if (this.#isRunning)
        this.#violations.add(`${url} had no response: ${message} ${cause ?? ''}`);
    }
  }
}
