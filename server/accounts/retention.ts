/**
 * How long an account keeps what it sent and received, in days, and up to where its oldest rows
 * have been gone through.
 */
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';

export type RetentionPart = 'prompts' | 'deliveries' | 'tasks' | 'files';

/** Where an account differs from the installation; 0 keeps the part. */
export type RetentionDays = Readonly<Partial<Record<RetentionPart, number>>>;

/** Rows that are gone through once, in the order of their IDs. */
export type PositionPart = 'prompts live' | 'prompts test' | 'deliveries';

export type AccountRetention = {
  readonly id: string;
  readonly days: RetentionDays;
  readonly positions: Readonly<Partial<Record<PositionPart, string>>>;
};

/** Null removes what differs from the installation; a missing part is not changed. */
export async function setRetention(
  tx: Transaction,
  accountId: string,
  days: Readonly<Partial<Record<RetentionPart, number | null | undefined>>>,
): Promise<void> {
  await tx.query(
    `update accounts set retention = nullif(jsonb_strip_nulls(
       coalesce(retention, '{}') || $2::jsonb), '{}') where id = $1`,
    [accountId, JSON.stringify(days)],
  );
}

/** A page of accounts in the order of their IDs; `afterId` is null for the first one. */
export async function listRetention(
  db: Queryable,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<AccountRetention[]> {
  const { rows } = await db.query<AccountRetention>(
    `select id, coalesce(retention, '{}') as days, coalesce((
         select jsonb_object_agg(part, position) from retention_positions p
         where p.account_id = a.id), '{}') as positions
     from accounts a where $1::uuid is null or id > $1 order by id limit $2`,
    [afterId, limit],
  );
  return rows;
}

/** How many days accounts keep files, by account; those that do not differ are missing. */
export async function findFileRetentionDays(
  db: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ id: string; days: number }>(fileRetentionStatement, [
    accountIds,
  ]);
  return new Map(rows.map(({ id, days }) => [id, days]));
}

const fileRetentionStatement: PreparedStatement = {
  name: 'find_file_retention_days',
  text: `select id, (retention ->> 'files')::int as days from accounts
         where id = any($1::uuid[]) and retention ? 'files'`,
};

type PositionRef = { readonly accountId: string; readonly part: PositionPart };

/** Locks a position until the caller commits; null if another process has locked it. */
export async function lockPosition(
  tx: Transaction,
  { accountId, part }: PositionRef,
): Promise<string | null> {
  await tx.query(
    `insert into retention_positions (account_id, part) values ($1, $2) on conflict do nothing`,
    [accountId, part],
  );
  const { rows } = await tx.query<{ position: string }>(
    `select position from retention_positions where account_id = $1 and part = $2
     for update skip locked`,
    [accountId, part],
  );
  return rows[0]?.position ?? null;
}

export async function savePosition(
  tx: Transaction,
  { accountId, part, position }: PositionRef & { readonly position: string },
): Promise<void> {
  await tx.query(
    'update retention_positions set position = $3 where account_id = $1 and part = $2',
    [accountId, part, position],
  );
}
