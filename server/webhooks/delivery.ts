/**
 * Deliveries and their attempts. A delivery is created by the commit that makes its task final and
 * keeps its ID and body forever; each attempt is recorded exactly once.
 *
 * `pending`: a `notify` job sends it and moves it to `delivered` or, after the last retry, to
 * `exhausted`. A replay makes it `pending` again.
 */
import { randomBytes } from 'node:crypto';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { ApiError } from '../api-error.ts';
import { nowMs } from '../clock.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { SendResult } from './send.ts';

export const deliveryStatuses = ['pending', 'delivered', 'exhausted'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

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

export type DeliveryAttempt = {
  readonly deliveryId: string;
  readonly number: number;
  readonly round: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
};

export type NewDelivery = Pick<Delivery, 'accountId' | 'taskId' | 'mode' | 'url' | 'body'>;

const deliveryColumns = `
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
  const { rows } = await tx.query<Delivery>(
    `insert into deliveries (id, account_id, task_id, mode, url, body)
     select id, "accountId", "taskId", mode, url, body
     from jsonb_to_recordset($1::jsonb) as d(id text, "accountId" uuid, "taskId" text, mode text,
       url text, body text)
     returning ${deliveryColumns}`,
    [JSON.stringify(deliveries.map((delivery) => ({ id: newDeliveryId(), ...delivery })))],
  );
  return rows;
}

export async function getDelivery(db: Queryable, id: string): Promise<Delivery> {
  const { rows } = await db.query<Delivery>(
    `select ${deliveryColumns} from deliveries where id = $1`,
    [id],
  );
  return requireDelivery(rows[0]);
}

/**
 * Records the attempt and updates the delivery: delivered, exhausted after `retriesMax` retries, or
 * still pending. Returns null, without writing, if another worker has recorded this attempt or the
 * delivery is no longer pending.
 */
export async function recordAttempt(
  tx: Transaction,
  {
    delivery,
    outcome,
    retriesMax,
  }: {
    /** As read before the attempt. */
    readonly delivery: Pick<Delivery, 'id' | 'attemptsMade'>;
    readonly outcome: SendResult;
    readonly retriesMax: number;
  },
): Promise<Delivery | null> {
  // An attempt that was in flight when a replay began counts as the first of the new round.
  const { rows } = await tx.query<Delivery>(
    `update deliveries set
       attempts_made = attempts_made + 1,
       status = case
         when $3 then 'delivered'
         when attempts_made - attempts_before_round >= $4::int then 'exhausted'
         else 'pending'
       end,
       delivered_at = case when $3 then now() end
     where id = $1 and attempts_made = $2 and status = 'pending'
     returning ${deliveryColumns}`,
    [delivery.id, delivery.attemptsMade, outcome.delivered, retriesMax],
  );
  const updated = rows[0];
  if (!updated) return null;
  await tx.query(
    `insert into call_attempts
       (delivery_id, number, round, started_at, duration_ms, answer_status, answer_body, error)
     values ($1, $2, $3, clock_timestamp() - $4::int * interval '1 millisecond', $4, $5, $6, $7)`,
    [
      updated.id,
      updated.attemptsMade,
      updated.round,
      outcome.durationMs,
      outcome.responseStatus,
      outcome.responseBody,
      outcome.error,
    ],
  );
  return updated;
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
  return requireDelivery(rows[0]);
}

export type ReplayedDelivery = Pick<Delivery, 'id' | 'accountId' | 'taskId' | 'url'>;

/** Does the same for all exhausted deliveries of an account that were created since then. */
export async function startReplays(
  tx: Transaction,
  { accountId, since }: { accountId: string; since: Date },
): Promise<ReplayedDelivery[]> {
  const { rows } = await tx.query<ReplayedDelivery>(
    `update deliveries set
       status = 'pending', round = round + 1, attempts_before_round = attempts_made
     where account_id = $1 and status = 'exhausted' and created_at >= $2
     returning id, account_id as "accountId", task_id as "taskId", url`,
    [accountId, since],
  );
  return rows;
}

function requireDelivery(delivery: Delivery | undefined): Delivery {
  if (!delivery) throw new ApiError('not_found', 'There is no delivery with this id.');
  return delivery;
}

export type DeliveryFilter = {
  readonly accountId: string;
  readonly limit: number;
  /** ID of the last delivery of the previous page. */
  readonly cursor?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly taskId?: string | undefined;
};

/** A delivery shows its newest attempts; `listAttemptPage` has all of them. */
const shownAttemptsMax = 20;

export type DeliveryPage = {
  readonly items: readonly (Delivery & { readonly attempts: readonly DeliveryAttempt[] })[];
  readonly nextCursor: string | null;
};

/** Newest first, each with its newest attempts in order. */
export async function listDeliveries(
  db: Queryable,
  { accountId, limit, cursor, status, taskId }: DeliveryFilter,
): Promise<DeliveryPage> {
  const { rows } = await db.query<Delivery>(
    `select ${deliveryColumns} from deliveries
     where account_id = $1
       and ($2::text is null or id < $2)
       and ($3::text is null or status = $3)
       and ($4::text is null or task_id = $4)
     order by id desc
     limit $5`,
    [accountId, cursor ?? null, status ?? null, taskId ?? null, limit + 1],
  );
  const page = rows.slice(0, limit);
  const attempts = await listDeliveryAttempts(
    db,
    page.map(({ id }) => id),
  );
  return {
    items: page.map((delivery) => ({ ...delivery, attempts: attempts.get(delivery.id) ?? [] })),
    nextCursor: rows.length > limit ? page.at(-1)!.id : null,
  };
}

async function listDeliveryAttempts(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<Map<string, DeliveryAttempt[]>> {
  const { rows } = await db.query<DeliveryAttempt>(
    `select newest.* from unnest($1::text[]) as wanted (id)
       cross join lateral (
         select ${attemptColumns} from call_attempts where delivery_id = wanted.id
          order by number desc limit $2) as newest
     order by "deliveryId", number`,
    [deliveryIds, shownAttemptsMax],
  );
  return Map.groupBy(rows, ({ deliveryId }) => deliveryId);
}

/** One page of the attempts of a delivery, newest first; `before` is the last number seen. */
export async function listAttemptPage(
  db: Queryable,
  { deliveryId, before, limit }: { deliveryId: string; before: number | null; limit: number },
): Promise<{ items: DeliveryAttempt[]; nextCursor: string | null }> {
  const { rows } = await db.query<DeliveryAttempt>(
    `select ${attemptColumns} from call_attempts
      where delivery_id = $1 and ($2::int is null or number < $2)
      order by number desc limit $3`,
    [deliveryId, before, limit + 1],
  );
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? String(items.at(-1)!.number) : null };
}

const attemptColumns = `delivery_id as "deliveryId", number, round, started_at as "startedAt",
  duration_ms as "durationMs", answer_status as "responseStatus",
  answer_body as "responseBody", error`;

/** For metrics. */
export async function countDeliveries(
  db: Queryable,
): Promise<{ status: DeliveryStatus; deliveries: number }[]> {
  const { rows } = await db.query<{ status: DeliveryStatus; deliveries: number }>(
    'select status, count(*) as deliveries from deliveries group by 1',
  );
  return rows;
}
