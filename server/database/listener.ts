/** Receives notifications of the database on a connection of its own. */
import pg from 'pg';
import { sleep, startInterval } from '../process/clock.ts';

/** How often the listening connection is checked. */
const keepaliveMs = 10_000;

/**
 * A dedicated connection for notifications. It reconnects, also when it becomes unresponsive, and
 * misses notifications meanwhile, so listeners must poll as well. Through a pooler in transaction
 * mode it receives nothing.
 */
export class Listener {
  readonly #settings: pg.ClientConfig;
  readonly #onError: (error: Error) => void;
  readonly #channels = new Map<string, Set<(payload: string) => void>>();
  readonly #closing = new AbortController();
  #client: Promise<pg.Client> | undefined;
  #isReconnecting = false;
  #keepalive: { stop(): void } | undefined;

  constructor(settings: pg.ClientConfig, onError: (error: Error) => void) {
    this.#settings = { ...settings, query_timeout: keepaliveMs };
    this.#onError = onError;
  }

  async listen(channel: string, onNotification: (payload: string) => void) {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(onNotification));
    this.#client ??= this.#connect().catch((error) => {
      this.#client = undefined;
      throw error;
    });
    await (await this.#client).query(`listen ${pg.escapeIdentifier(channel)}`);
    this.#keepalive ??= startInterval(keepaliveMs, () => this.#checkConnection());
    return { stop: async () => void listeners.delete(onNotification) };
  }

  /** Closes the connection and opens another one as soon as the server accepts it. */
  async reconnect(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#keepalive?.stop();
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#settings);
    client.on('error', this.#onError);
    client.on('notification', ({ channel, payload }) => {
      for (const onNotification of this.#channels.get(channel) ?? []) onNotification(payload ?? '');
    });
    await client.connect();
    client.once('end', () => void this.#reconnect());
    return client;
  }

  /** A connection that only listens would not notice a broken network by itself. */
  async #checkConnection(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (!client || this.#isReconnecting) return;
    await client.query('select 1').catch(async (error: Error) => {
      this.#onError(error);
      await client.end().catch(() => {});
    });
  }

  async #reconnect(): Promise<void> {
    // The running reconnect loop handles a connection that ends before it listens.
    if (this.#isReconnecting) return;
    this.#isReconnecting = true;
    while (!this.#closing.signal.aborted) {
      try {
        this.#client = this.#connect();
        const client = await this.#client;
        for (const channel of this.#channels.keys()) {
          await client.query(`listen ${pg.escapeIdentifier(channel)}`);
        }
        break;
      } catch (error) {
        this.#onError(error as Error);
        await this.#client?.then((client) => client.end()).catch(() => {});
        await sleep(500, this.#closing.signal);
      }
    }
    this.#isReconnecting = false;
  }
}
