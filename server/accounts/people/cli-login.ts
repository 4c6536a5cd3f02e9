/**
 * Logins of the command line by a code that a member confirms in the dashboard (as in RFC 8628).
 * The API key is created when the command line collects it, so it is never stored. A login lasts
 * ten minutes and is good for one key, which can be collected again until it is used.
 */
import { randomInt } from 'node:crypto';
import { notFound } from '@vidgen/contract/api-error.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { digestToken, newToken } from './session.ts';

export const loginSeconds = 600;

/** No vowels and no `Y`, so that no word is formed. */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const codePattern = /^[B-Z]{4}-?[B-Z]{4}$/;

export type CliLogin = {
  readonly code: string;
  /** The name that the machine gives itself; anyone can choose it. */
  readonly machine: string;
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

export type ConfirmedLogin = CliLogin & {
  readonly accountId: string;
  readonly mode: KeyMode;
  /** The name in the audit log. */
  readonly confirmedBy: string;
  /** The key that was created when the login was collected before; null the first time. */
  readonly keyId: string | null;
};

const columns =
  'letters as code, machine, address, created_at as "createdAt", expires_at as "expiresAt"';

/** `deviceCode` is returned here and cannot be read again. Deletes logins that have expired. */
export async function createCliLogin(
  tx: Transaction,
  { machine, address }: { machine: string; address: string },
): Promise<CliLogin & { readonly deviceCode: string }> {
  await tx.query(`delete from cli_logins where expires_at < now() - interval '1 hour'`);
  const deviceCode = newToken();
  const { rows } = await tx.query<CliLogin>(
    `insert into cli_logins (digest, letters, machine, address, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => ${loginSeconds}))
     returning ${columns}`,
    [digestToken(deviceCode), newCode(), machine, address],
  );
  return { ...rows[0]!, deviceCode };
}

function newCode(): string {
  const letters = (count: number) =>
    Array.from({ length: count }, () => codeLetters[randomInt(codeLetters.length)]).join('');
  return `${letters(4)}-${letters(4)}`;
}

/** Throws `not_found` for codes that are unknown, expired or already confirmed. */
export async function getOpenLogin(db: Queryable, code: string): Promise<CliLogin> {
  const { rows } = await db.query<CliLogin>(
    `select ${columns} from cli_logins
     where letters = $1 and account_id is null and expires_at > now()`,
    [normalizeCode(code)],
  );
  return requireLogin(rows[0]);
}

/** Of two concurrent confirmations one succeeds and the other throws `not_found`. */
export async function confirmCliLogin(
  tx: Transaction,
  confirmation: {
    code: string;
    accountId: string;
    mode: KeyMode;
    confirmedBy: string;
    personId: string | null;
  },
): Promise<CliLogin> {
  const { code, accountId, mode, confirmedBy, personId } = confirmation;
  const { rows } = await tx.query<CliLogin>(
    `update cli_logins set account_id = $2, mode = $3, confirmed_by = $4, confirmed_by_person = $5
     where letters = $1 and account_id is null and expires_at > now()
     returning ${columns}`,
    [normalizeCode(code), accountId, mode, confirmedBy, personId],
  );
  return requireLogin(rows[0]);
}

/** A person who may no longer create keys must not hand one over. */
const confirmerHasRight = `(l.confirmed_by_person is null or exists (
  select 1 from people p where p.id = l.confirmed_by_person and p.closed_at is null
    and (p.administrator or exists (
      select 1 from memberships m where m.account_id = l.account_id and m.person_id = p.id
        and m.role in ('owner', 'developer')))))`;

/**
 * Marks a confirmed login as collected; returns null while it waits for its confirmation. Throws
 * `not_found` if it is unknown or expired, or its confirmer lost the right.
 */
export async function collectCliLogin(
  tx: Transaction,
  deviceCode: string,
): Promise<ConfirmedLogin | null> {
  const digest = digestToken(deviceCode);
  const { rows: locked } = await tx.query<{ isConfirmed: boolean; isCollected: boolean }>(
    `select account_id is not null as "isConfirmed", collected_at is not null as "isCollected"
     from cli_logins where digest = $1 and expires_at > now() for update`,
    [digest],
  );
  const { isConfirmed, isCollected } = requireLogin(locked[0]);
  if (!isConfirmed) return null;
  // A statement of its own: one that waited for the lock would not see the key that was created.
  const { rows } = await tx.query<ConfirmedLogin>(
    `update cli_logins l set collected_at = coalesce(collected_at, now())
     where digest = $1 and ${confirmerHasRight}
     returning ${columns}, account_id as "accountId", mode, confirmed_by as "confirmedBy",
       case when $2 then (${collectedKeyId}) end as "keyId"`,
    [digest, isCollected],
  );
  const login = requireLogin(rows[0]);
  return requireLogin(isCollected && login.keyId === null ? undefined : login);
}

/** One transaction creates the key and marks the login, so `now()` is the same in both rows. */
const collectedKeyId = `select k.id from api_keys k
  where k.account_id = l.account_id and k.mode = l.mode and k.created_at = l.collected_at
    and not k.playground limit 1`;

/** As people type it: any case, with or without the hyphen. */
function normalizeCode(text: string): string {
  const code = text.trim().toUpperCase();
  if (!codePattern.test(code)) return '';
  return `${code.slice(0, 4)}-${code.slice(-4)}`;
}

function requireLogin<T>(login: T | undefined): T {
  if (login !== undefined) return login;
  throw notFound('No login with this code is waiting; it was used or has expired. Start again.');
}
