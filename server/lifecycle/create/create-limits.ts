/**
 * The limit of tasks in progress of an account and the spending cap of a key, decided create by
 * create while the balances are locked. A batch without either needs no statement.
 */

import { ApiError, rateLimited } from '@vidgen/contract/api-error.ts';
import type { ApiKey, LockedKey } from '../../accounts/keys/api-key.ts';
import {
  addKeySpending,
  findKeySpending,
  type KeySpending,
  type SpendingCap,
  setSpendingCap as setCap,
} from '../../accounts/keys/key-spending.ts';
import type { Transaction } from '../../database/database.ts';
import { balanceName, lockBalances } from '../../ledger/ledger.ts';
import type { NewTask } from '../../tasks/store.ts';
import { countKeyCredits, countRunning } from '../../tasks/task-counts.ts';

type LimitedCreate = Pick<NewTask, 'accountId' | 'keyId' | 'mode' | 'credits'>;

type Running = { readonly max: number; count: number };
type Capped = KeySpending & { added: number };

export type LimitOutcome =
  | { readonly outcome: 'too_many_running'; readonly max: number }
  | { readonly outcome: 'capped'; readonly spending: KeySpending };

export type CreateLimits = {
  /** Returns why the create exceeds a limit; null if it does not. */
  check(create: LimitedCreate): LimitOutcome | null;
  /** Counts an accepted create for the checks that follow. */
  add(create: LimitedCreate): void;
  flush(): Promise<void>;
};

export async function readCreateLimits(
  tx: Transaction,
  creates: readonly LimitedCreate[],
  options: {
    readonly keys: ReadonlyMap<string, LockedKey>;
    /** Of accounts without their own limit; 0 is no limit. */
    readonly runningTasksMax: number;
  },
): Promise<CreateLimits> {
  const withCap = [...options.keys.values()].filter(({ hasSpendingCap }) => hasSpendingCap);
  const cappedIds = withCap.map(({ id }) => id);
  const [running, spending] = await Promise.all([
    readRunning(tx, creates, options),
    cappedIds.length === 0 ? new Map<string, KeySpending>() : findKeySpending(tx, cappedIds),
  ]);
  const capped = new Map<string, Capped>();
  for (const [keyId, found] of spending) capped.set(keyId, { ...found, added: 0 });
  return {
    check(create) {
      const cap = capped.get(create.keyId);
      if (cap && cap.used + cap.added + create.credits > cap.cap) {
        return { outcome: 'capped', spending: { ...cap, used: cap.used + cap.added } };
      }
      const account = running.get(balanceName(create));
      if (!account || account.count < account.max) return null;
      return { outcome: 'too_many_running', max: account.max };
    },
    add(create) {
      const cap = capped.get(create.keyId);
      if (cap) cap.added += create.credits;
      const account = running.get(balanceName(create));
      if (account) account.count += 1;
    },
    async flush() {
      const added = [...capped.values()].filter((cap) => cap.added > 0);
      const spent = added.map((cap) => ({ ...cap, credits: cap.added }));
      if (spent.length > 0) await addKeySpending(tx, spent);
    },
  };
}

async function readRunning(
  tx: Transaction,
  creates: readonly LimitedCreate[],
  { keys, runningTasksMax }: Parameters<typeof readCreateLimits>[2],
): Promise<Map<string, Running>> {
  const limited = new Map<string, { create: LimitedCreate; max: number }>();
  for (const create of creates) {
    const max = keys.get(create.keyId)?.runningTasksMax ?? runningTasksMax;
    if (max > 0) limited.set(balanceName(create), { create, max });
  }
  if (limited.size === 0) return new Map();
  const wanted = [...limited.values()].map(({ create, max }) => ({ ...create, countMax: max }));
  const counts = await countRunning(tx, wanted);
  return new Map(
    counts.map((count) => {
      const name = balanceName(count);
      return [name, { max: limited.get(name)!.max, count: count.running }];
    }),
  );
}

/** Tasks end at any time; clients poll at this interval, too. */
const runningRetrySeconds = 10;

/** The error of a create that exceeds a limit. */
export function limitError(exceeded: LimitOutcome, credits: number): ApiError {
  if (exceeded.outcome === 'too_many_running') {
    const { max } = exceeded;
    const tasks = max === 1 ? '1 task' : `${max} tasks`;
    return rateLimited(
      `Limit of ${tasks} in progress for this account reached`,
      runningRetrySeconds,
      ', or when a task has ended',
    );
  }
  const { cap, used, period, renewsAt } = exceeded.spending;
  const per = period === 'total' ? 'in all' : `per ${period}`;
  const renewal = renewsAt ? `, or wait until ${renewsAt.toISOString().slice(0, 10)} (UTC)` : '';
  return new ApiError(
    'insufficient_credits',
    `This task costs ${credits} credits, and this API key has used ${used} of its cap of ${cap} ` +
      `credits ${per}; ask an account owner to raise the cap${renewal}.`,
    { required: credits, available: Math.max(0, cap - used) },
  );
}

/**
 * Sets the spending cap of a key, and returns it with its use; null if it was removed. What the key
 * has used in the period so far counts: creates and settlements wait for the lock of the balance
 * meanwhile, so that none is missed or counted twice.
 */
export async function setSpendingCap(
  tx: Transaction,
  key: Pick<ApiKey, 'id' | 'accountId' | 'mode' | 'createdAt'>,
  cap: SpendingCap | null,
): Promise<KeySpending | null> {
  const { id: keyId, accountId, mode, createdAt } = key;
  await lockBalances(tx, [{ accountId, mode }]);
  await setCap(tx, keyId, cap);
  const spending = (await findKeySpending(tx, [keyId])).get(keyId);
  if (!spending) return null;
  const { startsOn, period } = spending;
  const since = period === 'total' ? createdAt : new Date(startsOn);
  const credits = await countKeyCredits(tx, { accountId, mode, keyId, since });
  await addKeySpending(tx, [{ keyId, startsOn, credits }]);
  return { ...spending, used: credits };
}
