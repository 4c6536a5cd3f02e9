/**
 * Slots for work that keeps a CPU busy, and which waiting request gets the next one. Accounts take
 * turns, so one account's many long renders do not delay another's short one.
 */
import { linkSignals, sleep } from '../../process/clock.ts';

export type SlotRequest = {
  readonly accountId: string;
  /** Sorts by creation time. */
  readonly taskId: string;
  /** Expected duration in any unit; the shortest of an account comes first. */
  readonly size: number;
  readonly isTest: boolean;
  /** Only one at a time: it needs three times the memory of others. */
  readonly isLarge: boolean;
};

type SlotState = {
  readonly slots: number;
  readonly active: readonly SlotRequest[];
  /** When each account last got a slot, as an increasing number. */
  readonly lastGrants: ReadonlyMap<string, number>;
};

/** The most slots of test keys, so that they never block live tasks. */
const testSlotsMax = (slots: number): number => Math.max(1, Math.floor(slots / 2));

/** Returns the waiting request that gets a slot now, or null. */
export function nextInLine<One extends SlotRequest>(
  waiting: Iterable<One>,
  { slots, active, lastGrants }: SlotState,
): One | null {
  if (active.length >= slots) return null;
  const testsFull = active.filter(({ isTest }) => isTest).length >= testSlotsMax(slots);
  const largeFull = active.some(({ isLarge }) => isLarge);
  const rankOf = ({ accountId, size, taskId }: SlotRequest) =>
    [
      // The account with the fewest slots, then the one whose last slot is longest ago.
      active.filter((other) => other.accountId === accountId).length,
      lastGrants.get(accountId) ?? 0,
      size,
      taskId,
    ] as const;
  let first: { readonly one: One; readonly rank: ReturnType<typeof rankOf> } | null = null;
  for (const one of waiting) {
    if ((one.isTest && testsFull) || (one.isLarge && largeFull)) continue;
    const rank = rankOf(one);
    if (!first || isBefore(rank, first.rank)) first = { one, rank };
  }
  return first?.one ?? null;
}

/**
 * Returns the request to drop when too many wait: the longest of the account with the most waiting.
 */
export function nextEvicted<One extends SlotRequest>(waiting: readonly One[]): One | null {
  const waitingByAccount = Map.groupBy(waiting, ({ accountId }) => accountId);
  const rankOf = ({ accountId, size, taskId }: SlotRequest) =>
    [waitingByAccount.get(accountId)!.length, size, taskId] as const;
  return waiting.reduce<One | null>(
    (last, one) => (last && isBefore(rankOf(one), rankOf(last)) ? last : one),
    null,
  );
}

type Rank = readonly (number | string)[];

function isBefore(one: Rank, other: Rank): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && one[at]! < other[at]!;
}

export type SlotGrant =
  | { readonly outcome: 'granted'; readonly release: () => void }
  /** No slot became free in time, or the signal was aborted. */
  | { readonly outcome: 'timed_out' }
  /** Too many wait; the request should come back later. */
  | { readonly outcome: 'queue_full' };

type SlotWait = { readonly waitMs?: number; readonly signal: AbortSignal };

/** Each waiting poll holds a lease. This many are enough for a fair choice. */
export const waitingMax = 32;
const accountsTrackedMax = 1_000;

type WaitingRequest = SlotRequest & { readonly settle: (grant: SlotGrant) => void };

export class RenderSlots {
  readonly #slots: number;
  readonly #active = new Set<SlotRequest>();
  readonly #waiting = new Set<WaitingRequest>();
  readonly #lastGrants = new Map<string, number>();
  #grantCount = 0;

  constructor(slots: number) {
    this.#slots = Math.max(1, slots);
  }

  /** Waits for a slot; without `waitMs` there is no time limit. */
  async acquire(request: SlotRequest, { waitMs, signal }: SlotWait): Promise<SlotGrant> {
    if (signal.aborted) return { outcome: 'timed_out' };
    const settled = new AbortController();
    let grant: SlotGrant = { outcome: 'timed_out' };
    const waiting: WaitingRequest = {
      ...request,
      settle: (result) => {
        grant = result;
        settled.abort();
      },
    };
    this.#waiting.add(waiting);
    this.#grantNext();
    const evicted = this.#waiting.size > waitingMax ? nextEvicted([...this.#waiting]) : null;
    if (evicted) this.#settle(evicted, { outcome: 'queue_full' });
    // The longest timer of Node, far beyond any task's deadline.
    using ended = linkSignals([signal, settled.signal]);
    await sleep(waitMs ?? 2 ** 31 - 1, ended.signal);
    this.#waiting.delete(waiting);
    return grant;
  }

  #settle(waiting: WaitingRequest, grant: SlotGrant): void {
    this.#waiting.delete(waiting);
    waiting.settle(grant);
  }

  #grantNext(): void {
    for (;;) {
      const active = [...this.#active];
      const slots = this.#slots;
      const next = nextInLine(this.#waiting, { slots, active, lastGrants: this.#lastGrants });
      if (!next) return;
      this.#active.add(next);
      this.#recordGrant(next.accountId);
      this.#settle(next, { outcome: 'granted', release: () => this.#release(next) });
    }
  }

  #release(request: SlotRequest): void {
    if (this.#active.delete(request)) this.#grantNext();
  }

  #recordGrant(accountId: string): void {
    this.#grantCount += 1;
    this.#lastGrants.delete(accountId);
    this.#lastGrants.set(accountId, this.#grantCount);
    const [oldest] = this.#lastGrants.keys();
    if (this.#lastGrants.size > accountsTrackedMax) this.#lastGrants.delete(oldest!);
  }
}
