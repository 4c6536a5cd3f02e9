/**
 * A migrated database for one test file, on the engine of VIDGEN_TEST_ENGINE (`embedded`, the
 * default, or `postgres`). `npm test` prepares a dump and a template to start from.
 */
import { existsSync } from 'node:fs';
import type { Database } from '../../server/database/database.ts';
import { openEmbedded } from '../../server/database/embedded.ts';
import { migrate } from '../../server/database/migrate.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { cloneDatabase, startPostgres } from './postgres.ts';

export type ScratchDatabase = {
  readonly db: Database;
  /** PostgreSQL only: for tests that start more processes or connections. */
  readonly url?: string;
  close(): Promise<void>;
};

export type TestEngine = 'embedded' | 'postgres';
export const testEngine: TestEngine =
  process.env.VIDGEN_TEST_ENGINE === 'postgres' ? 'postgres' : 'embedded';

export async function openScratchDatabase(
  engine = testEngine,
  { durable = false }: { readonly durable?: boolean } = {},
): Promise<ScratchDatabase> {
  return engine === 'postgres' ? await scratchPostgres({ durable }) : await scratchEmbedded();
}

async function scratchEmbedded(): Promise<ScratchDatabase> {
  const dump = process.env.VIDGEN_TEST_DUMP;
  const db = await openEmbedded(undefined, dump && existsSync(dump) ? { dump } : {});
  await migrateOrClose(db);
  return { db, close: () => db.close() };
}

/** An open database would keep the process of a failed test alive. */
async function migrateOrClose(db: Database): Promise<void> {
  try {
    await migrate(db);
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function scratchPostgres(options: { durable?: boolean }): Promise<ScratchDatabase> {
  const server = await startPostgres(options);
  const own = await cloneDatabase(server.url, process.env.VIDGEN_TEST_TEMPLATE ?? 'template0');
  const db = await openPostgres(own.url);
  await migrateOrClose(db);
  return {
    db,
    url: own.url,
    async close() {
      await db.close();
      await own.drop();
      await server.stop();
    },
  };
}
