/**
 * Accepts a create: reservation, ledger entry, task, idempotency key and `submit` job in one
 * commit.
 *
 * Creates that arrive while a commit is under way are accepted together, each with its own outcome,
 * in order of arrival. Balances are locked first and idempotency keys read in a later statement, so
 * that a duplicate committed by another process in between is seen.
 */
import { type LockedKey, lockActiveKeys } from '../accounts/api-key.ts';
import { lostKeyError } from '../accounts/authenticate.ts';
import { ApiError } from '../api-error.ts';
import { monotonicMs } from '../clock.ts';
import { crashPoint } from '../crash-point.ts';
import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { lockBalances } from '../ledger/ledger.ts';
import type { Measurements } from '../measurements.ts';
import { enqueue } from '../queue/enqueue.ts';
import { findIdempotencyKeys, saveIdempotencyKeys } from '../tasks/idempotency.ts';
import { insertTasks } from '../tasks/store.ts';
import {
  type AcceptDecision,
  type AcceptOutcome,
  type CreateTask,
  type Deferred,
  decideOutcomes,
} from './accept-decision.ts';
import type { LifecycleContext } from './context.ts';
import { readCreateLimits } from './create-limits.ts';
import { noticeCaps } from './notice-caps.ts';
import {
  findRepeatedCreates,
  nothingUndelivered,
  type RepeatedCreates,
  type UndeliveredRequests,
} from './repeated-creates.ts';

const batchItemsMax = 500;

export type AcceptTask = (create: CreateTask) => Promise<AcceptOutcome>;

type AcceptDeps = Pick<LifecycleContext, 'db' | 'traces'> & {
  readonly measurements?: Measurements;
};

export function createAcceptTask(
  { db, measurements, traces }: AcceptDeps,
  {
    itemsMax = batchItemsMax,
    inFlightMax = 2,
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
        const accept = async (tx: Transaction) => {
          decided = await acceptBatch(tx, creates, { undelivered, runningTasksMax });
          crashPoint('accept.before-commit');
        };
        await db.transaction(accept, { readsFirst: true });
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
    if (!create.repetition || !('taskId' in outcome)) continue;
    if (create.repetition.retryCount !== null) undelivered.rememberMarked(outcome.taskId);
    if (outcome.isNoted) undelivered.remember({ ...create.repetition, taskId: outcome.taskId });
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
  const readMs = monotonicMs();
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
    repetition &&
    !isAbandoned?.() &&
    (undelivered.isBeingNoted(repetition) || undelivered.isNotedSince(repetition, readMs));
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

const cappedOf = ({ create: { accountId }, outcome }: AcceptDecision) =>
  outcome.outcome === 'capped' ? [{ accountId, spending: outcome.spending }] : [];

const keyRefsOf = ({ accountId, mode, idempotency }: CreateTask) =>
  idempotency ? [{ accountId, mode, key: idempotency.key }] : [];

const recordsOf = ({ accountId, mode, credits, idempotency }: CreateTask, taskId: string) =>
  idempotency ? [{ accountId, mode, credits, taskId, ...idempotency }] : [];

const newTask = (
  { idempotency: _, reauthorize: _r, repetition: _p, isAbandoned: _a, ...create }: CreateTask,
  taskId: string,
) => ({ ...create, model: create.generation.model, id: taskId });
