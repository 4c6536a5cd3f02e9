/**
 * People of the dashboard. A person is never deleted: a closed one keeps the name in what was done,
 * and can no longer sign in. An e-mail address belongs to one person, without regard to case.
 */
import { randomUUID } from 'node:crypto';
import type { AccountRole } from '@vidgen/contract/people.ts';
import { ApiError } from '../api-error.ts';
import { type Queryable, sqlState, type Transaction } from '../database/database.ts';
import { normalizeName } from './normalize-name.ts';
import { cursorOf, type Page, type PageRequest, pageOf } from './page.ts';

/** Who somebody is, to those who decide what they may. */
export type PersonIdentity = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Of the installation: may do everything. */
  readonly administrator: boolean;
};

export type Person = PersonIdentity & {
  readonly createdAt: Date;
  /** True to the minute. */
  readonly lastSeenAt: Date | null;
  readonly closedAt: Date | null;
};

export type PersonAccount = {
  readonly id: string;
  readonly name: string;
  readonly role: AccountRole;
};

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => uuidPattern.test(text);

const columns = `id, email, name, administrator, created_at as "createdAt",
  last_seen_at as "lastSeenAt", closed_at as "closedAt"`;

/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const emailCharactersMax = 254;

/** What an address is compared by. */
export const normalizeEmail = (email: string): string =>
  email.trim().normalize('NFKC').toLowerCase();

export async function createPerson(
  tx: Transaction,
  request: { email: string; name: string; administrator: boolean; passwordHash: string },
): Promise<Person> {
  const email = request.email.trim();
  // Rare characters become several when they are compared.
  if (normalizeEmail(email).length > emailCharactersMax) {
    throw new ApiError(
      'invalid_request',
      `email must have at most ${emailCharactersMax} characters, as they are compared`,
    );
  }
  try {
    const { rows } = await tx.savepoint((inner) =>
      inner.query<Person>(
        `insert into people (id, email, email_key, name, administrator, password_hash)
         values ($1, $2, $3, $4, $5, $6) returning ${columns}`,
        [
          randomUUID(),
          email,
          normalizeEmail(email),
          normalizeName(request.name),
          request.administrator,
          request.passwordHash,
        ],
      ),
    );
    return rows[0]!;
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new ApiError(
      'invalid_request',
      'Somebody has this e-mail address already: sign in, or use another one.',
    );
  }
}

export async function findPerson(db: Queryable, personId: string): Promise<Person | null> {
  if (!isUuid(personId)) return null;
  const { rows } = await db.query<Person>(`select ${columns} from people where id = $1`, [
    personId,
  ]);
  return rows[0] ?? null;
}

export async function getPerson(db: Queryable, personId: string): Promise<Person> {
  const person = await findPerson(db, personId);
  if (person) return person;
  throw new ApiError('not_found', 'There is no person with this id.');
}

/** With what a password is held against. Closed people are not found: they cannot sign in. */
export async function findByEmail(
  db: Queryable,
  email: string,
): Promise<(Person & { readonly passwordHash: string }) | null> {
  const { rows } = await db.query<Person & { passwordHash: string }>(
    `select ${columns}, password_hash as "passwordHash" from people
      where email_key = $1 and closed_at is null`,
    [normalizeEmail(email)],
  );
  return rows[0] ?? null;
}

/**
 * Whether the person may still come in with what was found right a moment ago; holds until the
 * commit. A password that was changed meanwhile, or a person closed, lets nobody in.
 */
export async function isPasswordUnchanged(
  tx: Transaction,
  { personId, passwordHash }: { personId: string; passwordHash: string },
): Promise<boolean> {
  const { rows } = await tx.query(
    `select 1 from people where id = $1 and password_hash = $2 and closed_at is null
      for no key update`,
    [personId, passwordHash],
  );
  return rows.length > 0;
}

export async function setPasswordHash(
  tx: Transaction,
  { personId, passwordHash }: { personId: string; passwordHash: string },
): Promise<void> {
  await tx.query('update people set password_hash = $2 where id = $1', [personId, passwordHash]);
}

/** What was done before stays under the e-mail address, which is whom the audit log names. */
export async function renamePerson(
  tx: Transaction,
  { personId, name }: { personId: string; name: string },
): Promise<Person> {
  const { rows } = await tx.query<Person>(
    `update people set name = $2 where id = $1 returning ${columns}`,
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

/** Newest first, closed ones too. */
export async function listPeople(db: Queryable, request: PageRequest): Promise<Page<Person>> {
  const { rows } = await db.query<Person>(
    `select ${columns} from people
      where $1::uuid is null
         or (created_at, id) < (select created_at, id from people where id = $1::uuid)
      order by created_at desc, id desc limit $2`,
    [cursorOf(request, uuidPattern), request.limit + 1],
  );
  return pageOf(rows, request.limit);
}

/**
 * Can no longer sign in; closing twice keeps the first moment. `leavesOne` refuses to close the
 * last administrator: nobody could invite another. Sessions and links are the caller's to end.
 */
export async function deactivatePerson(
  tx: Transaction,
  personId: string,
  { keepLastAdmin }: { keepLastAdmin: boolean },
): Promise<Person> {
  const person = await getPerson(tx, personId);
  if (keepLastAdmin && person.administrator && person.closedAt === null) {
    // Locked in one order: two administrators who close each other are told apart.
    const { rows } = await tx.query<{ id: string }>(
      `select id from people where administrator and closed_at is null order by id
        for no key update`,
    );
    if (rows.every(({ id }) => id === person.id)) {
      throw new ApiError(
        'invalid_request',
        'This is the last administrator: invite another before closing this one.',
      );
    }
  }
  const { rows } = await tx.query<Person>(
    `update people set closed_at = coalesce(closed_at, now()) where id = $1 returning ${columns}`,
    [person.id],
  );
  return rows[0]!;
}
