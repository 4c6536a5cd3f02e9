/**
 * Accepts a create: reservation, ledger entry, task, idempotency key and `submit` job in one
 * commit.
 *
 * Creates that arrive while a commit is under way are accepted together, each with its own outcome,
 * in order of arrival. Balances are locked first and idempotency keys read in a later statement, so
 * that a duplicate committed by another process in between is seen.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { type LockedKey, lockActiveKeys } from '../accounts/api-key.ts';
import { lostKeyError } from '../accounts/authenticate.ts';
import { ApiError } from '../api-error.ts';
import { crashPoint } from '../crash-point.ts';
import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { type LedgerSession, lockBalances } from '../ledger/ledger.ts';
import type { Measurements } from '../measurements.ts';
import { enqueue } from '../queue/enqueue.ts';
import {
  findIdempotencyKeys,
  saveIdempotencyKeys,
  type UsedIdempotencyKey,
} from '../tasks/idempotency.ts';
import { insertTasks } from '../tasks/store.ts';
import type { TaskDialect } from '../tasks/task.ts';
import { newTaskId } from '../tasks/task-id.ts';
import type { LifecycleContext } from './context.ts';
import {
  type CreateLimits,
  type LimitOutcome,
  limitError,
  readCreateLimits,
} from './create-limits.ts';
import { noticeCaps } from './notice-caps.ts';
import {
  findRepeatedCreates,
  nothingUndelivered,
  type RepeatedCreates,
  type Repetition,
  type UndeliveredRequests,
} from './repeated-creates.ts';

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
type AcceptOutcome =
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

type AcceptDecision = {
  readonly create: CreateTask;
  readonly taskId: string;
  readonly outcome: AcceptOutcome | Deferred;
};

/** An identical create of a client that has gone is still being noted: its task may be adopted. */
type Deferred = { readonly outcome: 'deferred' };

const batchItemsMax = 500;

export type AcceptTask = (create: CreateTask) => Promise<AcceptOutcome>;

type AcceptDeps = Pick<LifecycleContext, 'db' | 'traces'> & {
  readonly measurements?: Measurements;
};

export function createAcceptTask(
  { db, measurements, traces }: AcceptDeps,
  {
    itemsMax = batchItemsMax,
    inFlightMax = 1,
    undelivered = nothingUndelivered,
    runningTasksMax = 0,
  }: {
    readonly itemsMax?: number;
    readonly inFlightMax?: number;
    readonly undelivered?: UndeliveredRequests;
    /** Tasks in progress of an account without its own limit; 0 is no limit. */
    readonly runningTasksMax?: number;
  } = {},
): AcceptTask {
  const batcher = new Batcher<CreateTask, AcceptOutcome | Deferred>({
    run: async (creates) => {
      let decided: readonly AcceptDecision[] = [];
      try {
        await db.transaction(async (tx) => {
          decided = await acceptBatch(tx, creates, { undelivered, runningTasksMax });
          crashPoint('accept.before-commit');
        });
      } catch (error) {
        noteUncertain(decided, undelivered);
        throw error;
      }
      rememberNoted(decided, undelivered);
      crashPoint('accept.after-commit');
      return decided.map(({ outcome }) => outcome);
    },
    itemsMax,
    inFlightMax,
  });
  const acceptNoted = async (create: CreateTask): Promise<AcceptOutcome> => {
    for (;;) {
      const outcome = await batcher.add(create);
      if (outcome.outcome !== 'deferred') return outcome;
      await undelivered.whenNoted(create.repetition!);
    }
  };
  return async (create) => {
    const outcome = await acceptNoted(create);
    if (outcome.outcome === 'accepted') {
      measurements?.countCredits('reserve', create.mode, outcome.credits);
    }
    if (traces && 'taskId' in outcome) traces.noteTask(create.requestId, outcome.taskId);
    return outcome;
  };
}

/**
 * A commit that failed may have been done, if its response was lost. The client gets an error, so a
 * task that exists after all is for the client's next identical create.
 */
function noteUncertain(decided: readonly AcceptDecision[], undelivered: UndeliveredRequests): void {
  for (const { create, outcome } of decided) {
    if (!create.repetition || !('taskId' in outcome)) continue;
    undelivered.add(create.repetition, Promise.resolve(outcome.taskId));
  }
}

/** Before a deferred create of this process is tried again. */
function rememberNoted(decided: readonly AcceptDecision[], undelivered: UndeliveredRequests): void {
  for (const { create, outcome } of decided) {
    if (!create.repetition || !('taskId' in outcome) || !outcome.isNoted) continue;
    undelivered.remember({ ...create.repetition, taskId: outcome.taskId });
  }
}

async function acceptBatch(
  tx: Transaction,
  creates: readonly CreateTask[],
  {
    undelivered,
    runningTasksMax,
  }: { readonly undelivered: UndeliveredRequests; readonly runningTasksMax: number },
): Promise<readonly AcceptDecision[]> {
  // Sent together; the later statements see what was committed until the balances were locked.
  const [ledger, activeKeys, records, repeats] = await Promise.all([
    lockBalances(tx, creates),
    lockActiveKeys(tx, [...new Set(creates.map(({ keyId }) => keyId))]),
    findIdempotencyKeys(tx, creates.flatMap(keyRefsOf)),
    findRepeatedCreates(tx, creates, undelivered),
  ]);
  const lostRights = await findLostRights(tx, creates, activeKeys);
  const overtaken = await findOvertaken(tx, creates, undelivered);
  const limits = await readCreateLimits(tx, creates, { keys: activeKeys, runningTasksMax });
  // A create whose client has gone waits for none, so no two wait for each other.
  const isDeferred = ({ repetition, isAbandoned }: CreateTask) =>
    repetition && !isAbandoned?.() && undelivered.isBeingNoted(repetition);
  const deferred = new Set(creates.filter(isDeferred));
  const known = { records, lostRights, repeats, overtaken, deferred, limits };
  const decisions = decideOutcomes(creates, { ledger, ...known });
  const accepted = decisions.filter(({ outcome }) => outcome.outcome === 'accepted');
  if (accepted.length > 0) {
    // Sent together, without a round trip for each.
    await Promise.all([
      insertTasks(
        tx,
        accepted.map(({ create, taskId }) => {
          const { webhookUrl = null } = activeKeys.get(create.keyId) ?? {};
          return newTask({ ...create, callbackUrl: create.callbackUrl ?? webhookUrl }, taskId);
        }),
      ),
      saveIdempotencyKeys(
        tx,
        accepted.flatMap(({ create, taskId }) => recordsOf(create, taskId)),
      ),
      ledger.flush(),
      limits.flush(),
      enqueue(
        tx,
        accepted.map(({ create: { accountId }, taskId }) => ({
          kind: 'submit',
          accountId,
          taskId,
        })),
      ),
    ]);
  }
  await noticeCaps(tx, decisions.flatMap(cappedOf));
  const noted = noteAbandoned(decisions, repeats);
  await repeats.flush(tx);
  return noted;
}

/**
 * Notes clients that have gone while their creates were being accepted, as late as possible: a
 * repeated create at another process gets the balance right after the commit.
 */
function noteAbandoned(
  decisions: readonly AcceptDecision[],
  repeats: RepeatedCreates,
): readonly AcceptDecision[] {
  return decisions.map((decision) => {
    const { create, outcome } = decision;
    if (!create.repetition || !('taskId' in outcome) || !create.isAbandoned?.()) return decision;
    const { taskId, credits } = outcome;
    repeats.abandon(create.repetition, { taskId, credits });
    return { ...decision, outcome: { ...outcome, isNoted: true } };
  });
}

/** The creates whose caller may no longer create. All other rights are kept until the commit. */
async function findLostRights(
  tx: Transaction,
  creates: readonly CreateTask[],
  activeKeys: ReadonlyMap<string, LockedKey>,
): Promise<Map<CreateTask, ApiError>> {
  const lost = new Map<CreateTask, ApiError>();
  for (const create of creates) {
    const keyError = lostKeyError(activeKeys.get(create.keyId));
    if (keyError) lost.set(create, keyError);
    try {
      await create.reauthorize?.(tx, { lock: true });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      lost.set(create, error);
    }
  }
  return lost;
}

/**
 * A client whose connection broke can repeat its create at once, and the service may read the
 * repeated one first. The balance is locked, so the repeated create of any process has its task by
 * now, or waits until this one is noted.
 */
async function findOvertaken(
  tx: Transaction,
  creates: readonly CreateTask[],
  undelivered: UndeliveredRequests,
): Promise<Set<CreateTask>> {
  const overtaken = new Set<CreateTask>();
  for (const create of creates) {
    if (!create.repetition || !create.isAbandoned?.()) continue;
    if (await undelivered.hasRecentTask(tx, create)) overtaken.add(create);
  }
  return overtaken;
}

/** In order of arrival; a key accepted earlier in the batch counts like one committed before. */
function decideOutcomes(
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

/** Returns the accepted task, or throws the API error that says why it was not accepted. */
export function acceptedOrThrow(outcome: DecidedOutcome, credits: number): AcceptedTask {
  switch (outcome.outcome) {
    case 'accepted':
    case 'repeated':
    case 'adopted':
      return outcome;
    case 'key_reused':
      throw idempotencyKeyReused();
    case 'erased':
      throw repeatedTaskErased();
    case 'overtaken':
      throw new ApiError('invalid_request', 'The connection was closed and the request repeated.');
    case 'insufficient':
      throw insufficientCredits({ required: credits, available: outcome.available });
    case 'capped':
    case 'too_many_running':
      throw limitError(outcome, credits);
    case 'unauthorized':
      throw outcome.error;
    case 'closed':
      throw new ApiError('invalid_api_key', 'The account for this API key is closed.');
  }
}

export const idempotencyKeyReused = (): ApiError =>
  new ApiError(
    'invalid_request',
    'This Idempotency-Key was already used with a different request in the last 24 hours; use a ' +
      'new key or repeat the original request.',
  );

export const repeatedTaskErased = (): ApiError =>
  new ApiError(
    'invalid_request',
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

const unauthorized = (error: ApiError): AcceptOutcome => ({ outcome: 'unauthorized', error });

const cappedOf = ({ create: { accountId }, outcome }: AcceptDecision) =>
  outcome.outcome === 'capped' ? [{ accountId, spending: outcome.spending }] : [];

const balanceKeyOf = ({ accountId, mode }: CreateTask) => ({ accountId, mode });

const nameOf = ({ accountId, mode }: { accountId: string; mode: KeyMode }, key: string): string =>
  JSON.stringify([accountId, mode, key]);

const keyRefsOf = ({ accountId, mode, idempotency }: CreateTask) =>
  idempotency ? [{ accountId, mode, key: idempotency.key }] : [];

const recordsOf = ({ accountId, mode, credits, idempotency }: CreateTask, taskId: string) =>
  idempotency ? [{ accountId, mode, credits, taskId, ...idempotency }] : [];

const newTask = (
  { idempotency: _, reauthorize: _r, repetition: _p, isAbandoned: _a, ...create }: CreateTask,
  taskId: string,
) => ({ ...create, model: create.generation.model, id: taskId });
