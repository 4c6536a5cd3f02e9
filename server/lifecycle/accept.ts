/**
 * Accepts a create: reservation, ledger entry, task, idempotency key and `submit` job in one
 * commit.
 *
 * Creates that arrive while a commit is under way are accepted together, each with its own outcome,
 * in order of arrival. Balances are locked first and idempotency keys read in a later statement, so
 * that a duplicate committed by another process in between is seen.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { type LockedKey, lockActiveKeys } from '../accounts/keys/api-key.ts';
import { lostKeyError } from '../accounts/keys/authenticate.ts';
import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { lockBalances } from '../ledger/ledger.ts';
import { crashPoint } from '../process/crash-point.ts';
import { enqueue } from '../queue/enqueue.ts';
import { findIdempotencyKeys, saveIdempotencyKeys } from '../tasks/idempotency.ts';
import { findTasks, insertTasks } from '../tasks/store.ts';
import { saveUndelivered, type UndeliveredCreate } from '../tasks/undelivered-creates.ts';
import type { Measurements } from '../telemetry/measurements.ts';
import type { LifecycleContext } from './context.ts';
import {
  type AcceptDecision,
  type AcceptOutcome,
  type CreateTask,
  decideOutcomes,
} from './create/accept-decision.ts';
import { readCreateLimits } from './create/create-limits.ts';
import { findUndelivered } from './create/undelivered-creates.ts';
import { noticeCaps } from './notices/watch-conditions.ts';

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
    runningTasksMax = 0,
  }: {
    readonly itemsMax?: number;
    readonly inFlightMax?: number;
    /** Tasks in progress of an account without its own limit; 0 is no limit. */
    readonly runningTasksMax?: number;
  } = {},
): AcceptTask {
  const batcher = new Batcher<CreateTask, AcceptOutcome>({
    run: async (creates) => {
      let attempted: readonly AcceptOutcome[] = [];
      const accept = async (tx: Transaction) => {
        attempted = await acceptBatch(tx, creates, { runningTasksMax, attempted });
        crashPoint('accept.before-commit');
        return attempted;
      };
      const outcomes = await db.transaction(accept, { readsFirst: true, isRepeatable: true });
      crashPoint('accept.after-commit');
      return outcomes;
    },
    itemsMax,
    inFlightMax,
  });
  return async (create) => {
    const outcome = await batcher.add(create);
    if (outcome.outcome === 'accepted') {
      measurements?.countCredits('reserve', create.mode, outcome.credits);
    }
    if (traces && 'taskId' in outcome) traces.noteTask(create.requestId, outcome.taskId);
    return outcome;
  };
}

type BatchOptions = {
  readonly runningTasksMax: number;
  /** Outcomes of the same batch whose connection was lost, perhaps after the commit. */
  readonly attempted: readonly AcceptOutcome[];
};

async function acceptBatch(
  tx: Transaction,
  creates: readonly CreateTask[],
  { runningTasksMax, attempted }: BatchOptions,
): Promise<readonly AcceptOutcome[]> {
  const requestRefs = creates.map(({ requestRef }) => requestRef);
  // Sent together; the later statements see what was committed until the balances were locked.
  const [ledger, activeKeys, records, undelivered] = await Promise.all([
    lockBalances(tx, creates),
    lockActiveKeys(tx, [...new Set(creates.map(({ keyId }) => keyId))]),
    findIdempotencyKeys(tx, creates.flatMap(keyRefsOf)),
    findUndelivered(tx, requestRefs),
  ]);
  if (await hasCommitted(tx, attempted)) return attempted;
  const lostRights = await findLostRights(tx, creates, activeKeys);
  const limits = await readCreateLimits(tx, creates, { keys: activeKeys, runningTasksMax });
  const known = { records, lostRights, undelivered, limits };
  const decisions = decideOutcomes(creates, { ledger, ...known });
  const accepted = decisions.filter(({ outcome }) => outcome.outcome === 'accepted');
  if (accepted.length > 0) {
    const tasks = accepted.map(({ create, taskId }) => {
      const { webhookUrl = null } = activeKeys.get(create.keyId) ?? {};
      return newTask({ ...create, callbackUrl: create.callbackUrl ?? webhookUrl }, taskId);
    });
    const kind = 'submit';
    const jobs = tasks.map(({ accountId, id: taskId }) => ({ kind, accountId, taskId }) as const);
    // Sent together, without a round trip for each.
    await Promise.all([
      insertTasks(tx, tasks),
      saveIdempotencyKeys(tx, accepted.flatMap(recordsOf)),
      ledger.flush(),
      limits.flush(),
      enqueue(tx, jobs),
    ]);
  }
  await noticeCaps(tx, decisions.flatMap(cappedOf));
  await undelivered.flush(tx);
  return await recordDisconnected(tx, decisions);
}

/**
 * Whether the attempt was committed. It cannot be any more if it was not: it had locked the
 * balances that this transaction has locked since.
 */
async function hasCommitted(
  tx: Transaction,
  attempted: readonly AcceptOutcome[],
): Promise<boolean> {
  const accepted = attempted.find(({ outcome }) => outcome === 'accepted');
  if (!accepted || !('taskId' in accepted)) return false;
  const [task] = await findTasks(tx, [accepted.taskId]);
  return task != null;
}

/**
 * Records clients that have gone since their creates were decided, as late as possible: a repeated
 * create at another process gets the balance right after the commit.
 */
async function recordDisconnected(
  tx: Transaction,
  decisions: readonly AcceptDecision[],
): Promise<readonly AcceptOutcome[]> {
  const undelivered: UndeliveredCreate[] = [];
  const outcomes = decisions.map(({ create: { requestRef, isDisconnected }, outcome }) => {
    if (!requestRef || !('taskId' in outcome) || !isDisconnected()) return outcome;
    const { keyId, requestDigest } = requestRef;
    undelivered.push({ keyId, requestDigest, taskId: outcome.taskId });
    return { ...outcome, isRecorded: true as const };
  });
  await saveUndelivered(tx, undelivered);
  return outcomes;
}

/** The creates whose caller may no longer create. All other rights are kept until the commit. */
async function findLostRights(
  tx: Transaction,
  creates: readonly CreateTask[],
  activeKeys: ReadonlyMap<string, LockedKey>,
): Promise<Map<CreateTask, ApiError>> {
  const lost = new Map<CreateTask, ApiError>();
  // Sent together: balances are locked meanwhile.
  await Promise.all(
    creates.map(async (create) => {
      const keyError = lostKeyError(activeKeys.get(create.keyId));
      if (keyError) lost.set(create, keyError);
      try {
        await create.reauthorize?.(tx, { lock: true });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        lost.set(create, error);
      }
    }),
  );
  return lost;
}

const cappedOf = ({ create: { accountId }, outcome }: AcceptDecision) =>
  outcome.outcome === 'capped' ? [{ accountId, spending: outcome.spending }] : [];

const keyRefsOf = ({ accountId, mode, idempotency }: CreateTask) =>
  idempotency ? [{ accountId, mode, key: idempotency.key }] : [];

function recordsOf({ create, taskId }: AcceptDecision) {
  const { accountId, mode, credits, idempotency } = create;
  return idempotency ? [{ accountId, mode, credits, taskId, ...idempotency }] : [];
}

const newTask = (
  { idempotency: _, reauthorize: _r, requestRef: _f, isDisconnected: _d, ...create }: CreateTask,
  taskId: string,
) => ({ ...create, model: create.generation.model, id: taskId });
