/**
 * Prepares the databases of a test run once: a PostgreSQL server with a migrated template to clone,
 * and a dump of a migrated embedded database. VIDGEN_TEST_… variables pass them to the test files.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { databaseUrl, onServer, startPostgres } from '../proof/kit/postgres.ts';
import { openEmbedded } from '../server/database/embedded.ts';
import { migrate, readMigrations } from '../server/database/migrate.ts';
import { openPostgres } from '../server/database/postgres.ts';
import { root } from './tree.ts';

const dumps = join(root, 'node_modules/.cache/vidgen');

/** Sets VIDGEN_TEST_DATABASE_URL and VIDGEN_TEST_TEMPLATE for the processes started from now on. */
export async function preparePostgres(): Promise<{ version: string; stop(): Promise<void> }> {
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
    await migrate(db);
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

/**
 * Sets VIDGEN_TEST_DUMP. The dump is renewed only when a migration or the engine has changed. It is
 * uncompressed and taken at a checkpoint, so a test has nothing to unpack or recover.
 */
export async function prepareDump(): Promise<void> {
  const file = join(dumps, `migrated-${fingerprint()}.tar`);
  if (!existsSync(file)) {
    mkdirSync(dumps, { recursive: true });
    const db = await openEmbedded();
    await migrate(db);
    await db.query('checkpoint');
    const unfinished = `${file}.${process.pid}`;
    await writeFile(unfinished, gunzipSync(await db.dump()));
    await db.close();
    for (const older of readdirSync(dumps).filter((name) => /\.tar(\.gz)?$/.test(name))) {
      rmSync(join(dumps, older), { force: true });
    }
    renameSync(unfinished, file);
  }
  process.env.VIDGEN_TEST_DUMP = file;
}

function fingerprint(): string {
  const engine = join(root, 'node_modules/@electric-sql/pglite/package.json');
  const hash = createHash('sha256').update(readFileSync(engine));
  for (const { name, digest } of readMigrations()) hash.update(`${name} ${digest}\n`);
  return hash.digest('hex').slice(0, 16);
}
