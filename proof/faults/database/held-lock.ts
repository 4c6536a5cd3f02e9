/** A session that reads a table in a long transaction, as a backup does. */
import pg from 'pg';
import { waitUntil } from '../../kit/wait-until.ts';

/** A held resource: a connection with an open transaction. */
export class HeldLock implements AsyncDisposable {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string, table: string): Promise<HeldLock> {
    const client = new pg.Client({ connectionString: url, application_name: 'a backup' });
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    await client.query(`lock table ${table} in access share mode`);
    return new HeldLock(client);
  }

  /** The process ids of sessions whose migration waits for a lock. */
  async waiting(): Promise<number[]> {
    // Within a transaction, the server shows the activity of the first read.
    await this.#client.query('select pg_stat_clear_snapshot()');
    const { rows } = await this.#client.query<{ pid: number }>(
      `select pid from pg_stat_activity where wait_event_type = 'Lock'
         and query ilike '%lock table%' and datname = current_database()`,
    );
    return rows.map(({ pid }) => pid);
  }

  async waitUntilBlocking(): Promise<void> {
    await waitUntil(async () => (await this.waiting()).length > 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}
