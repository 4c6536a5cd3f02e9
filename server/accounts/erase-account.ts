/**
 * Removes the people, keys and endpoint of an account. The row stays, without its name, for the
 * ledger and usage. People without another account or right are removed, too.
 */
import { generateSecret } from '../crypto/standard-webhooks.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { keysChannel } from './keys/api-key.ts';

/** A person who has no other account, and the address of before. */
export type ErasedPerson = { readonly id: string; readonly email: string };

/**
 * Closes the account and begins its erasure. Returns the people who are erased with it, or null,
 * without effect, if it has begun already. Every process rejects its keys within 5 s.
 */
export async function startErasure(
  tx: Transaction,
  accountId: string,
): Promise<ErasedPerson[] | null> {
  const { rowCount } = await tx.query(
    `update accounts set closed_at = coalesce(closed_at, now()), erasure_started_at = now(),
       name = 'Erased account', webhook_url = null, webhook_secret = $2, retention = null,
       suspension_note = null,
       previous_webhook_secret = null, previous_secret_until = null
     where id = $1 and erasure_started_at is null`,
    [accountId, generateSecret()],
  );
  if (rowCount === 0) return null;
  // Tasks and usage refer to the keys.
  await tx.query(
    `update api_keys set name = 'Erased key', prefix = 'vg', last_four = '0000', permissions = '{}',
       digest = encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'),
       created_by = null, playground = false, revoked_at = coalesce(revoked_at, now())
     where account_id = $1`,
    [accountId],
  );
  await tx.query('delete from cli_logins where account_id = $1', [accountId]);
  await tx.query('delete from links where account_id = $1', [accountId]);
  const people = await eraseMembers(tx, accountId);
  await tx.query('select pg_notify($1, $2)', [keysChannel, accountId]);
  return people;
}

/** Administrators and members of other accounts lose the membership only. */
async function eraseMembers(tx: Transaction, accountId: string): Promise<ErasedPerson[]> {
  await tx.query('delete from retention_positions where account_id = $1', [accountId]);
  const { rows } = await tx.query<{ id: string }>(
    'delete from memberships where account_id = $1 returning person_id as id',
    [accountId],
  );
  // Locked, so that nobody becomes a member of another account meanwhile.
  const { rows: people } = await tx.query<ErasedPerson>(
    `select id, email from people p where id = any($1::uuid[]) and not administrator
       and not exists (select from memberships m where m.person_id = p.id)
     order by id for update`,
    [rows.map(({ id }) => id)],
  );
  const ids = people.map(({ id }) => id);
  for (const table of ['sessions', 'identities', 'second_factors', 'recovery_codes']) {
    await tx.query(`delete from ${table} where person_id = any($1::uuid[])`, [ids]);
  }
  await tx.query(
    'delete from links where person_id = any($1::uuid[]) or made_by_person = any($1::uuid[])',
    [ids],
  );
  await tx.query('delete from cli_logins where confirmed_by_person = any($1::uuid[])', [ids]);
  await tx.query(
    `update people set closed_at = coalesce(closed_at, now()), name = 'Erased person',
       email = 'erased-' || id || '@invalid', email_key = 'erased-' || id || '@invalid',
       password_hash = '$argon2id$v=19$erased', last_seen_at = null
     where id = any($1::uuid[])`,
    [ids],
  );
  return people;
}

/** The accounts whose erasure has begun and not ended. */
export async function listErasures(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from accounts where erasure_started_at is not null and erased_at is null
     order by id limit 100`,
  );
  return rows.map(({ id }) => id);
}

/** Returns false if another process was first. */
export async function finishErasure(tx: Transaction, accountId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update accounts set erased_at = now()
     where id = $1 and erasure_started_at is not null and erased_at is null`,
    [accountId],
  );
  return rowCount === 1;
}
