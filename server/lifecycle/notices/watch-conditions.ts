/**
 * Raises and resolves the notices of conditions: low balances, breakers, failing endpoints, and
 * caps that reject creates. Runs in every worker; the database decides which process is first.
 */
import { findKeys } from '../../accounts/keys/api-key.ts';
import type { KeySpending } from '../../accounts/keys/key-spending.ts';
import type { Database, Queryable, Transaction } from '../../database/database.ts';
import { takeBalanceCrossings } from '../../ledger/balance-alerts.ts';
import {
  listOpenNotices,
  raiseNotice,
  resolveNotice,
  resolveUnseen,
  touchNotice,
} from '../../messages/notice.ts';
import type { ProviderHealth } from '../../providers/health.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import {
  digestOfUrl,
  exhaustedInRow,
  hasDelivered,
  isEndpointFailing,
} from '../../webhooks/failing-endpoint.ts';

const crossingsPerCommit = 500;

/** Several times the interval in which every worker reports its breakers. */
const breakerUnseenSeconds = 180;
/** An endpoint without any webhook for so long is not failing. */
const endpointUnseenSeconds = 7 * 86_400;

/** One notice for each time the balance falls below the threshold. */
export async function watchBalances(db: Database): Promise<void> {
  let crossed: number;
  do {
    crossed = await db.transaction(async (tx) => {
      const crossings = await takeBalanceCrossings(tx, { limit: crossingsPerCommit });
      for (const { accountId, available, threshold, isLow } of crossings) {
        const key = { kind: 'low_balance', accountId, subject: '' } as const;
        if (isLow) await raiseNotice(tx, { ...key, detail: { available, threshold } });
        else await resolveNotice(tx, key);
      }
      return crossings.length;
    });
  } while (crossed === crossingsPerCommit);
}

/**
 * Each process has its own breakers, so a notice is resolved once no process has had one open for
 * some minutes. A trial (`half-open`) keeps it open.
 */
export async function watchBreakers(
  db: Database,
  health: readonly Pick<ProviderHealth, 'provider' | 'breaker' | 'lastError'>[],
): Promise<void> {
  const kind = 'provider_breaker_open';
  for (const { provider, breaker, lastError } of health) {
    const key = { kind, accountId: null, subject: provider.slice(0, 200) } as const;
    const detail = { provider, error: lastError?.detail ?? null };
    if (breaker === 'open') await db.transaction((tx) => raiseNotice(tx, { ...key, detail }));
    else if (breaker === 'half-open') await touchNotice(db, key);
  }
  await resolveUnseen(db, { kind, afterSeconds: breakerUnseenSeconds });
}

/** Called when the retries of a delivery are exhausted. */
export async function noticeFailingEndpoint(
  db: Database,
  { accountId, url }: Pick<Delivery, 'accountId' | 'url'>,
): Promise<void> {
  const key = { kind: 'webhook_failing', accountId, subject: digestOfUrl(url) } as const;
  if (await touchNotice(db, key)) return;
  if (!(await isEndpointFailing(db, { accountId, url }))) return;
  const { origin, pathname } = new URL(url);
  // Without the query, which may hold a token.
  const detail = { url: `${origin}${pathname}`.slice(0, 300), deliveries: exhaustedInRow };
  await db.transaction((tx) => raiseNotice(tx, { ...key, detail }));
}

export async function watchEndpoints(db: Database): Promise<void> {
  const kind = 'webhook_failing';
  for (const notice of await listOpenNotices(db, kind)) {
    const { accountId, subject, createdAt: since } = notice;
    if (accountId === null) continue;
    if (await hasDelivered(db, { accountId, urlDigest: subject, since })) {
      await resolveNotice(db, { kind, accountId, subject });
    }
  }
  await resolveUnseen(db, { kind, afterSeconds: endpointUnseenSeconds });
}

/** A key whose requests have not been rejected for so long is below its cap, or not used. */
const unseenSeconds = 86_400;

/**
 * Notifies the owners when the spending cap of a key rejects creates, once for each key and period.
 * Needs no statement if no create was rejected.
 */
export async function noticeCaps(
  tx: Transaction,
  rejected: readonly { readonly accountId: string; readonly spending: KeySpending }[],
): Promise<void> {
  const byKey = new Map(rejected.map((create) => [create.spending.keyId, create]));
  if (byKey.size === 0) return;
  for (const { id, name } of await findKeys(tx, [...byKey.keys()])) {
    const { accountId, spending } = byKey.get(id)!;
    const { cap, period, startsOn } = spending;
    await raiseNotice(tx, {
      kind: 'key_cap_reached',
      accountId,
      subject: `${id} ${startsOn} ${cap}`,
      detail: { key_id: id, key_name: name, cap, period },
    });
  }
}

export const watchCaps = (db: Queryable): Promise<void> =>
  resolveUnseen(db, { kind: 'key_cap_reached', afterSeconds: unseenSeconds });
