/**
 * What other prices or another provider would have made of the last 30 days. Tasks are read in
 * pages and in the order of their creation, so that balances and caps are followed as they were
 * used; nothing is written. Customers are taken to order the same.
 */

import type { Costs } from '@vidgen/contract/costs.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { type CustomerPrices, creditsAt } from '@vidgen/contract/price.ts';
import { findAccountPrices } from '../accounts/account.ts';
import { findKeySpending, type KeySpending } from '../accounts/keys/key-spending.ts';
import { withPrices } from '../catalog/customer-prices.ts';
import type { Model } from '../catalog/models.ts';
import { findAvailableAfter } from '../ledger/entries.ts';
import { ruleCost } from '../providers/costs.ts';
import { addFigures, type Figures, noFigures } from '../tasks/margin.ts';
import {
  findRehearsedKeys,
  type RehearsedTask,
  readRehearsedTasks,
} from '../tasks/rehearsed-tasks.ts';
import type { LifecycleContext } from './context.ts';

export type WhatIf = {
  /** Whose prices change; null: the list prices. */
  readonly accountId: string | null;
  readonly percent: number | null;
  readonly rates: CustomerPrices['rates'];
  /** By model, of the provider that makes it instead. */
  readonly costs: Readonly<Record<string, Costs>>;
};

export type Rehearsed = {
  readonly now: Figures;
  readonly rehearsed: Figures;
  readonly refusedBalance: number;
  readonly refusedCap: number;
};

export const emptyRehearsal: Rehearsed = {
  now: noFigures,
  rehearsed: noFigures,
  refusedBalance: 0,
  refusedCap: 0,
};

const tasksPerPage = 2000;

export async function rehearsePrices(
  { db, catalog, settings }: Pick<LifecycleContext, 'db' | 'catalog' | 'settings'>,
  whatIf: WhatIf,
  options: { readonly since: Date; readonly tasksMax: number; readonly signal: AbortSignal },
): Promise<{
  /** By account. */
  readonly accounts: ReadonlyMap<string, Rehearsed>;
  readonly tasks: number;
  readonly firstTaskId: string | undefined;
}> {
  const keys = await findRehearsedKeys(db, options);
  const prices = await findAccountPrices(db, [...new Set(keys.map((one) => one.accountId))]);
  const keyIds = keys.map(({ keyId }) => keyId);
  const caps = await findKeySpending(db, keyIds);
  const reserved = new Map(keys.map(({ keyId, credits }) => [keyId, credits]));
  const replay = new Replay(caps, reserved);
  const accounts = new Map<string, Rehearsed>();
  const [firstTaskId] = keys.map(({ first }) => first).sort();
  const count = keys.reduce((sum, { tasks }) => sum + tasks, 0);
  let [from, left] = [firstTaskId, count];
  while (from !== undefined && left > 0) {
    options.signal.throwIfAborted();
    const max = Math.min(tasksPerPage, left);
    const tasks = await readRehearsedTasks(db, { from, max });
    const ids = tasks.map(({ id }) => id);
    const available = await findAvailableAfter(db, ids);
    for (const task of tasks) {
      const { accountId, generation } = task;
      const own = prices.get(accountId) ?? null;
      const credits = creditsIf(catalog.find(generation.model), task, whatIf, own);
      const refused = replay.refusal(task, credits, available.get(task.id) ?? null);
      const costs = task.billingStatus === 'charged' ? whatIf.costs[generation.model] : undefined;
      const cost = costs ? costAt(costs, task, settings) : task;
      const before = accounts.get(accountId) ?? emptyRehearsal;
      accounts.set(accountId, {
        now: addFigures(before.now, figuresOf(task, task)),
        rehearsed: refused
          ? before.rehearsed
          : addFigures(before.rehearsed, figuresOf(task, { ...cost, credits })),
        refusedBalance: before.refusedBalance + Number(refused === 'balance'),
        refusedCap: before.refusedCap + Number(refused === 'cap'),
      });
    }
    left -= tasks.length;
    // After the last: no ID has a space.
    from = ids.length > 0 ? `${ids.at(-1)} ` : undefined;
  }
  return { accounts, tasks: count - left, firstTaskId };
}

function figuresOf(
  { billingStatus, creditMicros }: RehearsedTask,
  { credits, costMicros, costUnknown }: Omit<Figures, 'tasks' | 'revenueMicros'>,
): Figures {
  const tasks = Number(billingStatus === 'charged');
  const charged = tasks * credits;
  const revenueMicros = charged * (creditMicros ?? 0);
  return { tasks, credits: charged, revenueMicros, costMicros, costUnknown };
}

function costAt(
  costs: Costs,
  { generation, pricedSeconds, isBlank }: RehearsedTask,
  { currency }: LifecycleContext['settings'],
) {
  if (isBlank) return { costMicros: 0, costUnknown: 1 };
  const cost = ruleCost(costs, { generation: generation as Generation, pricedSeconds, currency });
  return { costMicros: cost?.micros ?? 0, costUnknown: Number(cost === null) };
}

/** As charged, where its price does not change or nothing says it any more. */
function creditsIf(
  listed: Model | undefined,
  { accountId, generation, pricedSeconds, isBlank, credits }: RehearsedTask,
  { percent, rates, accountId: whose }: WhatIf,
  own: CustomerPrices | null,
): number {
  const {
    model: name,
    resolution,
    videoUrls,
    inputSecondsMax,
    generateAudio: hasSound,
  } = generation;
  const isOther = whose !== null && whose !== accountId;
  if (!listed || isBlank || isOther || (percent === null && !rates?.[name]?.[resolution]))
    return credits;
  const model =
    whose === null
      ? withPrices(withPrices(listed, { percent, rates }), own)
      : withPrices(listed, {
          percent: percent ?? own?.percent ?? null,
          rates: rates ?? own?.rates ?? null,
        });
  const rate = model.rates[resolution];
  const seconds = pricedSeconds ?? generation.duration;
  if (!rate || seconds <= 0) return credits;
  // The lengths of several videos are not stored: they count as the longest.
  const longest = model.limits.reference.video.combinedSecondsMax;
  const known = videoUrls.length === 1 ? (inputSecondsMax ?? longest) : longest;
  const inputSeconds = videoUrls.length === 0 ? null : known;
  return creditsAt(rate, { seconds, hasSound, inputSeconds });
}

/** Follows balances and caps of keys from task to task. */
class Replay {
  readonly #caps: ReadonlyMap<string, KeySpending>;
  readonly #reserved: ReadonlyMap<string, number>;
  readonly #used = new Map<string, { readonly now: number; readonly rehearsed: number }>();
  /** Credits that an account has less than it had, by account. */
  readonly #less = new Map<string, number>();

  /** `reserved` by the tasks that will follow, by key. */
  constructor(caps: ReadonlyMap<string, KeySpending>, reserved: ReadonlyMap<string, number>) {
    this.#caps = caps;
    this.#reserved = reserved;
  }

  /** Why the task would have been refused at this price; else counts it. */
  refusal(task: RehearsedTask, credits: number, after: number | null): 'balance' | 'cap' | null {
    const less = this.#less.get(task.accountId) ?? 0;
    const cap = this.#caps.get(task.keyId);
    const period = cap ? `${cap.keyId} ${periodOf(task.createdAt, cap.period)}` : '';
    const used = this.#used.get(period) ?? this.#usedBefore(cap);
    // The cap is that of today: what exceeded it then says nothing about the prices.
    const isCapped =
      cap && used.rehearsed + credits > cap.cap && used.now + task.credits <= cap.cap;
    const isPoor = after !== null && after - less + task.credits - credits < 0;
    const refused = isPoor ? 'balance' : isCapped ? 'cap' : null;
    if (task.billingStatus !== 'refunded') {
      const charged = refused ? 0 : credits;
      this.#less.set(task.accountId, less + charged - task.credits);
      const next = { now: used.now + task.credits, rehearsed: used.rehearsed + charged };
      if (cap) this.#used.set(period, next);
    }
    return refused;
  }

  /** A day or a month begins with nothing. */
  #usedBefore(cap: KeySpending | undefined) {
    const isTotal = cap?.period === 'total';
    const before = isTotal ? Math.max(0, cap.used - (this.#reserved.get(cap.keyId) ?? 0)) : 0;
    return { now: before, rehearsed: before };
  }
}

const periodOf = (at: Date, period: KeySpending['period']): string =>
  period === 'total' ? '' : at.toISOString().slice(0, period === 'day' ? 10 : 7);
