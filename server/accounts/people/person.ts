/**
 * People of the dashboard. A person is never deleted: a closed person can no longer sign in but
 * stays in the audit log. An email address belongs to one open person, regardless of case.
 */
import { randomUUID } from 'node:crypto';
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import { type Queryable, sqlState, type Transaction } from '../../database/database.ts';
import { normalizeName } from '../normalize-name.ts';
import { isUuid } from '../uuid.ts';

export type PersonIdentity = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Administrator of the installation: no restrictions. */
  readonly administrator: boolean;
};

export type Person = PersonIdentity & {
  readonly createdAt: Date;
  /** Accurate to the minute. */
  readonly lastSeenAt: Date | null;
  readonly closedAt: Date | null;
  readonly hasSecondFactor: boolean;
  /** Whether an OpenID provider signs the person in; it may be one of before. */
  readonly hasIdentity: boolean;
};

export type PersonAccount = {
  readonly id: string;
  readonly name: string;
  readonly role: AccountRole;
};

export const personColumns = `id, email, name, administrator, created_at as "createdAt",
  last_seen_at as "lastSeenAt", closed_at as "closedAt",
  exists (select 1 from second_factors f
    where f.person_id = people.id and f.enabled_at is not null) as "hasSecondFactor",
  exists (select 1 from identities i where i.person_id = people.id) as "hasIdentity"`;

/**
 * The OpenID provider of this installation, if there is one. A person whom it signs in has no
 * password: one from before the link does not count, so that a lockout at the provider holds.
 */
export type PasswordScope = { readonly issuer: string | undefined };

/** `$2` is the issuer. */
const passwordColumn = `case when exists (select 1 from identities i
  where i.person_id = people.id and i.issuer = $2) then null else password_hash end`;

/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const emailCharactersMax = 254;

export const normalizeEmail = (email: string): string =>
  email.trim().normalize('NFKC').toLowerCase();

/** Throws `invalid_request` if the email address or the name of a new person breaks a rule. */
export function normalizePerson(person: { readonly email: string; readonly name: string }) {
  const email = person.email.trim();
  // NFKC can turn one character into several.
  if (normalizeEmail(email).length > emailCharactersMax) {
    throw invalidRequest(`email must be at most ${emailCharactersMax} characters`);
  }
  return { email, name: normalizeName(person.name) };
}

/** Without a password hash, the person signs in by OpenID Connect only. */
export async function createPerson(
  tx: Transaction,
  request: { email: string; name: string; administrator: boolean; passwordHash: string | null },
): Promise<Person> {
  const { email, name } = normalizePerson(request);
  try {
    const { rows } = await tx.savepoint((inner) =>
      inner.query<Person>(
        `insert into people (id, email, email_key, name, administrator, password_hash)
         values ($1, $2, $3, $4, $5, $6) returning ${personColumns}`,
        [
          randomUUID(),
          email,
          normalizeEmail(email),
          name,
          request.administrator,
          request.passwordHash,
        ],
      ),
    );
    return rows[0]!;
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw invalidRequest('This email address is already in use; sign in or use a different one.');
  }
}

export async function getPerson(db: Queryable, personId: string): Promise<Person> {
  const { rows } = isUuid(personId)
    ? await db.query<Person>(`select ${personColumns} from people where id = $1`, [personId])
    : { rows: [] };
  if (rows[0]) return rows[0];
  throw notFound('No person found with this ID.');
}

/** Names by ID, also of closed people. Unknown IDs are left out. */
export async function findPeopleNames(
  db: Queryable,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<Person, 'name' | 'email'>>> {
  if (personIds.length === 0) return new Map();
  const { rows } = await db.query<Pick<Person, 'id' | 'name' | 'email'>>(
    'select id, name, email from people where id = any($1::uuid[])',
    [personIds],
  );
  return new Map(rows.map(({ id, name, email }) => [id, { name, email }]));
}

/** Closed people cannot sign in and are not found. */
export async function findByEmail(db: Queryable, email: string): Promise<Person | null> {
  return await findLogin(db, email, { issuer: undefined });
}

/**
 * Returns an open person with the password hash to verify against; it is null for a person without
 * a password.
 */
export async function findLogin(
  db: Queryable,
  email: string,
  { issuer }: PasswordScope,
): Promise<(Person & { readonly passwordHash: string | null }) | null> {
  const { rows } = await db.query<Person & { passwordHash: string | null }>(
    `select ${personColumns}, ${passwordColumn} as "passwordHash" from people
      where email_key = $1 and closed_at is null`,
    [normalizeEmail(email), issuer ?? null],
  );
  return rows[0] ?? null;
}

/**
 * Whether the verified password is still current and the person still open. Locks the row, so that
 * the result holds until the commit.
 */
export async function isPasswordUnchanged(
  tx: Transaction,
  {
    personId,
    passwordHash,
    issuer,
  }: PasswordScope & { personId: string; passwordHash: string | null },
): Promise<boolean> {
  const current = await readPasswordHash(tx, personId, { issuer, lock: true });
  return current !== null && current === passwordHash;
}

/** What is read after it, such as whether the person is closed, holds until the commit. */
export async function lockPerson(tx: Transaction, personId: string): Promise<void> {
  await tx.query('select 1 from people where id = $1 for no key update', [personId]);
}

/** Null if the person is closed or has no password. With `lock`, it stays as it is. */
export async function readPasswordHash(
  db: Queryable,
  personId: string,
  { issuer, lock }: PasswordScope & { lock: boolean },
): Promise<string | null> {
  const { rows } = await db.query<{ passwordHash: string | null }>(
    `select ${passwordColumn} as "passwordHash" from people
      where id = $1 and closed_at is null ${lock ? 'for no key update of people' : ''}`,
    [personId, issuer ?? null],
  );
  return rows[0]?.passwordHash ?? null;
}

export async function setPasswordHash(
  tx: Transaction,
  { personId, passwordHash }: { personId: string; passwordHash: string },
): Promise<void> {
  await tx.query('update people set password_hash = $2 where id = $1', [personId, passwordHash]);
}

/** The audit log names people by email address, so past entries do not change. */
export async function renamePerson(
  tx: Transaction,
  { personId, name }: { personId: string; name: string },
): Promise<Person> {
  const { rows } = await tx.query<Person>(
    `update people set name = $2 where id = $1 returning ${personColumns}`,
    [personId, normalizeName(name)],
  );
  return rows[0]!;
}

export async function grantAdministrator(tx: Transaction, personId: string): Promise<void> {
  await tx.query('update people set administrator = true where id = $1', [personId]);
}

export async function hasAdministrator(db: Queryable): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from people where administrator and closed_at is null limit 1',
  );
  return rows.length > 0;
}

/**
 * Closes a person, who can then no longer sign in; closing again keeps the first time. With
 * `keepLastAdmin` the last administrator is not closed, because no one could invite another. The
 * caller ends the person's sessions and links.
 */
export async function deactivatePerson(
  tx: Transaction,
  personId: string,
  { keepLastAdmin }: { keepLastAdmin: boolean },
): Promise<Person> {
  const person = await getPerson(tx, personId);
  if (keepLastAdmin && person.administrator && person.closedAt === null) {
    // Locked in ID order, so that two administrators who close each other run one after the other.
    const { rows } = await tx.query<{ id: string }>(
      `select id from people where administrator and closed_at is null order by id
        for no key update`,
    );
    if (rows.every(({ id }) => id === person.id)) {
      throw invalidRequest(
        'You can’t deactivate the last administrator; invite another one first.',
      );
    }
  }
  const { rows } = await tx.query<Person>(
    `update people set closed_at = coalesce(closed_at, now())
       where id = $1 returning ${personColumns}`,
    [person.id],
  );
  return rows[0]!;
}
