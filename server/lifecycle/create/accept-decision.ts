/**
 * Decides the outcome of each create of a batch, from what its transaction has read and locked, and
 * the API errors of creates that were not accepted.
 */

import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { accountInactive } from '../../accounts/suspension.ts';
import type { Transaction } from '../../database/database.ts';
import type { LedgerSession } from '../../ledger/ledger.ts';
import { idempotencyName, type UsedIdempotencyKey } from '../../tasks/idempotency.ts';
import type { NewTask } from '../../tasks/store.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import type { RequestRef } from '../../tasks/undelivered-creates.ts';
import { type CreateLimits, type LimitOutcome, limitError } from './create-limits.ts';
import type { UndeliveredMatches } from './undelivered-creates.ts';

export type CreateTask = Omit<NewTask, 'id' | 'model'> & {
  readonly idempotency: { readonly key: string; readonly requestDigest: string } | null;
  /** By which undelivered creates are recognized; null with an idempotency key. */
  readonly requestRef: RequestRef | null;
  /** Whether the client has gone, so that it cannot receive the response. */
  readonly isDisconnected: () => boolean;
  /** Throws an `ApiError` in the commit if a person lost the right; keys are always checked. */
  readonly reauthorize?: Reauthorize | undefined;
};

type Reauthorize = (tx: Transaction, options: { readonly lock: true }) => Promise<void>;

export type AcceptedTask = {
  readonly taskId: string;
  readonly credits: number;
  /** Whether the same commit recorded that the response will not be delivered. */
  readonly isRecorded?: true;
};
export type AcceptOutcome =
  | ({ readonly outcome: 'accepted' | 'repeated' | 'adopted' } & AcceptedTask)
  | { readonly outcome: 'disconnected' }
  | { readonly outcome: 'key_reused' }
  /** It repeats a create whose task was deleted. */
  | { readonly outcome: 'erased' }
  | { readonly outcome: 'insufficient'; readonly available: number }
  | { readonly outcome: 'closed' }
  | LimitOutcome
  /** The key, its account or the person lost the right after the request was authorized. */
  | { readonly outcome: 'unauthorized'; readonly error: ApiError };

export type AcceptDecision = {
  readonly create: CreateTask;
  readonly taskId: string;
  readonly outcome: AcceptOutcome;
};

/** In order of arrival; a key accepted earlier in the batch counts like one committed before. */
export function decideOutcomes(
  creates: readonly CreateTask[],
  {
    ledger,
    records,
    lostRights,
    undelivered,
    limits,
  }: {
    ledger: LedgerSession;
    records: readonly (UsedIdempotencyKey | null)[];
    lostRights: ReadonlyMap<CreateTask, ApiError>;
    undelivered: UndeliveredMatches;
    limits: CreateLimits;
  },
): AcceptDecision[] {
  const known = new Map<string, { requestDigest: string; isErased?: boolean } & AcceptedTask>();
  for (const found of records) if (found) known.set(idempotencyName(found), found);
  return creates.map((create) => {
    const { accountId, mode, idempotency, credits } = create;
    const name = idempotency && idempotencyName({ ...create, key: idempotency.key });
    const first = name ? known.get(name) : undefined;
    const taskId = newTaskId(ledger.transactionTime(create).getTime());
    const error = lostRights.get(create);
    if (error) {
      const isClosed = ledger.isClosed(create);
      const outcome = isClosed ? { outcome: 'closed' as const } : unauthorized(error);
      return { create, taskId, outcome };
    }
    if (first && idempotency) {
      const same = first.requestDigest === idempotency.requestDigest;
      if (same && first.isErased) return { create, taskId, outcome: { outcome: 'erased' } };
      const { taskId: firstId, credits: firstCredits } = first;
      const repeated = { outcome: 'repeated', taskId: firstId, credits: firstCredits } as const;
      return { create, taskId, outcome: same ? repeated : { outcome: 'key_reused' } };
    }
    if (create.requestRef && create.isDisconnected()) {
      return { create, taskId, outcome: { outcome: 'disconnected' } };
    }
    const earlier = undelivered.take(create.requestRef);
    if (earlier) return { create, taskId, outcome: { outcome: 'adopted', ...earlier } };
    const exceeded = limits.check(create);
    if (exceeded) return { create, taskId, outcome: exceeded };
    const reserved = ledger.reserve({ accountId, mode, taskId, credits });
    if (reserved.outcome !== 'reserved') return { create, taskId, outcome: reserved };
    if (name && idempotency) {
      known.set(name, { requestDigest: idempotency.requestDigest, taskId, credits });
    }
    limits.add(create);
    return { create, taskId, outcome: { outcome: 'accepted', taskId, credits } };
  });
}

const unauthorized = (error: ApiError): AcceptOutcome => ({ outcome: 'unauthorized', error });

/** Returns the accepted task, or throws the API error that says why it was not accepted. */
export function acceptedOrThrow(outcome: AcceptOutcome, credits: number): AcceptedTask {
  switch (outcome.outcome) {
    case 'accepted':
    case 'repeated':
    case 'adopted':
      return outcome;
    case 'key_reused':
      throw idempotencyKeyReused();
    case 'erased':
      throw repeatedTaskErased();
    case 'disconnected':
      throw invalidRequest('The client closed the connection.');
    case 'insufficient':
      throw insufficientCredits({ required: credits, available: outcome.available });
    case 'capped':
    case 'too_many_running':
      throw limitError(outcome, credits);
    case 'unauthorized':
      throw outcome.error;
    case 'closed':
      throw accountInactive('closed');
  }
}

export const idempotencyKeyReused = (): ApiError =>
  invalidRequest(
    'This Idempotency-Key was already used with a different request in the last 24 hours; use a ' +
      'new key or repeat the original request.',
  );

export const repeatedTaskErased = (): ApiError =>
  invalidRequest(
    'This request repeats a create whose task was deleted; to create another task, send it with ' +
      'a new Idempotency-Key.',
  );

export const insufficientCredits = (figures: { required: number; available: number }): ApiError =>
  new ApiError(
    'insufficient_credits',
    `This task costs ${figures.required} credits but only ${figures.available} are available; ` +
      'top up, or choose a shorter video or a lower resolution.',
    figures,
  );
