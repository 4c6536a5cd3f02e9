/** Deletes the bodies of old deliveries, and of what their receivers responded. */
import type { Queryable, Transaction } from '../database/database.ts';

/** IDs between the two, both excluded. */
export type DeliveryRange = {
  readonly accountId: string;
  readonly afterId: string;
  readonly beforeId: string;
};

/** The first ID of deliveries that are created at this time. */
export const deliveryIdsSince = (at: Date): string =>
  `msg_${at.getTime().toString(32).padStart(10, '0')}`;

/** Returns, for each range, whether it contains a delivery. */
export async function haveDeliveries(
  db: Queryable,
  ranges: readonly DeliveryRange[],
): Promise<boolean[]> {
  if (ranges.length === 0) return [];
  const { rows } = await db.query<{ found: boolean }>(
    `select d.id is not null as found
     from jsonb_to_recordset($1::jsonb) as r("accountId" uuid, "afterId" text, "beforeId" text,
       at int)
     left join lateral (
       select id from deliveries
       where account_id = r."accountId" and id > r."afterId" and id < r."beforeId"
       order by id limit 1) d on true
     order by r.at`,
    [JSON.stringify(ranges.map((range, at) => ({ ...range, at })))],
  );
  return rows.map(({ found }) => found);
}

/**
 * Goes through a slice, oldest first. Returns how many deliveries it has, and the ID of the last
 * one: it ends before the first pending delivery, whose body is still to be sent.
 */
export async function eraseBodies(
  tx: Transaction,
  { accountId, afterId, beforeId }: DeliveryRange,
  { limit }: { readonly limit: number },
): Promise<{ readonly deliveries: number; readonly lastId: string }> {
  const { rows } = await tx.query<{ id: string; status: string }>(
    `select id, status from deliveries where account_id = $1 and id > $2 and id < $3
     order by id limit $4 for update`,
    [accountId, afterId, beforeId, limit],
  );
  const pendingAt = rows.findIndex(({ status }) => status === 'pending');
  const ended = (pendingAt < 0 ? rows : rows.slice(0, pendingAt)).map(({ id }) => id);
  await tx.query(
    `update call_attempts set answer_body = null
     where delivery_id = any($1::text[]) and answer_body is not null`,
    [ended],
  );
  await tx.query(`update deliveries set body = '' where id = any($1::text[])`, [ended]);
  return { deliveries: ended.length, lastId: ended.at(-1) ?? afterId };
}
