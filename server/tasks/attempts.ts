/**
 * Attempts at a provider, one row each: provider, reference, operation, outcome. The row is
 * committed before the provider is called, so that a lost response can be looked up instead of paid
 * for twice. Attempts that are being cancelled are marked, so that one process at a time asks the
 * provider, and polls do not count the end of the generation as a failure.
 */
import type { CostSource } from '@vidgen/contract/costs.ts';
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { sanitizeText } from '../database/sanitize-text.ts';
import { setCosts } from './margin.ts';

export type AttemptOutcome =
  /** Not accepted for now; the same provider may accept it later. */
  | 'throttled'
  | 'refused'
  | 'completed'
  | 'failed'
  | 'lost'
  | 'cancelled'
  | 'timed_out'
  | 'abandoned';

export type Attempt = {
  readonly taskId: string;
  readonly number: number;
  readonly provider: string;
  /** Name of the credential that the attempt began with; null if the provider has none. */
  readonly credential: string | null;
  readonly reference: string;
  /** The provider's handle; null until the provider is known to have the task. */
  readonly operation: string | null;
  /** The provider was called and its response is missing: it may have the task. */
  readonly startUncertain: boolean;
  /** Since the provider was last called, by the database's clock when the row was read. */
  readonly secondsSinceLastStart: number;
  /** Since the provider accepted the task, by the same clock; null until then. */
  readonly secondsSinceAccepted: number | null;
  /** Since a cancellation began at the provider; null if none is under way. */
  readonly secondsSinceCancelRequested: number | null;
  /** Since the provider was asked to cancel and did not say whether it would; else null. */
  readonly secondsSinceCancelUnconfirmed: number | null;
  /** Cancellation was requested at a process without the provider; a worker that has it asks. */
  readonly isCancelWanted: boolean;
  readonly outcome: AttemptOutcome | null;
  readonly loss: string | null;
  /** How often the finished video could not be fetched. */
  readonly collectFailures: number;
  /** As the provider reports it; may differ from the priced length. */
  readonly outputSeconds: number | null;
  /** In millionths of the installation's currency; null while or where it is unknown. */
  readonly costMicros: number | null;
  readonly costSource: CostSource | null;
  readonly detail: string | null;
  readonly startedAt: Date;
  readonly acceptedAt: Date | null;
  readonly endedAt: Date | null;
};

/** Of open attempts; the others are known to have created nothing, and will be started again. */
export const isAtProvider = '(unanswered or operation is not null)';

export const attemptColumns = `task_id as "taskId", number, provider, credential, reference,
  operation, unanswered as "startUncertain",
  extract(epoch from now() - asked_at)::float8 as "secondsSinceLastStart",
  extract(epoch from now() - accepted_at)::float8 as "secondsSinceAccepted",
  extract(epoch from now() - stop_asked_at)::float8 as "secondsSinceCancelRequested",
  extract(epoch from now() - stop_unconfirmed_at)::float8 as "secondsSinceCancelUnconfirmed",
  stop_wanted as "isCancelWanted", outcome, loss, detail, uncollected as "collectFailures",
  output_seconds as "outputSeconds", cost_micros as "costMicros", cost_source as "costSource",
  started_at as "startedAt", accepted_at as "acceptedAt", ended_at as "endedAt"`;
/** Longer texts of upstreams are cut. */
const truncate = (text: string): string => sanitizeText(text, { lengthMax: 2000 });

export type NewAttempt = Pick<Attempt, 'taskId' | 'provider' | 'credential' | 'reference'> & {
  /** Why this provider was chosen, where that is not the order of the route. */
  readonly detail?: string | null;
};

export async function openAttempt(tx: Transaction, attempt: NewAttempt): Promise<Attempt> {
  return (await openAttempts(tx, [attempt])).get(attempt.taskId)!;
}

/** The providers are about to be called. Returns the attempts by task. */
export async function openAttempts(
  tx: Transaction,
  attempts: readonly NewAttempt[],
): Promise<Map<string, Attempt>> {
  const { rows } = await tx.query<Attempt>(openAttemptsStatement, [JSON.stringify(attempts)]);
  return new Map(rows.map((attempt) => [attempt.taskId, attempt]));
}

const openAttemptsStatement: PreparedStatement = {
  name: 'open_attempts',
  text: `insert into attempts (task_id, number, provider, credential, reference, detail)
         select n."taskId", coalesce(last.number, 0) + 1, n.provider, n.credential, n.reference,
           n.detail
         from jsonb_to_recordset($1::jsonb) as n("taskId" text, provider text, credential text,
           reference text, detail text)
         cross join lateral (
           select max(number) as number from attempts where task_id = n."taskId") last
         returning ${attemptColumns}`,
};

/**
 * Locks what these providers have until the transaction ends: of two workers that count their tasks
 * and open attempts at the same time, the second counts the attempts of the first one.
 */
export async function lockCapacity(tx: Transaction, providers: readonly string[]): Promise<void> {
  await tx.query(lockCapacityStatement, [providers]);
}

/** In one order, so that two batches cannot deadlock. */
const lockCapacityStatement: PreparedStatement = {
  name: 'lock_capacity',
  text: `select pg_advisory_xact_lock(hashtextextended('places of ' || p.provider, 0))
         from (select provider from unnest($1::text[]) as u (provider) order by provider) p`,
};

/**
 * Also for an attempt that has ended: its operation must be known to be cancelled. Returns whether
 * the operation was new; another worker may have recorded it.
 */
export async function recordOperation(
  tx: Transaction,
  { taskId, number, operation }: { taskId: string; number: number; operation: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update attempts set operation = $3, accepted_at = now(), unanswered = false
     where task_id = $1 and number = $2 and operation is null`,
    [taskId, number, operation],
  );
  return rowCount === 1;
}

export type AcceptedAttempt = {
  readonly taskId: string;
  readonly number: number;
  readonly operation: string;
};

/** Does the same for several attempts. */
export async function recordOperations(
  tx: Transaction,
  attempts: readonly AcceptedAttempt[],
): Promise<void> {
  await tx.query(recordOperationsStatement, [
    JSON.stringify(attempts),
    attempts.map(({ taskId }) => taskId),
  ]);
}

/** The condition on the IDs alone makes PostgreSQL look them up, not read all open attempts. */
const recordOperationsStatement: PreparedStatement = {
  name: 'record_operations',
  text: `update attempts a set operation = o.operation, accepted_at = now(), unanswered = false
         from jsonb_to_recordset($1::jsonb) as o("taskId" text, number int, operation text)
         where a.task_id = any($2::text[]) and a.task_id = o."taskId" and a.number = o.number
           and a.operation is null`,
};

/** Set to true before the provider is called, and to false on proof that it has nothing. */
export async function setStartUncertain(
  tx: Transaction,
  {
    taskId,
    number,
    startUncertain,
    detail,
  }: { taskId: string; number: number; startUncertain: boolean; detail: string | null },
): Promise<void> {
  await tx.query(
    `update attempts set unanswered = $3, detail = coalesce($4, detail),
       asked_at = case when $3 then now() else asked_at end
     where task_id = $1 and number = $2 and outcome is null`,
    [taskId, number, startUncertain, detail && truncate(detail)],
  );
}

/** Returns the new count. */
export async function incrementCollectFailures(
  db: Queryable,
  { taskId, number }: { taskId: string; number: number },
): Promise<number> {
  const { rows } = await db.query<{ collectFailures: number }>(
    `update attempts set uncollected = uncollected + 1
     where task_id = $1 and number = $2 returning uncollected as "collectFailures"`,
    [taskId, number],
  );
  return rows[0]!.collectFailures;
}

export type AttemptResult = {
  readonly taskId: string;
  readonly outcome: AttemptOutcome;
  readonly detail?: string | undefined;
  readonly outputSeconds?: number | undefined;
  /** What the provider may bill although the customer does not pay; shown to admins. */
  readonly loss?: string | undefined;
  /** Null or absent: unknown. */
  readonly cost?: { readonly micros: number; readonly source: CostSource } | null | undefined;
};

/** Closes the open attempt of each task, if there is one. Returns their providers by task. */
export async function closeAttempts(
  tx: Transaction,
  results: readonly AttemptResult[],
): Promise<ReadonlyMap<string, string>> {
  if (results.length === 0) return new Map();
  const rows = results.map(({ cost, ...result }) => ({
    ...result,
    costMicros: cost?.micros,
    costSource: cost?.source,
    detail: result.detail && truncate(result.detail),
    loss: result.loss && truncate(result.loss),
  }));
  const { rows: closed } = await tx.query<{ taskId: string; provider: string }>(
    closeAttemptsStatement,
    [JSON.stringify(rows), results.map(({ taskId }) => taskId)],
  );
  return new Map(closed.map(({ taskId, provider }) => [taskId, provider]));
}

const closeAttemptsStatement: PreparedStatement = {
  name: 'close_attempts',
  text: `update attempts a set outcome = e.outcome, ended_at = now(),
           detail = coalesce(e.detail, a.detail), output_seconds = e."outputSeconds",
           loss = coalesce(e.loss, a.loss),
           cost_micros = e."costMicros", cost_source = e."costSource"
         from jsonb_to_recordset($1::jsonb) as e("taskId" text, outcome text, detail text,
           "outputSeconds" real, loss text, "costMicros" bigint, "costSource" text)
         where a.task_id = any($2::text[]) and a.task_id = e."taskId" and a.outcome is null
         returning a.task_id as "taskId", a.provider`,
};

/**
 * Records a generation that the provider may bill and no customer pays; null removes it, on proof
 * that the provider bills nothing.
 */
export async function recordLoss(
  tx: Transaction,
  { taskId, number, loss }: { taskId: string; number: number; loss: string | null },
): Promise<void> {
  if (loss === null) await setCosts(tx, [{ taskId, number, micros: 0, source: 'rule' }]);
  await tx.query('update attempts set loss = $3 where task_id = $1 and number = $2', [
    taskId,
    number,
    loss && truncate(loss),
  ]);
}

/**
 * Called before the provider is asked to cancel. Returns false while another cancellation is under
 * way.
 */
export async function markCancelRequested(
  db: Queryable,
  { taskId, number, timeoutSeconds }: { taskId: string; number: number; timeoutSeconds: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update attempts set stop_asked_at = now()
     where task_id = $1 and number = $2 and outcome is null
       and (stop_asked_at is null or stop_asked_at < now() - make_interval(secs => $3))`,
    [taskId, number, timeoutSeconds],
  );
  return rowCount === 1;
}

/** Called when the provider continues, or did not say whether it stops: then polls find out. */
export async function endCancelRequest(
  db: Queryable,
  { taskId, number }: { taskId: string; number: number },
  { isUnconfirmed }: { readonly isUnconfirmed: boolean },
): Promise<void> {
  await db.query(
    `update attempts set stop_asked_at = null,
       stop_unconfirmed_at = case when $3 then now() else stop_unconfirmed_at end
     where task_id = $1 and number = $2 and outcome is null`,
    [taskId, number, isUnconfirmed],
  );
}

/** Leaves the cancellation to a worker that has the provider, or takes it over from there. */
export async function setCancelWanted(
  db: Queryable,
  { taskId, number, isWanted }: { taskId: string; number: number; isWanted: boolean },
): Promise<void> {
  await db.query(
    `update attempts set stop_wanted = $3
     where task_id = $1 and number = $2 and outcome is null`,
    [taskId, number, isWanted],
  );
}
