/**
 * Places for work that keeps a core busy, and who gets the next one. A freed place is taken at once
 * by whoever comes first in `chooseNext`: nobody's twenty long clips keep another's short one out.
 */
import { sleep } from '../../clock.ts';

export type SlotRequest = {
  readonly accountId: string;
  /** Sorts by creation. */
  readonly taskId: string;
  /** How long the work takes, in any unit: the shortest of an account goes first. */
  readonly size: number;
  readonly isTest: boolean;
  /** One at a time: it takes three times the memory of any other. */
  readonly isLarge: boolean;
};

export type SlotState = {
  readonly slots: number;
  readonly active: readonly SlotRequest[];
  /** When each account was last given a place, as a number that only grows. */
  readonly lastGrants: ReadonlyMap<string, number>;
};

/** What keys for trying things out may have of all places, so that they never hold up the rest. */
export const testSlotsMax = (slots: number): number => Math.max(1, Math.floor(slots / 2));

/** Of those who wait, the one to be seated now; null when nobody may be. */
export function nextInLine<One extends SlotRequest>(
  waiting: Iterable<One>,
  { slots, active, lastGrants }: SlotState,
): One | null {
  if (active.length >= slots) return null;
  const testsFull = active.filter(({ isTest }) => isTest).length >= testSlotsMax(slots);
  const largeFull = active.some(({ isLarge }) => isLarge);
  const rankOf = ({ accountId, size, taskId }: SlotRequest) =>
    [
      // Who has the fewest places now, then who had one longest ago: accounts take turns.
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

/** When more wait than there is room for: the longest of the account that has the most waiting. */
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

export type Release = () => void;

export type SlotGrant =
  | { readonly outcome: 'granted'; readonly release: Release }
  /** Nothing became free in time, or the signal fired. */
  | { readonly outcome: 'timed_out' }
  /** So many wait that this one had better come back later. */
  | { readonly outcome: 'queue_full' };

export type SlotWait = { readonly waitMs?: number; readonly signal: AbortSignal };

/** Waiting looks hold a lease each: so many are a good choice to choose from, and no load. */
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

  /** Waits for a place; without `waitMs` for as long as it takes. */
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
    // A timer of Node's goes no further than this; it is far beyond any task's deadline.
    await sleep(waitMs ?? 2 ** 31 - 1, AbortSignal.any([signal, settled.signal]));
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
