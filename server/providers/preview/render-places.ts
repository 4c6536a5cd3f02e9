/**
 * Places for work that keeps a core busy, and who gets the next one. A freed place is taken at once
 * by whoever comes first in `chooseNext`: nobody's twenty long clips keep another's short one out.
 */
import { sleep } from '../../clock.ts';

export type Claimant = {
  readonly accountId: string;
  /** Sorts by creation. */
  readonly taskId: string;
  /** How long the work takes, in any unit: the shortest of an account goes first. */
  readonly size: number;
  readonly isTest: boolean;
  /** One at a time: it takes three times the memory of any other. */
  readonly isLarge: boolean;
};

export type Seating = {
  readonly places: number;
  readonly seated: readonly Claimant[];
  /** When each account was last given a place, as a number that only grows. */
  readonly lastTurns: ReadonlyMap<string, number>;
};

/** What keys for trying things out may have of all places, so that they never hold up the rest. */
export const testPlacesMax = (places: number): number => Math.max(1, Math.floor(places / 2));

/** Of those who wait, the one to be seated now; null when nobody may be. */
export function chooseNext<One extends Claimant>(
  waiting: Iterable<One>,
  { places, seated, lastTurns }: Seating,
): One | null {
  if (seated.length >= places) return null;
  const testsFull = seated.filter(({ isTest }) => isTest).length >= testPlacesMax(places);
  const largeFull = seated.some(({ isLarge }) => isLarge);
  const rankOf = ({ accountId, size, taskId }: Claimant) =>
    [
      // Who has the fewest places now, then who had one longest ago: accounts take turns.
      seated.filter((other) => other.accountId === accountId).length,
      lastTurns.get(accountId) ?? 0,
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
export function chooseToLeave<One extends Claimant>(waiting: readonly One[]): One | null {
  const crowd = Map.groupBy(waiting, ({ accountId }) => accountId);
  const rankOf = ({ accountId, size, taskId }: Claimant) =>
    [crowd.get(accountId)!.length, size, taskId] as const;
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

export type Seat =
  | { readonly outcome: 'seated'; readonly release: Release }
  /** Nothing became free in time, or the signal fired. */
  | { readonly outcome: 'waited' }
  /** So many wait that this one had better come back later. */
  | { readonly outcome: 'crowded' };

export type Patience = { readonly waitMs?: number; readonly signal: AbortSignal };

/** Waiting looks hold a lease each: so many are a good choice to choose from, and no load. */
export const waitingMax = 32;
const accountsRememberedMax = 1_000;

type Waiting = Claimant & { readonly told: (seat: Seat) => void };

export class RenderPlaces {
  readonly #places: number;
  readonly #seated = new Set<Claimant>();
  readonly #waiting = new Set<Waiting>();
  readonly #lastTurns = new Map<string, number>();
  #turn = 0;

  constructor(places: number) {
    this.#places = Math.max(1, places);
  }

  /** Waits for a place; without `waitMs` for as long as it takes. */
  async take(claimant: Claimant, { waitMs, signal }: Patience): Promise<Seat> {
    if (signal.aborted) return { outcome: 'waited' };
    const over = new AbortController();
    let seat: Seat = { outcome: 'waited' };
    const waiting: Waiting = {
      ...claimant,
      told: (answer) => {
        seat = answer;
        over.abort();
      },
    };
    this.#waiting.add(waiting);
    this.#seatNext();
    const tooMany = this.#waiting.size > waitingMax ? chooseToLeave([...this.#waiting]) : null;
    if (tooMany) this.#tell(tooMany, { outcome: 'crowded' });
    // A timer of Node's goes no further than this; it is far beyond any task's deadline.
    await sleep(waitMs ?? 2 ** 31 - 1, AbortSignal.any([signal, over.signal]));
    this.#waiting.delete(waiting);
    return seat;
  }

  #tell(waiting: Waiting, seat: Seat): void {
    this.#waiting.delete(waiting);
    waiting.told(seat);
  }

  #seatNext(): void {
    for (;;) {
      const seated = [...this.#seated];
      const places = this.#places;
      const next = chooseNext(this.#waiting, { places, seated, lastTurns: this.#lastTurns });
      if (!next) return;
      this.#seated.add(next);
      this.#remember(next.accountId);
      this.#tell(next, { outcome: 'seated', release: () => this.#release(next) });
    }
  }

  #release(claimant: Claimant): void {
    if (this.#seated.delete(claimant)) this.#seatNext();
  }

  #remember(accountId: string): void {
    this.#turn += 1;
    this.#lastTurns.delete(accountId);
    this.#lastTurns.set(accountId, this.#turn);
    const [oldest] = this.#lastTurns.keys();
    if (this.#lastTurns.size > accountsRememberedMax) this.#lastTurns.delete(oldest!);
  }
}
