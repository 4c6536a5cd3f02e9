/**
 * Recognizes repeated creates without an `Idempotency-Key`, within the transaction that accepts
 * them. A task whose response was not received is given to the next identical create, once. A
 * create with a retry mark gets the newest task of an identical create with a lower mark.
 */
import type { Transaction } from '../database/database.ts';
import {
  findRecentCreates,
  type RecentCreate,
  type RequestRef,
  requestName,
  saveRecentCreates,
} from '../tasks/recent-creates.ts';
import type { AcceptedTask } from './accept.ts';

export type Repetition = {
  readonly requestDigest: string;
  /** The retry mark of the client, 0 with its first request; null if it sends none. */
  readonly retryCount: number | null;
};

type RepeatableCreate = { readonly keyId: string; readonly repetition?: Repetition | null };

export type UndeliveredRequests = {
  has(request: RequestRef): boolean;
  add(request: RequestRef, taskId: Promise<string | null>): void;
};

export const requestRefOf = ({ keyId, repetition }: RepeatableCreate): RequestRef | null =>
  repetition ? { keyId, requestDigest: repetition.requestDigest } : null;

export class RepeatedCreates {
  readonly #known: Map<string, RecentCreate[]>;
  readonly #changed = new Set<RecentCreate>();

  constructor(known: readonly RecentCreate[]) {
    this.#known = Map.groupBy(known, requestName);
  }

  /** Returns the task of an earlier identical create that this one repeats. */
  take(create: RepeatableCreate): (AcceptedTask & { readonly isUndelivered: boolean }) | null {
    const request = requestRefOf(create);
    const retryCount = create.repetition?.retryCount ?? 0;
    const known = request && this.#known.get(requestName(request));
    const undelivered = known?.find((one) => one.isUndelivered);
    const found = undelivered ?? known?.findLast((one) => one.retryCount < retryCount);
    if (!found) return null;
    const { taskId, credits, isUndelivered } = found;
    found.isUndelivered = false;
    found.retryCount = Math.max(found.retryCount, retryCount);
    this.#changed.add(found);
    return { taskId, credits, isUndelivered };
  }

  /** Records an accepted create if it has a retry mark, even 0: a retry may follow. */
  add(create: RepeatableCreate, { taskId, credits }: AcceptedTask): void {
    const request = requestRefOf(create);
    const retryCount = create.repetition?.retryCount ?? null;
    if (!request || retryCount === null) return;
    const added = { ...request, taskId, credits, retryCount, isUndelivered: false };
    const name = requestName(request);
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
  const refs = creates.flatMap((create) => {
    const request = requestRefOf(create);
    if (!request) return [];
    return create.repetition?.retryCount || undelivered.has(request) ? [request] : [];
  });
  const unique = new Map(refs.map((request) => [requestName(request), request]));
  return new RepeatedCreates(await findRecentCreates(tx, [...unique.values()]));
}
