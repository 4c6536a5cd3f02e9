/**
 * Secrets of an account that people without its rights still know: active keys that they created,
 * and the webhook secret if it was not rotated since they could read it. Departures are read from
 * the audit log, which is append-only.
 */
import type { Queryable } from '../database/database.ts';
import { type ApiKey, keyColumns } from './api-key.ts';

export type ExposedKey = ApiKey & { readonly createdBy: string };

/** Open people who may create keys and read the webhook secret now. */
const isTrusted = `p.closed_at is null and (p.administrator or exists (
  select 1 from memberships m
   where m.account_id = $1::uuid and m.person_id = p.id and m.role in ('owner', 'developer')))`;

/** Newest first. Keys of the admin token and of unknown creators are not listed. */
export async function findExposedKeys(db: Queryable, accountId: string): Promise<ExposedKey[]> {
  const { rows } = await db.query<ExposedKey>(
    `select ${keyColumns} from api_keys k
      where k.account_id = $1 and not k.playground and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
        and exists (select 1 from people p where p.email = k.created_by)
        and not exists (select 1 from people p where p.email = k.created_by and ${isTrusted})
      order by k.created_at desc, k.id desc limit 1000`,
    [accountId],
  );
  return rows;
}

/**
 * The email addresses of people who could read the webhook secret, may no longer, and know the
 * current one. Someone who was only a viewer never could.
 */
export async function findSecretReaders(db: Queryable, accountId: string): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    `with rotated as (
       select coalesce(max(at), '-infinity') as at from audit_log
        where subject = $1::text and action = 'webhook_secret.rotate'),
     departed as (
       select (detail ->> 'person')::uuid as person_id, at from audit_log
        where subject = $1::text
          and (action = 'member.remove' and coalesce(detail ->> 'role', '') <> 'viewer'
            or action = 'member.change' and detail ->> 'role' = 'viewer'
               and coalesce(detail ->> 'from', '') <> 'viewer')
       union all
       select p.id, p.closed_at from people p
         join memberships m on m.person_id = p.id and m.account_id = $1::uuid
        where p.closed_at is not null and m.role <> 'viewer')
     select distinct p.email from departed d
       join people p on p.id = d.person_id cross join rotated r
      where d.at >= r.at and not (${isTrusted})
      order by p.email limit 1000`,
    [accountId],
  );
  return rows.map(({ email }) => email);
}
