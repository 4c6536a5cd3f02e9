/** Pages of deliveries and of their attempts, newest first. */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import { cursorOf, type Page, type PageRequest, pageOf } from '../database/page.ts';
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
  readonly signedHeaders: Readonly<Record<string, string>> | null;
};

export type DeliveryFilter = PageRequest & {
  readonly accountId: string;
  readonly status?: DeliveryStatus | undefined;
  readonly taskId?: string | undefined;
  readonly mode?: KeyMode | undefined;
};

/** A delivery shows its newest attempts; `listAttemptPage` has all of them. */
const shownAttemptsMax = 20;

export type DeliveryPage = Page<Delivery & { readonly attempts: readonly DeliveryAttempt[] }>;

/** Newest first, each with its newest attempts in order. */
export async function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryPage> {
  const { accountId, limit, status, taskId, mode } = filter;
  const before = cursorOf(filter, /^msg_[0-9a-v]{26}$/);
  const { rows } = await db.query<Delivery>(
    `select ${deliveryColumns} from deliveries
     where account_id = $1
       and ($2::text is null or id < $2)
       and ($3::text is null or status = $3)
       and ($4::text is null or task_id = $4)
       and ($5::text is null or mode = $5)
     order by id desc
     limit $6`,
    [accountId, before, status ?? null, taskId ?? null, mode ?? null, limit + 1],
  );
  const { items, nextCursor } = pageOf(rows, limit);
  const deliveryIds = items.map(({ id }) => id);
  const attempts = await listDeliveryAttempts(db, deliveryIds);
  return {
    items: items.map((delivery) => ({ ...delivery, attempts: attempts.get(delivery.id) ?? [] })),
    nextCursor,
  };
}

async function listDeliveryAttempts(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<Map<string, DeliveryAttempt[]>> {
  if (deliveryIds.length === 0) return new Map();
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
): Promise<Page<DeliveryAttempt>> {
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
  answer_body as "responseBody", error, signed_headers as "signedHeaders"`;
