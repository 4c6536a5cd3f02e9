/**
 * What other prices, another provider or other costs would have made of the last 30 days. Tasks are
 * read in pages and in the order of their creation, so that balances and caps are followed as they
 * were used; nothing is written. Customers are taken to order the same.
 */
import type { Costs } from '@vidgen/contract/costs.ts';
import { type CustomerPrices, creditsAt } from '@vidgen/contract/price.ts';
import { findAccountPrices } from '../accounts/account.ts';
import { findKeySpending, type KeySpending } from '../accounts/keys/key-spending.ts';
import { withPrices } from '../catalog/customer-prices.ts';
import type { Model } from '../catalog/models.ts';
import { findAvailableAfter } from '../ledger/entries.ts';
import { ruleCost } from '../providers/costs.ts';
import {
  findRehearsalStart,
  type RehearsedTask,
  readRehearsedTasks,
  sumKeyCredits,
} from '../tasks/rehearsed-tasks.ts';
import type { LifecycleContext } from './context.ts';

export type WhatIf = {
  /** Whose prices change; null: the list prices. */
  readonly accountId: string | null;
  readonly percent: number | null;
  readonly rates: CustomerPrices['rates'];
  /** By model: those of another provider, or given ones. */
  readonly costs: Readonly<Record<string, Costs>>;
};

export type Figures = { tasks: number; credits: number; costMicros: number; costUnknown: number };
export type Rehearsed = {
  readonly now: Figures;
  readonly rehearsed: Figures;
  refusedBalance: number;
  refusedCap: number;
};

const tasksPerPage = 2000;

const noFigures = (): Figures => ({ tasks: 0, credits: 0, costMicros: 0, costUnknown: 0 });
export const emptyRehearsal = (): Rehearsed => ({
  now: noFigures(),
  rehearsed: noFigures(),
  refusedBalance: 0,
  refusedCap: 0,
});

export async function rehearsePrices(
  lifecycle: Pick<LifecycleContext, 'db' | 'catalog' | 'settings'>,
  whatIf: WhatIf,
  options: { readonly since: Date; readonly tasksMax: number; readonly signal: AbortSignal },
) {
  const { db } = lifecycle;
  const { since, tasksMax, signal } = options;
  const accounts = new Map<string, Rehearsed>();
  const replay = new Replay();
  const left = await findRehearsalStart(db, { since, tasksMax });
  let after = left;
  let counted = { tasks: 0, unpriced: 0, first: null as Date | null };
  const prices = new Map<string, CustomerPrices | null>();
  for (;;) {
    signal.throwIfAborted();
    const tasks = await readRehearsedTasks(db, { since, after, max: tasksPerPage });
    const unknown = [...new Set(tasks.map((task) => task.accountId))].filter(
      (id) => !prices.has(id),
    );
    for (const [id, one] of await findAccountPrices(db, unknown)) prices.set(id, one);
    const keyIds = [...new Set(tasks.map(({ keyId }) => keyId))].filter((id) => !replay.hasKey(id));
    const reserved = await sumKeyCredits(db, { keyIds, since });
    replay.addKeys(keyIds, await findKeySpending(db, keyIds), reserved);
    const available = await findAvailableAfter(
      db,
      tasks.map(({ id }) => id),
    );
    for (const task of tasks) {
      const own = prices.get(task.accountId) ?? null;
      const credits = creditsIf(lifecycle.catalog.find(task.generation.model), task, whatIf, own);
      counted = {
        tasks: counted.tasks + 1,
        unpriced: counted.unpriced + Number(credits === null),
        first: counted.first ?? task.createdAt,
      };
      const account = accounts.get(task.accountId) ?? emptyRehearsal();
      accounts.set(task.accountId, account);
      const next = credits ?? task.credits;
      const refused = replay.refusal(task, next, available.get(task.id) ?? null);
      if (refused === 'balance') account.refusedBalance += 1;
      if (refused === 'cap') account.refusedCap += 1;
      addTask(lifecycle, account, { task, credits: refused ? null : next, whatIf });
    }
    if (tasks.length < tasksPerPage) break;
    after = tasks.at(-1)!.id;
  }
  return { accounts, isPartial: left !== '', ...counted };
}

function addTask(
  { settings: { currency } }: Pick<LifecycleContext, 'settings'>,
  { now, rehearsed }: Rehearsed,
  // `credits`: null if it would have been refused.
  { task, credits, whatIf }: { task: RehearsedTask; credits: number | null; whatIf: WhatIf },
): void {
  const isCharged = task.billingStatus === 'charged';
  const add = (to: Figures, charged: number, micros: number | null): void => {
    to.tasks += Number(isCharged);
    to.credits += isCharged ? charged : 0;
    to.costMicros += micros ?? task.costMicros;
    to.costUnknown += Number(micros === null && task.isCostUnknown);
  };
  add(now, task.credits, null);
  if (credits === null) return;
  const costs = whatIf.costs[task.generation.model];
  if (!costs || !isCharged) {
    add(rehearsed, credits, null);
    return;
  }
  const generation = { ...task.generation, prompt: '' };
  const cost = ruleCost(costs, { generation, pricedSeconds: task.pricedSeconds, currency });
  add(rehearsed, credits, cost?.micros ?? 0);
  rehearsed.costUnknown += Number(cost === null);
}

/** Null if nothing says its price; the credits of the task if its price does not change. */
function creditsIf(
  listed: Model | undefined,
  { accountId, generation, pricedSeconds, credits }: RehearsedTask,
  whatIf: WhatIf,
  own: CustomerPrices | null,
): number | null {
  const { percent } = whatIf;
  const fixed = whatIf.rates?.[generation.model]?.[generation.resolution];
  const isOther = whatIf.accountId !== null && whatIf.accountId !== accountId;
  if (isOther || (percent === null && !fixed)) return credits;
  const model = listed && modelIf(listed, whatIf, own);
  const rate = model?.rates[generation.resolution];
  const seconds = pricedSeconds ?? generation.duration;
  if (!model || !rate || seconds <= 0) return null;
  const { videoUrls, inputSecondsMax } = generation;
  // The lengths of several videos are not stored: they count as the longest.
  const longest = model.limits.reference.video.combinedSecondsMax;
  const known = videoUrls.length === 1 ? (inputSecondsMax ?? longest) : longest;
  const inputSeconds = videoUrls.length === 0 ? null : known;
  return creditsAt(rate, { seconds, hasSound: generation.generateAudio, inputSeconds });
}

function modelIf(listed: Model, whatIf: WhatIf, own: CustomerPrices | null): Model {
  const { accountId, percent, rates } = whatIf;
  if (accountId !== null) {
    const prices = { percent: percent ?? own?.percent ?? null, rates: rates ?? own?.rates ?? null };
    return withPrices(listed, prices);
  }
  const list = withPrices(listed, { percent, rates });
  return withPrices(list, own);
}

type CappedKey = KeySpending & { readonly before: number };

/** Follows balances and caps of keys from task to task. */
class Replay {
  readonly #keys = new Map<string, CappedKey | null>();
  readonly #used = new Map<string, { now: number; rehearsed: number }>();
  /** Credits that an account has less than it had, by account. */
  readonly #less = new Map<string, number>();

  hasKey(id: string): boolean {
    return this.#keys.has(id);
  }

  addKeys(
    ids: readonly string[],
    caps: ReadonlyMap<string, KeySpending>,
    reserved: ReadonlyMap<string, number>,
  ): void {
    for (const id of ids) {
      const cap = caps.get(id);
      const before = Math.max(0, (cap?.used ?? 0) - (reserved.get(id) ?? 0));
      this.#keys.set(id, cap ? { ...cap, before: cap.period === 'total' ? before : 0 } : null);
    }
  }

  /** Why the task would have been refused at this price; else counts it. */
  refusal(task: RehearsedTask, credits: number, after: number | null): 'balance' | 'cap' | null {
    const isKept = task.billingStatus !== 'refunded';
    const less = this.#less.get(task.accountId) ?? 0;
    const cap = this.#keys.get(task.keyId);
    const period = cap ? `${cap.keyId} ${periodOf(task.createdAt, cap.period)}` : '';
    const before = cap?.before ?? 0;
    const used = this.#used.get(period) ?? { now: before, rehearsed: before };
    // The cap is that of today: what exceeded it then says nothing about the prices.
    const isCapped =
      cap && used.rehearsed + credits > cap.cap && used.now + task.credits <= cap.cap;
    const isPoor = after !== null && after - less + task.credits - credits < 0;
    const refused = isPoor ? 'balance' : isCapped ? 'cap' : null;
    if (isKept) {
      const charged = refused ? 0 : credits;
      this.#less.set(task.accountId, less + charged - task.credits);
      const next = { now: used.now + task.credits, rehearsed: used.rehearsed + charged };
      if (cap) this.#used.set(period, next);
    }
    return refused;
  }
}

const periodOf = (at: Date, period: KeySpending['period']): string =>
  period === 'total' ? '' : at.toISOString().slice(0, period === 'day' ? 10 : 7);
