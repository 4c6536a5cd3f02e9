/**
 * Recognizes repeated creates without an `Idempotency-Key`, within the transaction that accepts
 * them. A task whose response was not received is given to the next identical create, once. A
 * create with a retry mark gets the newest task of an identical create with a lower mark, unless
 * its client has named that task since.
 */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Transaction } from '../database/database.ts';
import {
  findRecentCreates,
  type RecentCreate,
  type RequestRef,
  requestName,
  saveRecentCreates,
  type UndeliveredCreate,
} from '../tasks/recent-creates.ts';

export type Repetition = RequestRef & {
  /** The retry mark of the client, 0 with its first request; null if it sends none. */
  readonly retryCount: number | null;
};

type KnownTask = Pick<RecentCreate, 'taskId' | 'credits'>;
type RepeatedCreate = KnownTask & Pick<RecentCreate, 'isUndelivered' | 'isErased'>;
type RepeatableCreate = { readonly repetition?: Repetition | null };

export type UndeliveredRequests = {
  /** Whether other processes may have noted requests that this one does not know of. */
  readonly isShared: boolean;
  has(request: RequestRef): boolean;
  /** Whether a task was noted for this request at that time (of `monotonicMs`) or later. */
  isNotedSince(request: RequestRef, sinceMs: number): boolean;
  remember(create: UndeliveredCreate): void;
  rememberMarked(taskId: string): void;
  add(request: RequestRef, taskId: Promise<string | null>): void;
  isBeingNoted(request: RequestRef): boolean;
  whenNoted(request: RequestRef): Promise<void>;
  hasRecentTask(tx: Transaction, create: IdenticalCreate): Promise<boolean>;
};

export const nothingUndelivered: UndeliveredRequests = {
  isShared: false,
  has: () => false,
  isNotedSince: () => false,
  remember: () => {},
  rememberMarked: () => {},
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
    this.#record(repetition, { taskId, credits });
  }

  /** Records that the client has gone, so that its next identical create gets this task. */
  abandon(repetition: Repetition, task: KnownTask): void {
    const known = this.#known.get(requestName(repetition)) ?? [];
    const found = known.find(({ taskId }) => taskId === task.taskId);
    const abandoned = found ?? this.#record(repetition, task);
    abandoned.isUndelivered = true;
    this.#changed.add(abandoned);
  }

  #record(repetition: Repetition, task: KnownTask): RecentCreate {
    const { keyId, requestDigest } = repetition;
    const retryCount = repetition.retryCount ?? 0;
    const isNew = { isUndelivered: false, isErased: false };
    const added = { keyId, requestDigest, ...task, retryCount, ...isNew };
    const name = requestName(repetition);
    this.#known.set(name, [...(this.#known.get(name) ?? []), added]);
    this.#changed.add(added);
    return added;
  }

  async flush(tx: Transaction): Promise<void> {
    await saveRecentCreates(tx, [...this.#changed]);
  }
}

/**
 * If this is the only process, needs no statement unless a create has a retry mark, or a response
 * was not received.
 */
export async function findRepeatedCreates(
  tx: Transaction,
  creates: readonly RepeatableCreate[],
  undelivered: UndeliveredRequests,
): Promise<RepeatedCreates> {
  const refs = new Map<string, RequestRef>();
  for (const { repetition } of creates) {
    if (!repetition) continue;
    if (!undelivered.isShared && !repetition.retryCount && !undelivered.has(repetition)) continue;
    const { keyId, requestDigest } = repetition;
    refs.set(requestName(repetition), { keyId, requestDigest });
  }
  return new RepeatedCreates(await findRecentCreates(tx, [...refs.values()]));
}
