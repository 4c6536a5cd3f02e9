/** The newest live tasks with what their prices and costs follow from, for a price rehearsal. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Queryable } from '../database/database.ts';
import { creditMicrosAt } from './credit-values.ts';
import { isBillable } from './margin.ts';
import { idsSince } from './task-id.ts';

export type RehearsedTask = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Without its prompt, and of its materials only the number of videos. */
  readonly generation: Pick<
    Generation,
    'model' | 'resolution' | 'duration' | 'generateAudio' | 'videoUrls' | 'inputSecondsMax'
  >;
  readonly pricedSeconds: number | null;
  /** Its references are deleted with its prompt: whether there was a video is not known. */
  readonly isBlank: boolean;
  readonly credits: number;
  /** What a credit earned when the task ended; null if no value was ever set. */
  readonly creditMicros: number | null;
  readonly billingStatus: 'reserved' | 'charged' | 'refunded' | 'refund_failed';
  readonly createdAt: Date;
  /** Of its attempts, where it is known. */
  readonly costMicros: number;
  readonly costUnknown: number;
};

type RehearsedKey = {
  readonly accountId: string;
  readonly keyId: string;
  /** The ID of its oldest task among the newest. */
  readonly first: string;
  readonly tasks: number;
  /** Reserved by these, without what was refunded. */
  readonly credits: number;
};

/** The keys of the newest `tasksMax` tasks. */
export async function findRehearsedKeys(
  db: Queryable,
  { since, tasksMax }: { readonly since: Date; readonly tasksMax: number },
): Promise<RehearsedKey[]> {
  const { rows } = await db.query<RehearsedKey>(
    `select account_id as "accountId", key_id as "keyId", min(id) as first, count(*) as tasks,
       coalesce(sum(credits) filter (where billing_status <> 'refunded'), 0)::bigint as credits
     from (select * from tasks where mode = 'live' and id >= $1 order by id desc limit $2) newest
     group by 1, 2`,
    [idsSince(since), tasksMax],
  );
  return rows;
}

/** Oldest first. */
export async function readRehearsedTasks(
  db: Queryable,
  { from, max }: { readonly from: string; readonly max: number },
): Promise<RehearsedTask[]> {
  const { rows } = await db.query<RehearsedTask>(
    `select t.id, account_id as "accountId", key_id as "keyId", priced_seconds as "pricedSeconds",
       credits, ${creditMicrosAt('finished_at')} as "creditMicros",
       generation ->> 'generationType' = 'reference-to-video'
         and generation -> 'imageUrls' = '[]' and generation -> 'videoUrls' = '[]'
         and generation -> 'audioUrls' = '[]' as "isBlank",
       billing_status as "billingStatus", created_at as "createdAt",
       jsonb_build_object('model', model, 'resolution', generation -> 'resolution',
         'duration', generation -> 'duration', 'generateAudio', generation -> 'generateAudio',
         'inputSecondsMax', generation -> 'inputSecondsMax', 'videoUrls', array_fill(
           ''::text, array[jsonb_array_length(generation -> 'videoUrls')])) as generation,
       c.micros as "costMicros", c.unknown as "costUnknown"
     from tasks t cross join lateral (
       select coalesce(sum(cost_micros), 0)::bigint as micros,
         count(*) filter (where ${isBillable} and cost_micros is null) as unknown
       from attempts a where a.task_id = t.id and outcome is not null) c
     where mode = 'live' and t.id >= $1 order by t.id limit $2`,
    [from, max],
  );
  return rows;
}
