/**
 * The GPU boxes of the installation: who may connect under which name, and what the boxes reported.
 * Each change notifies every process on the database.
 */
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { Queryable, Transaction } from '../../database/database.ts';

export const workersChannel = 'vidgen_workers';

/** A process reports its boxes every ten seconds; one that missed two reports may have stopped. */
const connectedSeconds = 25;
/** Of processes that have stopped. */
const keptSeconds = 3_600;

export type Box = {
  readonly name: string;
  readonly label: string | null;
  readonly tokenDigest: string;
  readonly createdAt: Date;
  /** It finishes its tasks and gets no new ones. */
  readonly draining: boolean;
  readonly engine: string | null;
  readonly slots: number;
  readonly version: string | null;
  /** Of the processes that hold its connections; empty if it is away. */
  readonly addresses: readonly string[];
  readonly lastSeenAt: Date | null;
};

/** What a box reports when it connects. */
export type BoxReport = {
  readonly engine: string;
  readonly slots: number;
  readonly version: string;
  /** The same for all connections of one start of the program. */
  readonly instance: string;
};

const isSeen = `c.seen_at > now() - make_interval(secs => ${connectedSeconds})`;
const isHeld = `exists (select from worker_connections c where c.name = w.name and ${isSeen})`;

const columns = `name, label, token_digest as "tokenDigest", created_at as "createdAt", draining,
  engine, coalesce(slots, 0) as slots, version, last_seen_at as "lastSeenAt",
  array(select address from worker_connections c where c.name = w.name and ${isSeen}) as addresses`;

export async function listBoxes(db: Queryable): Promise<readonly Box[]> {
  return (await db.query<Box>(`select ${columns} from workers w order by name`)).rows;
}

export async function findBoxByToken(db: Queryable, tokenDigest: string): Promise<Box | null> {
  const { rows } = await db.query<Box>(`select ${columns} from workers w where token_digest = $1`, [
    tokenDigest,
  ]);
  return rows[0] ?? null;
}

/** Throws `invalid_request` if there is a box with the name. */
export async function insertBox(
  tx: Transaction,
  box: Pick<Box, 'name' | 'label' | 'tokenDigest'> & { readonly createdBy: string },
): Promise<void> {
  const { rowCount } = await tx.query(
    `insert into workers (name, label, token_digest, created_by) values ($1, $2, $3, $4)
     on conflict (name) do nothing`,
    [box.name, box.label, box.tokenDigest, box.createdBy],
  );
  if (rowCount === 0) throw invalidRequest(`A GPU box has the name ${box.name}; choose another.`);
  await notify(tx);
}

const noBox = () => notFound('No GPU box found with this name.');

/** Throws `not_found` if there is none. */
export async function setDraining(
  tx: Transaction,
  { name, draining }: Pick<Box, 'name' | 'draining'>,
): Promise<void> {
  const { rowCount } = await tx.query('update workers set draining = $2 where name = $1', [
    name,
    draining,
  ]);
  if (rowCount === 0) throw noBox();
  await notify(tx);
}

/** Throws `not_found` if there is none. */
export async function deleteBox(tx: Transaction, name: string): Promise<void> {
  const { rowCount } = await tx.query('delete from workers where name = $1', [name]);
  if (rowCount === 0) throw noBox();
  await tx.query('delete from worker_connections where name = $1', [name]);
  await notify(tx);
}

/** Where a process holds connections of a box. */
type Held = { readonly name: string; readonly address: string };

/**
 * Records a connection. Returns false if a box that started separately is connected under the name,
 * or the box was revoked meanwhile.
 */
export async function recordConnected(
  db: Queryable,
  { name, address }: Held,
  { engine, slots, version, instance }: BoxReport,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with box as (
       update workers w set engine = $2, slots = $3, version = $4, instance = $5,
         last_seen_at = now()
       where name = $1 and (instance is null or instance = $5 or not ${isHeld}
         -- Not set by a process that has just recorded another connection.
         and instance is not distinct from (select instance from workers where name = $1))
       returning name)
     insert into worker_connections (name, address) select name, $6 from box
     on conflict (name, address) do update set seen_at = now()`,
    [name, engine, slots, version, instance, address],
  );
  if (rowCount > 0) await notify(db);
  return rowCount > 0;
}

/** Called every ten seconds for the boxes that are connected to this process. */
export async function recordSeen(
  db: Queryable,
  { names, address }: { readonly names: readonly string[]; readonly address: string },
): Promise<void> {
  await db.query(
    `with box as (
       update workers set last_seen_at = now() where name = any($1::text[]) returning name)
     insert into worker_connections (name, address) select name, $2 from box
     on conflict (name, address) do update set seen_at = now()`,
    [names, address],
  );
  await db.query(
    `delete from worker_connections where seen_at < now() - make_interval(secs => ${keptSeconds})`,
  );
}

/** Called when the last connection to this process has ended. */
export async function recordDisconnected(db: Queryable, { name, address }: Held): Promise<void> {
  await db.query('delete from worker_connections where name = $1 and address = $2', [
    name,
    address,
  ]);
  await notify(db);
}

async function notify(db: Queryable): Promise<void> {
  await db.query('select pg_notify($1, $2)', [workersChannel, '']);
}
