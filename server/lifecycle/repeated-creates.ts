/**
 * Recognizes repeated creates without an `Idempotency-Key`, within the transaction that accepts
 * them. A task whose response was not received is given to the next identical create, once. A
 * create with a retry mark gets the newest task of an identical create with a lower mark.
 */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Transaction } from '../database/database.ts';
import {
  findRecentCreates,
  type RecentCreate,
  type RequestRef,
  requestName,
  saveRecentCreates,
} from '../tasks/recent-creates.ts';

export type Repetition = RequestRef & {
  /** The retry mark of the client, 0 with its first request; null if it sends none. */
  readonly retryCount: number | null;
};

type KnownTask = Pick<RecentCreate, 'taskId' | 'credits'>;
type RepeatedCreate = KnownTask & Pick<RecentCreate, 'isUndelivered' | 'isErased'>;
type RepeatableCreate = { readonly repetition?: Repetition | null };

export type UndeliveredRequests = {
  has(request: RequestRef): boolean;
  add(request: RequestRef, taskId: Promise<string | null>): void;
  isBeingNoted(request: RequestRef): boolean;
  whenNoted(request: RequestRef): Promise<void>;
  hasRecentTask(tx: Transaction, create: IdenticalCreate): Promise<boolean>;
};

export const nothingUndelivered: UndeliveredRequests = {
  has: () => false,
  add: () => {},
  isBeingNoted: () => false,
  whenNoted: async () => {},
  hasRecentTask: async () => false,
};

export type IdenticalCreate = RepeatableCreate & {
  readonly accountId: string;
  readonly mode: KeyMode;
};

export class RepeatedCreates {
  readonly #known: Map<string, RecentCreate[]>;
  readonly #changed = new Set<RecentCreate>();

  constructor(known: readonly RecentCreate[]) {
    this.#known = Map.groupBy(known, requestName);
  }

  /** Returns the task of an earlier identical create that this one repeats. */
  take({ repetition }: RepeatableCreate): RepeatedCreate | null {
    if (!repetition || this.#known.size === 0) return null;
    const retryCount = repetition.retryCount ?? 0;
    const known = this.#known.get(requestName(repetition));
    const undelivered = known?.find((one) => one.isUndelivered);
    const found = undelivered ?? known?.findLast((one) => one.retryCount < retryCount);
    if (!found) return null;
    const { taskId, credits, isUndelivered, isErased } = found;
    found.isUndelivered = false;
    found.retryCount = Math.max(found.retryCount, retryCount);
    this.#changed.add(found);
    return { taskId, credits, isUndelivered, isErased };
  }

  /** Records an accepted create if it has a retry mark, even 0: a retry may follow. */
  add({ repetition }: RepeatableCreate, { taskId, credits }: KnownTask): void {
    if (!repetition || repetition.retryCount === null) return;
    const { keyId, requestDigest, retryCount } = repetition;
    const isNew = { isUndelivered: false, isErased: false };
    const added = { keyId, requestDigest, taskId, credits, retryCount, ...isNew };
    const name = requestName(repetition);
    this.#known.set(name, [...(this.#known.get(name) ?? []), added]);
    this.#changed.add(added);
  }

  async flush(tx: Transaction): Promise<void> {
    await saveRecentCreates(tx, [...this.#changed]);
  }
}

/** Needs no statement unless a create has a retry mark, or a response was not received. */
export async function findRepeatedCreates(
  tx: Transaction,
  creates: readonly RepeatableCreate[],
  undelivered: UndeliveredRequests,
): Promise<RepeatedCreates> {
  const refs = new Map<string, RequestRef>();
  for (const { repetition } of creates) {
    if (!repetition || !(repetition.retryCount || undelivered.has(repetition))) continue;
    const { keyId, requestDigest } = repetition;
    refs.set(requestName(repetition), { keyId, requestDigest });
  }
  return new RepeatedCreates(await findRecentCreates(tx, [...refs.values()]));
}
