/** Pages of deliveries and of their attempts, newest first. */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import { type Delivery, type DeliveryStatus, deliveryColumns } from './delivery.ts';

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

export type DeliveryFilter = {
  readonly accountId: string;
  readonly limit: number;
  /** ID of the last delivery of the previous page. */
  readonly cursor?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly taskId?: string | undefined;
  readonly mode?: KeyMode | undefined;
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
  { accountId, limit, cursor, status, taskId, mode }: DeliveryFilter,
): Promise<DeliveryPage> {
  const { rows } = await db.query<Delivery>(
    `select ${deliveryColumns} from deliveries
     where account_id = $1
       and ($2::text is null or id < $2)
       and ($3::text is null or status = $3)
       and ($4::text is null or task_id = $4)
       and ($5::text is null or mode = $5)
     order by id desc
     limit $6`,
    [accountId, cursor ?? null, status ?? null, taskId ?? null, mode ?? null, limit + 1],
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
