/**
 * Whether webhooks to a URL keep failing. Read from the newest deliveries of the account when one
 * is exhausted, which is rare: a delivery that arrives costs nothing more.
 */
import { createHash } from 'node:crypto';
import type { Queryable } from '../database/database.ts';

/** So many exhausted deliveries in a row, each with all its retries, are a failing endpoint. */
export const exhaustedInRow = 3;

/** How far back deliveries to other URLs are read over. */
const deliveriesRead = 1000;

export const digestOfUrl = (url: string): string => createHash('sha256').update(url).digest('hex');

export async function isEndpointFailing(
  db: Queryable,
  { accountId, url }: { readonly accountId: string; readonly url: string },
): Promise<boolean> {
  const { rows } = await db.query<{ isFailing: boolean }>(
    `with exhausted as (
       select id from (
         select id, url from deliveries where account_id = $1 and status = 'exhausted'
         order by id desc limit ${deliveriesRead}) e
       where url = $2 order by id desc limit ${exhaustedInRow})
     select count(*) = ${exhaustedInRow} and not exists (
       select 1 from (
         select id, url from deliveries where account_id = $1 and status = 'delivered'
         order by id desc limit ${deliveriesRead}) d
       where url = $2 and id > (select min(id) from exhausted)) as "isFailing"
     from exhausted`,
    [accountId, url],
  );
  return rows[0]!.isFailing;
}

/** Whether a webhook has arrived at the URL, given by its digest, since then. */
export async function hasDelivered(
  db: Queryable,
  {
    accountId,
    urlDigest,
    since,
  }: { readonly accountId: string; readonly urlDigest: string; readonly since: Date },
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from (
       select url, delivered_at from deliveries where account_id = $1 and status = 'delivered'
       order by id desc limit ${deliveriesRead}) d
     where delivered_at > $3 and encode(sha256(convert_to(url, 'UTF8')), 'hex') = $2 limit 1`,
    [accountId, urlDigest, since],
  );
  return rows.length > 0;
}
