/**
 * Members of an account and their roles. An account that has owners keeps one, unless an
 * administrator of the installation removes the last one.
 */
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { type AccountRole, accountRoles } from '@vidgen/contract/people.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { isUuid } from '../uuid.ts';
import type { PersonAccount } from './person.ts';

export type Member = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly createdAt: Date;
  readonly lastSeenAt: Date | null;
};

type MembershipKey = { readonly accountId: string; readonly personId: string };

/** Each role includes the roles after it in `accountRoles`. */
export const hasRole = (role: AccountRole, minimum: AccountRole): boolean =>
  accountRoles.indexOf(role) <= accountRoles.indexOf(minimum);

const selectMember = `select p.id, p.email, p.name, m.role, m.created_at as "createdAt",
    p.last_seen_at as "lastSeenAt"
  from memberships m join people p on p.id = m.person_id and p.closed_at is null`;

/** With `lock`, the role stays as it is until the transaction ends. */
export async function findRole(
  db: Queryable,
  { accountId, personId }: MembershipKey,
  { lock = false }: { lock?: boolean } = {},
): Promise<AccountRole | null> {
  if (!isUuid(accountId)) return null;
  const { rows } = await db.query<{ role: AccountRole }>(
    `select role from memberships where account_id = $1 and person_id = $2
      ${lock ? 'for share' : ''}`,
    [accountId, personId],
  );
  return rows[0]?.role ?? null;
}

export async function listMembers(db: Queryable, accountId: string): Promise<Member[]> {
  const { rows } = await db.query<Member>(
    `${selectMember} where m.account_id = $1 order by m.created_at desc, p.id desc limit 1000`,
    [accountId],
  );
  return rows;
}

async function getMember(db: Queryable, key: MembershipKey): Promise<Member> {
  const { rows } = isUuid(key.personId)
    ? await db.query<Member>(`${selectMember} where m.account_id = $1 and m.person_id = $2`, [
        key.accountId,
        key.personId,
      ])
    : { rows: [] };
  if (rows[0]) return rows[0];
  throw notFound('No member found with this ID in this account.');
}

export async function listPersonAccounts(
  db: Queryable,
  personId: string,
): Promise<PersonAccount[]> {
  return (await listAccountsByPerson(db, [personId])).get(personId) ?? [];
}

export async function listAccountsByPerson(
  db: Queryable,
  personIds: readonly string[],
): Promise<Map<string, PersonAccount[]>> {
  const { rows } = await db.query<PersonAccount & { personId: string }>(
    `select m.person_id as "personId", a.id, a.name, m.role
       from memberships m join accounts a on a.id = m.account_id
      where m.person_id = any($1::uuid[]) order by a.name, a.id`,
    [personIds],
  );
  const found = new Map<string, PersonAccount[]>();
  for (const { personId, ...account } of rows) {
    found.set(personId, [...(found.get(personId) ?? []), account]);
  }
  return found;
}

/** Adds a member or raises the role of an existing one; an invitation never lowers a role. */
export async function addMember(
  tx: Transaction,
  membership: MembershipKey & { role: AccountRole },
) {
  const { accountId, personId, role } = membership;
  const currentRole = await findRole(tx, membership);
  if (currentRole && hasRole(currentRole, role)) return;
  await tx.query(
    `insert into memberships (account_id, person_id, role) values ($1, $2, $3)
     on conflict (account_id, person_id) do update set role = excluded.role`,
    [accountId, personId, role],
  );
}

/** Returns the member with the new role, and the role before. */
export async function changeRole(
  tx: Transaction,
  change: MembershipKey & { role: AccountRole; keepLastOwner: boolean },
): Promise<{ readonly member: Member; readonly previousRole: AccountRole }> {
  await lockMembers(tx, change.accountId);
  const member = await getMember(tx, change);
  if (change.keepLastOwner && change.role !== 'owner') await requireOtherOwner(tx, change, member);
  await tx.query('update memberships set role = $3 where account_id = $1 and person_id = $2', [
    change.accountId,
    member.id,
    change.role,
  ]);
  return { member: { ...member, role: change.role }, previousRole: member.role };
}

export async function removeMember(
  tx: Transaction,
  removal: MembershipKey & { keepLastOwner: boolean },
): Promise<Member> {
  await lockMembers(tx, removal.accountId);
  const member = await getMember(tx, removal);
  if (removal.keepLastOwner) await requireOtherOwner(tx, removal, member);
  await tx.query('delete from memberships where account_id = $1 and person_id = $2', [
    removal.accountId,
    member.id,
  ]);
  return member;
}

/**
 * Locks the account row until the commit: two owners who remove each other must not both succeed.
 */
async function lockMembers(tx: Transaction, accountId: string): Promise<void> {
  await tx.query('select 1 from accounts where id = $1 for no key update', [accountId]);
}

async function requireOtherOwner(
  tx: Transaction,
  { accountId }: MembershipKey,
  member: Member,
): Promise<void> {
  if (member.role !== 'owner') return;
  const { rows } = await tx.query(
    `${selectMember} where m.account_id = $1 and m.role = 'owner' and p.id <> $2 limit 1`,
    [accountId, member.id],
  );
  if (rows.length > 0) return;
  throw invalidRequest('An account needs at least one owner; make someone else an owner first.');
}

/** Of each notice: more people than that are not told by mail. */
const recipientsMax = 20;

/** Email addresses of an account's owners; none of a closed account. */
export async function listOwnerEmails(db: Queryable, accountId: string): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    `select p.email from memberships m
       join people p on p.id = m.person_id and p.closed_at is null
       join accounts a on a.id = m.account_id and a.closed_at is null
     where m.account_id = $1 and m.role = 'owner'
     order by m.created_at, p.id limit ${recipientsMax}`,
    [accountId],
  );
  return rows.map(({ email }) => email);
}

export async function listAdministratorEmails(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    `select email from people where administrator and closed_at is null
     order by created_at, id limit ${recipientsMax}`,
  );
  return rows.map(({ email }) => email);
}

export async function findAccountNames(
  db: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; name: string }>(
    'select id, name from accounts where id = any($1::uuid[])',
    [accountIds],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
