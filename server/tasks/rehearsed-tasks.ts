/** Live tasks with what their prices and costs follow from, oldest first, for a price rehearsal. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Queryable } from '../database/database.ts';
import { isBillable } from './margin.ts';
import { idsSince } from './task-id.ts';

export type RehearsedTask = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Without its prompt. */
  readonly generation: Omit<Generation, 'prompt'>;
  readonly pricedSeconds: number | null;
  readonly credits: number;
  readonly billingStatus: 'reserved' | 'charged' | 'refunded' | 'refund_failed';
  readonly createdAt: Date;
  /** Of its attempts, where it is known. */
  readonly costMicros: number;
  readonly isCostUnknown: boolean;
};

/** The last task that is left out, so that `tasksMax` follow; empty if there are not more. */
export async function findRehearsalStart(
  db: Queryable,
  { since, tasksMax }: { readonly since: Date; readonly tasksMax: number },
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `select id from tasks where mode = 'live' and id >= $1 and created_at >= $2
     order by id desc offset $3 limit 1`,
    [idsSince(since), since.toISOString(), tasksMax],
  );
  return rows[0]?.id ?? '';
}

export async function readRehearsedTasks(
  db: Queryable,
  page: { readonly since: Date; readonly after: string; readonly max: number },
): Promise<RehearsedTask[]> {
  const { rows } = await db.query<RehearsedTask>(
    `select t.id, account_id as "accountId", key_id as "keyId", generation - 'prompt' as generation,
       priced_seconds as "pricedSeconds", credits, billing_status as "billingStatus",
       created_at as "createdAt", c.micros as "costMicros", c.unknown as "isCostUnknown"
     from tasks t cross join lateral (
       select coalesce(sum(cost_micros), 0)::bigint as micros,
         coalesce(bool_or(${isBillable} and cost_micros is null), false) as unknown
       from attempts a where a.task_id = t.id and outcome is not null) c
     where mode = 'live' and t.id >= $1 and t.id > $2 and created_at >= $3 order by t.id limit $4`,
    [idsSince(page.since), page.after, page.since.toISOString(), page.max],
  );
  return rows;
}

/** What keys have reserved since then, without what was refunded. */
export async function sumKeyCredits(
  db: Queryable,
  { keyIds, since }: { readonly keyIds: readonly string[]; readonly since: Date },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ id: string; credits: number }>(
    `select key_id as id, sum(credits)::bigint as credits from tasks
     where key_id = any($1::text[]) and id >= $2 and created_at >= $3
       and billing_status <> 'refunded' group by 1`,
    [keyIds, idsSince(since), since.toISOString()],
  );
  return new Map(rows.map(({ id, credits }) => [id, credits]));
}
