/** Reads PostgreSQL in the namespace of a disk, and checks its files for damage. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { databaseUser } from '../../../server/database/postgres-cluster.ts';
import type { PowerDisk, PoweredProcess } from './disk.ts';

const connectMsMax = 10_000;
/** Reading every page takes long on a busy machine. */
const queryMsMax = 60_000;

/** Where the service and its PostgreSQL live on the disk. */
export const homeOn = (disk: PowerDisk): string => join(disk.path, 'home');

/** Connects to the PostgreSQL of a process on the disk. Errors of a cut connection are ignored. */
export async function connectTo(disk: PowerDisk, process: PoweredProcess): Promise<pg.Client> {
  const folder = openSync(disk.pathIn(process, join(homeOn(disk), 'postgres')), 'r');
  try {
    // By its descriptor: a path in another namespace can be too long for a socket.
    const host = `/proc/self/fd/${folder}`;
    const options = { user: databaseUser, database: 'postgres', query_timeout: queryMsMax };
    const client = new pg.Client({ host, ...options, connectionTimeoutMillis: connectMsMax });
    client.on('error', () => {});
    await client.connect();
    return client;
  } finally {
    closeSync(folder);
  }
}

const inspections = [
  // Every page of every table, those of the catalog included.
  `select format('%s, block %s: %s', oid::regclass, blkno, msg) as message
   from pg_class, verify_heapam(oid) where relkind in ('r', 't', 'm') and relpersistence = 'p'`,
  // Every B-tree, compared with its table; the result is empty, and damage is an error.
  `select bt_index_parent_check(c.oid, heapallindexed => true, rootdescend => true)::text as message
   from pg_class c join pg_am a on a.oid = c.relam
   where a.amname = 'btree' and c.relkind = 'i' and c.relpersistence = 'p'`,
];

/** Reads all tables and indexes; one message per damage. */
export async function damages(client: pg.Client): Promise<string[]> {
  await client.query('create extension if not exists amcheck');
  const found: string[] = [];
  for (const inspection of inspections) found.push(...(await messagesOf(client, inspection)));
  return found;
}

/** The column `message` of all rows, or the error of the statement. */
export async function messagesOf(client: pg.Client, statement: string): Promise<string[]> {
  const { rows } = await client
    .query<{ message: string }>(statement)
    .catch(({ message }: Error) => ({ rows: [{ message }] }));
  return rows.map(({ message }) => message).filter((message) => message !== '');
}
