/**
 * Deliveries and what their attempts change. A delivery is created by the commit that makes its
 * task final and keeps its ID and body forever; each attempt is recorded exactly once.
 *
 * `pending`: a `notify` job sends it and moves it to `delivered` or, after the last retry, to
 * `exhausted`. A replay makes it `pending` again.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { nowMs } from '../process/clock.ts';
import type { SendResult } from './send.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted';

export type Delivery = {
  /** The `webhook-id` header. */
  readonly id: string;
  readonly accountId: string;
  readonly taskId: string;
  readonly mode: KeyMode;
  readonly url: string;
  readonly body: string;
  readonly status: DeliveryStatus;
  /** Over all rounds: the number of the last attempt. */
  readonly attemptsMade: number;
  readonly round: number;
  /** In this round; the retry schedule counts these. */
  readonly attemptsThisRound: number;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
};

export type NewDelivery = Pick<Delivery, 'accountId' | 'taskId' | 'mode' | 'url' | 'body'>;

export const deliveryColumns = `
  id, account_id as "accountId", task_id as "taskId", mode, url, body, status,
  attempts_made as "attemptsMade", round,
  attempts_made - attempts_before_round as "attemptsThisRound",
  created_at as "createdAt", delivered_at as "deliveredAt"`;

/** Sorts by creation: ten base-32 digits of milliseconds, then random digits. */
function newDeliveryId(): string {
  const time = nowMs().toString(32).padStart(10, '0');
  const random = Array.from(randomBytes(16), (byte) => (byte % 32).toString(32)).join('');
  return `msg_${time}${random}`;
}

/**
 * Returns the inserted deliveries in no particular order. A task has one delivery: the database
 * rejects a second one.
 */
export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
): Promise<Delivery[]> {
  if (deliveries.length === 0) return [];
  const { rows } = await tx.query<Delivery>(insertDeliveriesStatement, [
    JSON.stringify(deliveries.map((delivery) => ({ id: newDeliveryId(), ...delivery }))),
  ]);
  return rows;
}

const insertDeliveriesStatement: PreparedStatement = {
  name: 'insert_deliveries',
  text: `insert into deliveries (id, account_id, task_id, mode, url, body)
         select id, "accountId", "taskId", mode, url, body
         from jsonb_to_recordset($1::jsonb) as d(id text, "accountId" uuid, "taskId" text,
           mode text, url text, body text)
         returning ${deliveryColumns}`,
};

export async function getDelivery(db: Queryable, id: string): Promise<Delivery> {
  const { rows } = await db.query<Delivery>(
    `select ${deliveryColumns} from deliveries where id = $1`,
    [id],
  );
  return requireDelivery(rows[0]);
}

/** What is sent, and the database's clock when it was read, in Unix seconds. */
export type OutgoingDelivery = Pick<Delivery, 'id' | 'taskId' | 'url' | 'body' | 'attemptsMade'> & {
  readonly nowSeconds: number;
};

/** Returns the existing ones, in no particular order. */
export async function findOutgoingDeliveries(
  db: Queryable,
  ids: readonly string[],
): Promise<OutgoingDelivery[]> {
  const { rows } = await db.query<OutgoingDelivery>(findOutgoingStatement, [ids]);
  return rows;
}

const findOutgoingStatement: PreparedStatement = {
  name: 'find_outgoing_deliveries',
  text: `select id, task_id as "taskId", url, body, attempts_made as "attemptsMade",
           floor(extract(epoch from clock_timestamp()))::float8 as "nowSeconds"
         from deliveries where id = any($1::text[])`,
};

export type MadeAttempt = {
  /** As read before the attempt. */
  readonly delivery: Pick<Delivery, 'id' | 'attemptsMade'>;
  readonly outcome: SendResult;
  readonly retriesMax: number;
};

/** What an attempt changed; the rest of a delivery is larger than all of this. */
export type RecordedAttempt = Pick<Delivery, 'id' | 'status' | 'attemptsThisRound'>;

/**
 * Records attempts and updates their deliveries: delivered, exhausted after `retriesMax` retries,
 * or still pending. Returns the updated ones by the ID of their delivery. One whose attempt another
 * worker has recorded, or that is no longer pending, is not changed.
 */
export async function recordAttempts(
  tx: Transaction,
  attempts: readonly MadeAttempt[],
): Promise<Map<string, RecordedAttempt>> {
  const made = attempts.map(({ delivery: { id, attemptsMade }, outcome, retriesMax }) => ({
    id,
    attemptsMade,
    retriesMax,
    ...outcome,
  }));
  const { rows } = await tx.query<RecordedAttempt>(recordAttemptsStatement, [
    JSON.stringify(made),
    made.map(({ id }) => id),
  ]);
  return new Map(rows.map((recorded) => [recorded.id, recorded]));
}

/**
 * An attempt that was in flight when a replay began counts as the first of the new round. The
 * condition on the IDs alone makes PostgreSQL look them up, not read all pending deliveries. It
 * expects 100 rows of JSON and joins them by a hash; of arrays it expects 10, and would compare
 * each with each.
 */
const recordAttemptsStatement: PreparedStatement = {
  name: 'record_attempts',
  text: `with updated as (
      update deliveries d set
        attempts_made = d.attempts_made + 1,
        status = case
          when m.delivered then 'delivered'
          when d.attempts_made - d.attempts_before_round >= m."retriesMax" then 'exhausted'
          else 'pending'
        end,
        delivered_at = case when m.delivered then now() end
      from jsonb_to_recordset($1::jsonb) as m(id text, "attemptsMade" int, "retriesMax" int,
        delivered boolean, "durationMs" int, "responseStatus" int, "responseBody" text, error text,
        "signedHeaders" jsonb)
      where d.id = any($2::text[]) and d.id = m.id and d.attempts_made = m."attemptsMade"
        and d.status = 'pending'
      returning d.id, d.status, d.attempts_made, d.attempts_before_round, d.round, m."durationMs",
        m."responseStatus", m."responseBody", m.error, m."signedHeaders"
    ), recorded as (
      insert into call_attempts
        (delivery_id, number, round, started_at, duration_ms, answer_status, answer_body, error,
         signed_headers)
      select id, attempts_made, round, clock_timestamp() - "durationMs" * interval '1 millisecond',
        "durationMs", "responseStatus", "responseBody", error, "signedHeaders"
      from updated
    )
    select id, status, attempts_made - attempts_before_round as "attemptsThisRound" from updated`,
};

/** Records one attempt; returns null, without writing, where `recordAttempts` changes nothing. */
export async function recordAttempt(
  tx: Transaction,
  attempt: MadeAttempt,
): Promise<Delivery | null> {
  const { id } = attempt.delivery;
  return (await recordAttempts(tx, [attempt])).has(id) ? await getDelivery(tx, id) : null;
}

/** Up to a fifth is added, so that webhooks that failed together are not all retried together. */
const jitterMax = 0.2;

/**
 * Returns seconds until the next attempt, or null after the last one: there are as many retries as
 * delays (five by default, docs/spec.md 6.1.2). `attemptsMade` counts this round only; `random`
 * returns a number in [0, 1).
 */
export function nextRetryDelay({
  retryDelaysSeconds,
  attemptsMade,
  random,
}: {
  readonly retryDelaysSeconds: readonly number[];
  readonly attemptsMade: number;
  readonly random: () => number;
}): number | null {
  assert(attemptsMade >= 1, 'the first attempt has no delay before it');
  const delay = retryDelaysSeconds[attemptsMade - 1];
  return delay === undefined ? null : delay * (1 + jitterMax * random());
}

/**
 * Begins a new round with all its retries, in any status; the caller enqueues its job. The receiver
 * gets the same ID and body again.
 */
export async function startReplay(tx: Transaction, id: string): Promise<Delivery> {
  const { rows } = await tx.query<Delivery>(
    `update deliveries set
       status = 'pending', delivered_at = null,
       round = round + 1, attempts_before_round = attempts_made
     where id = $1
     returning ${deliveryColumns}`,
    [id],
  );
  const delivery = requireDelivery(rows[0]);
  if (delivery.body !== '') return delivery;
  throw invalidRequest('The body of this delivery was deleted; it is too old.');
}

export type ReplayedDelivery = Pick<Delivery, 'id' | 'accountId' | 'taskId' | 'url'>;

/** In one transaction; the next call continues with the rest. */
const replaysMax = 1000;

/** Does the same for all exhausted deliveries of an account that were created since then. */
export async function startReplays(
  tx: Transaction,
  { accountId, since, mode }: { accountId: string; since: Date; mode?: KeyMode | undefined },
): Promise<ReplayedDelivery[]> {
  const { rows } = await tx.query<ReplayedDelivery>(
    `update deliveries set
       status = 'pending', round = round + 1, attempts_before_round = attempts_made
     where id in (
       select id from deliveries
       where account_id = $1 and status = 'exhausted' and created_at >= $2 and body <> ''
         and ($3::text is null or mode = $3)
       order by created_at limit ${replaysMax}
       for update)
     returning id, account_id as "accountId", task_id as "taskId", url`,
    [accountId, since, mode ?? null],
  );
  return rows;
}

/**
 * Deletes the deliveries of tasks with their attempts, and returns their IDs. One that is being
 * sent may still arrive; its outcome is not recorded.
 */
export async function deleteDeliveries(
  tx: Transaction,
  taskIds: readonly string[],
): Promise<string[]> {
  // Locked in a statement of its own: the next one sees an attempt that was recorded until then.
  const { rows } = await tx.query<{ id: string }>(
    'select id from deliveries where task_id = any($1::text[]) order by id for update',
    [taskIds],
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  await tx.query('delete from call_attempts where delivery_id = any($1::text[])', [ids]);
  await tx.query('delete from deliveries where id = any($1::text[])', [ids]);
  return ids;
}

function requireDelivery(delivery: Delivery | undefined): Delivery {
  if (!delivery) throw notFound('No delivery found with this ID.');
  return delivery;
}

/** Adds up the differences that the triggers have written. Any number of processes may run it. */
export async function foldDeliveryCounts(db: Queryable): Promise<void> {
  await db.query(
    `with folded as (
       delete from delivery_counts
       where id in (select id from delivery_counts order by id limit 100000 for update skip locked)
       returning status, deliveries)
     insert into delivery_counts (status, deliveries)
     select status, sum(deliveries) from folded group by 1 having sum(deliveries) <> 0`,
  );
}

/** For metrics: kept by triggers, so that no delivery is read. */
export async function countDeliveries(
  db: Queryable,
): Promise<{ status: DeliveryStatus; deliveries: number }[]> {
  const { rows } = await db.query<{ status: DeliveryStatus; deliveries: number }>(
    `select status, sum(deliveries)::bigint as deliveries from delivery_counts
     group by 1 having sum(deliveries) <> 0`,
  );
  return rows;
}
