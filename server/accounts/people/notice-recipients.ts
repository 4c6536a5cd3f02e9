/** Who gets mail about an account or the installation. */
import type { Queryable } from '../../database/database.ts';

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

/** By ID. */
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
