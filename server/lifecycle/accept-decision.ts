/** Decides the outcome of each create of a batch, from what its transaction has read and locked. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { ApiError } from '../api-error.ts';
import type { Transaction } from '../database/database.ts';
import type { LedgerSession } from '../ledger/ledger.ts';
import type { UsedIdempotencyKey } from '../tasks/idempotency.ts';
import type { TaskDialect } from '../tasks/task.ts';
import { newTaskId } from '../tasks/task-id.ts';
import type { CreateLimits, LimitOutcome } from './create-limits.ts';
import type { RepeatedCreates, Repetition } from './repeated-creates.ts';

export type CreateTask = {
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly generation: Generation;
  /** What the request names. Without it, the account's own webhook URL is stored. */
  readonly callbackUrl: string | null;
  readonly metadata?: Metadata | null;
  readonly credits: number;
  /** The seconds of output that `credits` pay for; only for edits. */
  readonly pricedSeconds?: number | null;
  /** Of the images, such as `HEIC`; null where it is not known. */
  readonly imageFormats?: readonly (string | null)[];
  readonly timeoutSeconds: number;
  readonly idempotency: { readonly key: string; readonly requestDigest: string } | null;
  /** How a repeated create without an idempotency key is recognized; null if it must not be. */
  readonly repetition?: Repetition | null;
  /** Whether the client has gone, so that it cannot receive the response any more. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Accepts nothing new: the outcome is `not_repeated` if it repeats no create. */
  readonly onlyIfRepeated?: true;
  /** ID of the HTTP request. A repeated create keeps the ID of the first on the task. */
  readonly requestId: string;
  /** The person who created the task in the playground; null for API keys. */
  readonly createdBy: string | null;
  /** Set by creates through the API of another vendor. */
  readonly dialect?: TaskDialect | undefined;
  /** Throws an `ApiError` in the commit if a person lost the right; keys are always checked. */
  readonly reauthorize?: Reauthorize | undefined;
};

type Reauthorize = (tx: Transaction, options: { readonly lock: true }) => Promise<void>;

export type AcceptedTask = {
  readonly taskId: string;
  readonly credits: number;
  /** Whether the same commit noted that the client has gone. */
  readonly isNoted?: true;
};
export type AcceptOutcome =
  | ({ readonly outcome: 'accepted' | 'repeated' | 'adopted' } & AcceptedTask)
  | { readonly outcome: 'not_repeated' }
  /** Its client has gone and repeated it, and the repeated create was faster. */
  | { readonly outcome: 'overtaken' }
  | { readonly outcome: 'key_reused' }
  /** It repeats a create whose task was deleted. */
  | { readonly outcome: 'erased' }
  | { readonly outcome: 'insufficient'; readonly available: number }
  | { readonly outcome: 'closed' }
  | LimitOutcome
  /** The key, its account or the person lost the right after the request was authorized. */
  | { readonly outcome: 'unauthorized'; readonly error: ApiError };

export type DecidedOutcome = Exclude<AcceptOutcome, { outcome: 'not_repeated' }>;

export type AcceptDecision = {
  readonly create: CreateTask;
  readonly taskId: string;
  readonly outcome: AcceptOutcome | Deferred;
};

/** An identical create of a client that has gone is still being noted: its task may be adopted. */
export type Deferred = { readonly outcome: 'deferred' };

/** In order of arrival; a key accepted earlier in the batch counts like one committed before. */
export function decideOutcomes(
  creates: readonly CreateTask[],
  {
    ledger,
    records,
    lostRights,
    repeats,
    overtaken,
    deferred,
    limits,
  }: {
    ledger: LedgerSession;
    records: readonly (UsedIdempotencyKey | null)[];
    lostRights: ReadonlyMap<CreateTask, ApiError>;
    repeats: RepeatedCreates;
    overtaken: ReadonlySet<CreateTask>;
    deferred: ReadonlySet<CreateTask>;
    limits: CreateLimits;
  },
): AcceptDecision[] {
  const known = new Map<string, { requestDigest: string; isErased?: boolean } & AcceptedTask>();
  for (const found of records) if (found) known.set(nameOf(found, found.key), found);
  return creates.map((create) => {
    const { idempotency, credits } = create;
    const name = idempotency && nameOf(create, idempotency.key);
    const first = name ? known.get(name) : undefined;
    const taskId = newTaskId(ledger.transactionTime(create).getTime());
    const error = lostRights.get(create);
    if (error) {
      const isClosed = ledger.isClosed(balanceKeyOf(create));
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
    if (overtaken.has(create)) return { create, taskId, outcome: { outcome: 'overtaken' } };
    if (deferred.has(create)) return { create, taskId, outcome: { outcome: 'deferred' } };
    const earlier = repeats.take(create);
    if (earlier) {
      const { isUndelivered, isErased, ...task } = earlier;
      if (isErased) return { create, taskId, outcome: { outcome: 'erased' } };
      const outcome = isUndelivered ? ('adopted' as const) : ('repeated' as const);
      return { create, taskId, outcome: { outcome, ...task } };
    }
    if (create.onlyIfRepeated) return { create, taskId, outcome: { outcome: 'not_repeated' } };
    const exceeded = limits.check(create);
    if (exceeded) return { create, taskId, outcome: exceeded };
    const reserved = ledger.reserve({ ...balanceKeyOf(create), taskId, credits });
    if (reserved.outcome !== 'reserved') return { create, taskId, outcome: reserved };
    if (name && idempotency) {
      known.set(name, { requestDigest: idempotency.requestDigest, taskId, credits });
    }
    repeats.add(create, { taskId, credits });
    limits.add(create);
    return { create, taskId, outcome: { outcome: 'accepted', taskId, credits } };
  });
}

const unauthorized = (error: ApiError): AcceptOutcome => ({ outcome: 'unauthorized', error });

const balanceKeyOf = ({ accountId, mode }: CreateTask) => ({ accountId, mode });

const nameOf = ({ accountId, mode }: { accountId: string; mode: KeyMode }, key: string): string =>
  JSON.stringify([accountId, mode, key]);
