/** What the user of the database may not do, and what to run so that it may. */
import pg from 'pg';
import type { Queryable } from './database.ts';

type Rights = {
  readonly user: string;
  readonly schema: string | null;
  readonly canCreate: boolean;
  /** The owner of our tables, if the user cannot act as it. */
  readonly otherOwner: string | null;
};

/** Null if the user can create and change our tables. */
export async function findMissingRights(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<Rights>(
    `select current_user as "user", s.schema,
       coalesce(has_schema_privilege(s.schema, 'create'), false) as "canCreate",
       (select pg_get_userbyid(relowner) from pg_class
        where oid = to_regclass('migrations') and not pg_has_role(relowner, 'usage'))
         as "otherOwner"
     from (select current_schema()::text as schema) s`,
  );
  const { user, schema, canCreate, otherOwner } = rows[0]!;
  const quotedUser = pg.escapeIdentifier(user);
  if (!canCreate) {
    const quoted = pg.escapeIdentifier(schema ?? 'public');
    return (
      `the database user ${quotedUser} may not create tables in the schema ${quoted}; make it ` +
      `the owner of the database, or run: grant create on schema ${quoted} to ${quotedUser}`
    );
  }
  if (otherOwner === null) return null;
  const owner = pg.escapeIdentifier(otherOwner);
  return (
    `the tables belong to ${owner}, and the database user ${quotedUser} may not change them; ` +
    `connect as ${owner}, or run: reassign owned by ${owner} to ${quotedUser}`
  );
}
