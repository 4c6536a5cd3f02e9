/** Prepares the databases of a test run once: a PostgreSQL server, and a template to clone. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { databaseUrl, onServer, startPostgres } from '../proof/kit/postgres.ts';
import { migrate } from '../server/database/migrate.ts';
import { openPostgres } from '../server/database/postgres.ts';

/**
 * Sets VIDGEN_TEST_DATABASE_URL and VIDGEN_TEST_TEMPLATE for the processes started from now on. If
 * the migrations may change during the run, the template is empty, and each clone is migrated.
 */
export async function preparePostgres({
  canMigrationsChange = false,
}: {
  readonly canMigrationsChange?: boolean;
} = {}): Promise<{ version: string; stop(): Promise<void> }> {
  const server = await startPostgres();
  // Unique, because several runs may share the server.
  const template = `vidgen_test_${randomBytes(6).toString('hex')}`;
  const stop = async () => {
    // The server may belong to the user: leave it as it was, even if tests crashed.
    await dropFamily(server.url, template).finally(() => server.stop());
  };
  try {
    await onServer(server.url, `create database ${template} template template0`);
    const db = await openPostgres(databaseUrl(server.url, template), { connectionsMax: 1 });
    if (!canMigrationsChange) await migrate(db);
    const { rows } = await db.query<{ server_version: string }>('show server_version');
    await db.close();
    process.env.VIDGEN_TEST_DATABASE_URL = server.url;
    process.env.VIDGEN_TEST_TEMPLATE = template;
    return { version: rows[0]?.server_version.split(' ')[0] ?? '', stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Drops the template and every clone of it, whose names begin with the template's. */
async function dropFamily(url: string, template: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [template],
    );
    for (const { datname } of rows) {
      await client.query(`drop database if exists ${pg.escapeIdentifier(datname)} with (force)`);
    }
  } finally {
    await client.end();
  }
}
