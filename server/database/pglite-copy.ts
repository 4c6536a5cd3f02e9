/**
 * The thread that copies every row from PGlite to PostgreSQL. The new tables get the schema of the
 * old ones first, at whichever migration those are; the caller then applies the rest.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import type { Row } from './database.ts';
import { migrate, readMigrations } from './migrate.ts';
import { openPostgres } from './postgres.ts';

export type CopyOptions = {
  /** The folder of PGlite's data. */
  readonly source: string;
  /** The folder of its package. */
  readonly modules: string;
  readonly url: string;
  /** A file that the server can read. */
  readonly file: string;
};

/** What is used of PGlite. */
type Pglite = {
  query<R extends Row>(text: string): Promise<{ rows: R[]; blob?: Blob }>;
  close(): Promise<void>;
};

/** 32 MB of a table at a time. */
const blocksPerCopy = 4096;

const columnsSql = `
  select c.oid::regclass::text as "table", pg_relation_size(c.oid)::int8 / 8192 as blocks,
         string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
     and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   group by c.oid order by 1`;

const sequencesSql = `
  select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value as last
    from pg_sequences where last_value is not null`;

if (parentPort) await copyAll(workerData as CopyOptions, (line) => parentPort?.postMessage(line));

async function copyAll(options: CopyOptions, print: (line: string) => void): Promise<void> {
  const pglite = await openPglite(options);
  await createSchema(pglite, options.url);
  const target = new pg.Client(options.url);
  await target.connect();
  // Rows arrive in any order, and what triggers did for them has been done.
  await target.query(`set session_replication_role = replica; set statement_timeout = 0`);
  const { rows: tables } = await pglite.query<Table>(columnsSql);
  for (const table of tables.filter((one) => one.table !== 'migrations')) {
    const rows = await copyTable(table, { pglite, target, file: options.file });
    print(`  ${table.table}  ${rows.toLocaleString('en')}`);
  }
  const { rows: sequences } = await pglite.query<{ name: string; last: number }>(sequencesSql);
  for (const { name, last } of sequences) {
    await target.query('select setval($1::regclass, $2)', [name, last]);
  }
  await target.end();
  await pglite.close();
}

type Table = { readonly table: string; readonly blocks: number; readonly columns: string };

async function openPglite({ source, modules }: CopyOptions): Promise<Pglite> {
  const path = createRequire(join(modules, 'package.json')).resolve(modules);
  const { PGlite } = (await import(pathToFileURL(path).href)) as {
    PGlite: { create(options: { dataDir: string }): Promise<Pglite> };
  };
  const pglite = await PGlite.create({ dataDir: source });
  await pglite.query(`set timezone to 'UTC'`);
  return pglite;
}

/**
 * Creates the tables that the old data has, if its first start got that far. Throws if it has a
 * migration that this version does not know.
 */
async function createSchema(pglite: Pglite, url: string): Promise<void> {
  const found = await pglite.query(`select to_regclass('public.migrations') as "table"`);
  if (found.rows[0]?.table === null) return;
  const { rows } = await pglite.query<{ name: string; digest: string }>(
    'select name, digest from migrations',
  );
  const digests = new Map(rows.map(({ name, digest }) => [name, digest]));
  const migrations = readMigrations().filter(({ name, digest }) => digests.get(name) === digest);
  if (migrations.length !== rows.length) {
    throw new Error('the data was written by a version with other migrations than this one');
  }
  const db = await openPostgres(url);
  await migrate(db, { migrations });
  await db.close();
}

/** Copies in the text format of PostgreSQL, which keeps every value as it is. */
async function copyTable(
  { table, blocks, columns }: Table,
  { pglite, target, file }: { pglite: Pglite; target: pg.Client; file: string },
): Promise<number> {
  let copied = 0;
  for (let block = 0; block < blocks; block += blocksPerCopy) {
    const range = `ctid >= '(${block},0)' and ctid < '(${block + blocksPerCopy},0)'`;
    const { blob } = await pglite.query(
      `copy (select ${columns} from ${table} where ${range}) to '/dev/blob'`,
    );
    // Blocks without a live row yield none.
    if (!blob) continue;
    writeFileSync(file, Buffer.from(await blob.arrayBuffer()), { mode: 0o644 });
    const { rowCount } = await target.query(
      `copy ${table} (${columns}) from ${pg.escapeLiteral(file)}`,
    );
    copied += rowCount ?? 0;
  }
  rmSync(file, { force: true });
  const count = `select count(*)::int as rows from ${table}`;
  const [ours, theirs] = await Promise.all([target.query(count), pglite.query(count)]);
  const expected = Number(theirs.rows[0]?.rows);
  if (copied === expected && Number(ours.rows[0]?.rows) === expected) return copied;
  throw new Error(`${table}: ${copied} of ${expected} rows were copied`);
}
