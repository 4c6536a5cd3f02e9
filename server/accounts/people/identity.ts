/**
 * Identities at OpenID providers. A sign-in is looked up by issuer and subject only: an email
 * address can change hands, and no address links an identity to an existing person.
 */
import { type Queryable, sqlState, type Transaction } from '../../database/database.ts';
import { getPerson, type Person } from './person.ts';

type IdentityKey = { readonly issuer: string; readonly subject: string };

type LinkedIdentity = { readonly email: string | null; readonly linkedAt: Date };

/** The person may be closed. */
export async function findPersonByIdentity(
  db: Queryable,
  { issuer, subject }: IdentityKey,
): Promise<Person | null> {
  const { rows } = await db.query<{ personId: string }>(
    'select person_id as "personId" from identities where issuer = $1 and subject = $2',
    [issuer, subject],
  );
  return rows[0] ? await getPerson(db, rows[0].personId) : null;
}

export async function findIdentity(
  db: Queryable,
  { personId, issuer }: { personId: string; issuer: string },
): Promise<LinkedIdentity | null> {
  const { rows } = await db.query<LinkedIdentity>(
    `select email, created_at as "linkedAt" from identities
      where person_id = $1 and issuer = $2`,
    [personId, issuer],
  );
  return rows[0] ?? null;
}

/**
 * Links an identity to a person; an identity of a closed person is taken over. Returns false if
 * another person has it, or the person has another identity of this issuer.
 */
export async function linkIdentity(
  tx: Transaction,
  link: IdentityKey & { personId: string; email: string | null },
): Promise<boolean> {
  const { issuer, subject, personId, email } = link;
  try {
    const { rowCount } = await tx.savepoint((inner) =>
      inner.query(
        `insert into identities as i (issuer, subject, person_id, email) values ($1, $2, $3, $4)
         on conflict (issuer, subject) do update
           set person_id = excluded.person_id, email = excluded.email, created_at = now()
         where i.person_id = excluded.person_id
            or i.person_id in (select id from people where closed_at is not null)`,
        [issuer, subject, personId, email?.slice(0, 254) ?? null],
      ),
    );
    return rowCount > 0;
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    return false;
  }
}

/** Also those of earlier providers. Returns false if there was none. */
export async function unlinkIdentities(tx: Transaction, personId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from identities where person_id = $1', [personId]);
  return rowCount > 0;
}
