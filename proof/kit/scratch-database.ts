/**
 * A migrated PostgreSQL database for one test file. `npm test` prepares a server and a template to
 * clone; without them a temporary server is started, which ends with the test process.
 */
import { after } from 'node:test';
import type { Database } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { cloneDatabase, startPostgres, type TestServer } from './postgres.ts';

export type ScratchDatabase = {
  readonly db: Database;
  /** For tests that start more processes or connections. */
  readonly url: string;
  close(): Promise<void>;
};

let sharedServer: Promise<TestServer> | undefined;
/** One server for all databases of this process. */
const shareServer = (): Promise<TestServer> => (sharedServer ??= startPostgres());

export async function openScratchDatabase({
  prepareDatabase = async () => {},
}: {
  /** Called with the URL before the service opens the database. */
  readonly prepareDatabase?: (url: string) => Promise<void>;
} = {}): Promise<ScratchDatabase> {
  const server = await shareServer();
  const own = await cloneDatabase(server.url, process.env.VIDGEN_TEST_TEMPLATE ?? 'template0');
  await prepareDatabase(own.url);
  const db = await openPostgres(own.url);
  try {
    await migrate(db);
  } catch (error) {
    // An open database would keep the process of a failed test alive.
    await db.close();
    throw error;
  }
  return {
    db,
    url: own.url,
    async close() {
      await db.close();
      await own.drop();
    },
  };
}

export async function useDatabase(): Promise<ScratchDatabase> {
  const scratch = await openScratchDatabase();
  after(() => scratch.close());
  return scratch;
}
