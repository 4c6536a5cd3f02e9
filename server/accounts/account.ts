/**
 * Accounts hold keys, tasks and credits (the spec's "key owner"); balances belong to the ledger. An
 * account is never deleted: a closed account keeps its history, and all of its keys are rejected.
 */
import { randomUUID } from 'node:crypto';
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { CustomerPrices } from '@vidgen/contract/price.ts';
import { generateSecret } from '../crypto/standard-webhooks.ts';
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { keysChannel, pricesSql } from './keys/api-key.ts';
import { normalizeName } from './normalize-name.ts';
import type { RetentionDays } from './retention.ts';
import { isUuid } from './uuid.ts';

export type Account = {
  readonly id: string;
  readonly name: string;
  /** Created on the first run; its tasks always go to the preview provider. */
  readonly demo: boolean;
  readonly webhookSecret: string;
  /** Receives the webhooks of tasks whose create names no callback URL; null if there is none. */
  readonly webhookUrl: string | null;
  /** Where it differs from the installation. */
  readonly retention: RetentionDays;
  /** Null where the installation's limit applies; 0 is no limit. */
  readonly createsPerMinuteMax: number | null;
  readonly runningTasksMax: number | null;
  /** Null: list prices. */
  readonly prices: CustomerPrices | null;
  readonly createdAt: Date;
  readonly suspendedAt: Date | null;
  /** Why it was suspended, for administrators. */
  readonly suspensionNote: string | null;
  readonly closedAt: Date | null;
  readonly erasureStartedAt: Date | null;
  readonly erasedAt: Date | null;
};

export const accountColumns = `id, name, demo, webhook_secret as "webhookSecret",
  webhook_url as "webhookUrl", coalesce(retention, '{}') as retention,
  creates_per_minute_max as "createsPerMinuteMax", running_tasks_max as "runningTasksMax",
  ${pricesSql} as prices, created_at as "createdAt", suspended_at as "suspendedAt",
  suspension_note as "suspensionNote",
  closed_at as "closedAt",
  erasure_started_at as "erasureStartedAt", erased_at as "erasedAt"`;

export async function createAccount(
  tx: Transaction,
  request: { name: string; demo?: boolean },
): Promise<Account> {
  const { rows } = await tx.query<Account>(
    `with activity as (insert into account_activity (account_id) values ($1))
     insert into accounts (id, name, demo, webhook_secret) values ($1, $2, $3, $4)
     returning ${accountColumns}`,
    [randomUUID(), normalizeName(request.name), request.demo ?? false, generateSecret()],
  );
  return rows[0]!;
}

export async function findDemoAccountIds(
  db: Queryable,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(findDemoAccountIdsStatement, [accountIds]);
  return new Set(rows.map(({ id }) => id));
}

const findDemoAccountIdsStatement: PreparedStatement = {
  name: 'find_demo_account_ids',
  text: 'select id from accounts where id = any($1::uuid[]) and demo',
};

/** Null for list prices. */
export async function findAccountPrices(
  db: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, CustomerPrices | null>> {
  const { rows } = await db.query<Pick<Account, 'id' | 'prices'>>(
    `select id, ${pricesSql} as prices from accounts where id = any($1::uuid[])`,
    [accountIds],
  );
  return new Map(rows.map(({ id, prices }) => [id, prices]));
}

export async function getAccount(db: Queryable, accountId: string): Promise<Account> {
  const { rows } = isUuid(accountId)
    ? await db.query<Account>(`select ${accountColumns} from accounts where id = $1`, [accountId])
    : { rows: [] };
  return requireAccount(rows[0]);
}

/** Returns the open demo account, or null if there is none. */
export async function findDemoAccount(db: Queryable): Promise<Account | null> {
  const { rows } = await db.query<Account>(
    `select ${accountColumns} from accounts where demo and closed_at is null
     order by created_at limit 1`,
  );
  return rows[0] ?? null;
}

/** Throws `invalid_request` if the erasure has begun: then the name is gone. */
export async function renameAccount(
  tx: Transaction,
  { accountId, name }: { readonly accountId: string; readonly name: string },
): Promise<{ readonly renamed: Account; readonly previousName: string }> {
  await getAccount(tx, accountId);
  const { rows: before } = await tx.query<{ name: string; isErased: boolean }>(
    `select name, erasure_started_at is not null as "isErased" from accounts
     where id = $1 for no key update`,
    [accountId],
  );
  const { name: previousName, isErased } = requireAccount(before[0]);
  if (isErased) throw invalidRequest('The account is erased and has no name.');
  const change = { set: 'name = $2', values: [normalizeName(name)] };
  return { renamed: await updateAccount(tx, accountId, change), previousName };
}

/**
 * Changes columns of an account; `$1` is its ID, and the values follow. With `notifiesKeys`, every
 * process applies the change to its keys within 5 s.
 */
export async function updateAccount(
  tx: Transaction,
  accountId: string,
  change: {
    readonly set: string;
    readonly values?: readonly unknown[];
    readonly notifiesKeys?: boolean;
  },
): Promise<Account> {
  await getAccount(tx, accountId);
  const { rows } = await tx.query<Account>(
    `update accounts set ${change.set} where id = $1 returning ${accountColumns}`,
    [accountId, ...(change.values ?? [])],
  );
  if (change.notifiesKeys) await tx.query('select pg_notify($1, $2)', [keysChannel, accountId]);
  return requireAccount(rows[0]);
}

/** Sets the limits of an account; a missing one is not changed, and null removes it. */
export async function setAccountLimits(
  tx: Transaction,
  accountId: string,
  { createsPerMinuteMax, runningTasksMax }: Partial<Record<LimitName, number | null | undefined>>,
): Promise<Account> {
  return await updateAccount(tx, accountId, {
    set: `creates_per_minute_max = case when $2 then $3 else creates_per_minute_max end,
      running_tasks_max = case when $4 then $5 else running_tasks_max end`,
    values: [
      createsPerMinuteMax !== undefined,
      createsPerMinuteMax ?? null,
      runningTasksMax !== undefined,
      runningTasksMax ?? null,
    ],
    notifiesKeys: true,
  });
}

type LimitName = 'createsPerMinuteMax' | 'runningTasksMax';

/** Sets the prices of an account; a missing one is not changed, and null removes it. */
export async function setAccountPrices(
  tx: Transaction,
  accountId: string,
  {
    percent,
    rates,
  }: {
    readonly percent: CustomerPrices['percent'] | undefined;
    readonly rates: CustomerPrices['rates'] | undefined;
  },
): Promise<Account> {
  return await updateAccount(tx, accountId, {
    set: `price_percent = case when $2 then $3::numeric else price_percent end,
      prices = case when $4 then $5::jsonb else prices end`,
    values: [
      percent !== undefined,
      percent ?? null,
      rates !== undefined,
      rates ? JSON.stringify(rates) : null,
    ],
    notifiesKeys: true,
  });
}

/** Closes an account. Closing again keeps the first time. */
export async function closeAccount(tx: Transaction, accountId: string): Promise<Account> {
  const set = 'closed_at = coalesce(closed_at, now())';
  return await updateAccount(tx, accountId, { set, notifiesKeys: true });
}

/**
 * Replaces the signing secret. The previous secret signs as well for `keepPreviousSeconds`, so that
 * receivers can switch without rejecting a webhook; with 0 it becomes invalid immediately.
 */
export async function rotateWebhookSecret(
  tx: Transaction,
  accountId: string,
  { keepPreviousSeconds }: { keepPreviousSeconds: number },
): Promise<Account> {
  return await updateAccount(tx, accountId, {
    set: `webhook_secret = $2,
      previous_webhook_secret = case when $3::float8 > 0 then webhook_secret end,
      previous_secret_until =
        case when $3::float8 > 0 then now() + $3::float8 * interval '1 second' end`,
    values: [generateSecret(), keepPreviousSeconds],
  });
}

/** Tasks that were created before keep the URL that was stored with them. */
export async function setWebhookUrl(
  tx: Transaction,
  accountId: string,
  url: string | null,
): Promise<Account> {
  return await updateAccount(tx, accountId, { set: 'webhook_url = $2', values: [url] });
}

/**
 * Returns the secrets that sign webhooks: the current one, then the previous one while it is valid.
 */
export async function webhookSecrets(db: Queryable, accountId: string): Promise<string[]> {
  return requireAccount((await findWebhookSecrets(db, [accountId])).get(accountId));
}

/** Returns the same for several accounts, by their IDs. */
export async function findWebhookSecrets(
  db: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ id: string; current: string; previous: string | null }>(
    findWebhookSecretsStatement,
    [accountIds],
  );
  return new Map(
    rows.map(({ id, current, previous }) => [
      id,
      previous === null ? [current] : [current, previous],
    ]),
  );
}

const findWebhookSecretsStatement: PreparedStatement = {
  name: 'find_webhook_secrets',
  text: `select id, webhook_secret as current,
           case when previous_secret_until > now() then previous_webhook_secret end as previous
         from accounts where id = any($1::uuid[])`,
};

export function requireAccount<T>(account: T | undefined): T {
  if (account === null || account === undefined) throw notFound('No account found with this ID.');
  return account;
}
