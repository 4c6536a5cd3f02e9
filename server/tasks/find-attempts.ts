/**
 * Finds attempts by their task, reference or operation, counts those that are open, and times the
 * newest ones.
 */
import { microsPerUnit } from '@vidgen/contract/price.ts';
import type { PreparedStatement, Queryable } from '../database/database.ts';
import { type Attempt, attemptColumns, isAtProvider } from './attempts.ts';
import { idsSince } from './task-id.ts';

export async function listAttempts(db: Queryable, taskId: string): Promise<Attempt[]> {
  return (await listAttemptsOf(db, [taskId]))[0]!;
}

/** Returns the attempts of each task, in the order of `taskIds`. */
export async function listAttemptsOf(
  db: Queryable,
  taskIds: readonly string[],
): Promise<Attempt[][]> {
  const { rows } = await db.query<Attempt>(listAttemptsStatement, [taskIds]);
  const found = Map.groupBy(rows, ({ taskId }) => taskId);
  return taskIds.map((taskId) => found.get(taskId) ?? []);
}

const listAttemptsStatement: PreparedStatement = {
  name: 'list_attempts',
  text: `select ${attemptColumns} from attempts where task_id = any($1::text[])
         order by task_id, number`,
};

/** Returns attempts in the order of `taskIds`; null where none is open. */
export async function findOpenAttempts(
  db: Queryable,
  taskIds: readonly string[],
): Promise<readonly (Attempt | null)[]> {
  const { rows } = await db.query<Attempt>(findOpenAttemptsStatement, [taskIds]);
  const found = new Map(rows.map((attempt) => [attempt.taskId, attempt]));
  return taskIds.map((taskId) => found.get(taskId) ?? null);
}

const findOpenAttemptsStatement: PreparedStatement = {
  name: 'find_open_attempts',
  text: `select ${attemptColumns} from attempts
         where task_id = any($1::text[]) and outcome is null`,
};

export async function findOpenAttempt(db: Queryable, taskId: string): Promise<Attempt | null> {
  return (await findOpenAttempts(db, [taskId]))[0] ?? null;
}

export async function findAttemptByReference(
  db: Queryable,
  reference: string,
): Promise<Attempt | null> {
  const { rows } = await db.query<Attempt>(
    `select ${attemptColumns} from attempts where reference = $1`,
    [reference],
  );
  return rows[0] ?? null;
}

/** Returns the open attempt with this operation; operations are unique per provider only. */
export async function findAttemptByOperation(
  db: Queryable,
  { provider, operation }: { readonly provider: string; readonly operation: string },
): Promise<Attempt | null> {
  const { rows } = await db.query<Attempt>(
    `select ${attemptColumns} from attempts
     where provider = $1 and operation = $2 and outcome is null`,
    [provider, operation],
  );
  return rows[0] ?? null;
}

/** Whether another task of the account has the operation. Few rows: an account's recent tasks. */
export async function belongsToOtherTask(
  db: Queryable,
  of: { taskId: string; accountId: string; provider: string; operation: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from (
       select id, created_at from tasks where account_id = $1
       union all select id, created_at from erased_tasks where account_id = $1) t
     join attempts a on a.task_id = t.id
     where t.created_at > now() - interval '8 days'
       and t.id <> $2 and a.provider = $3 and a.operation = $4 limit 1`,
    [of.accountId, of.taskId, of.provider, of.operation],
  );
  return rowCount > 0;
}

/** Returns those of the tasks whose newest attempt is at one of the providers. */
export async function findTasksAt(
  db: Queryable,
  { taskIds, providers }: { taskIds: readonly string[]; providers: readonly string[] },
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ taskId: string; provider: string }>(
    `select distinct on (task_id) task_id as "taskId", provider from attempts
     where task_id = any($1::text[]) order by task_id, number desc`,
    [taskIds],
  );
  return new Set(
    rows.filter(({ provider }) => providers.includes(provider)).map(({ taskId }) => taskId),
  );
}

/** How many tasks each provider currently has, with those it is to be asked for again. */
export async function countOpenAttempts(
  db: Queryable,
): Promise<{ provider: string; attempts: number }[]> {
  const { rows } = await db.query<{ provider: string; attempts: number }>(
    `select provider, count(*)::int as attempts from attempts where outcome is null
     group by provider`,
  );
  return rows;
}

/** How many tasks each of these providers has or may have; those without any are missing. */
export async function countTasksAt(
  db: Queryable,
  providers: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ provider: string; tasks: number }>(countTasksStatement, [
    providers,
  ]);
  return new Map(rows.map(({ provider, tasks }) => [provider, tasks]));
}

const countTasksStatement: PreparedStatement = {
  name: 'count_tasks_at',
  text: `select provider, count(*)::int as tasks from attempts
         where provider = any($1::text[]) and outcome is null and ${isAtProvider}
         group by provider`,
};

/** A provider's median of more attempts than these hardly differs, and would read more rows. */
const timedAttempts = 500;

type TimedProvider = {
  readonly provider: string;
  readonly seconds: number | null;
  /** Of output, where it is known. */
  readonly costPerSecond: number | null;
};

/**
 * The median seconds that each provider took for those of its newest attempts that completed; null
 * if none did.
 */
export async function readMedianSeconds(
  db: Queryable,
  { providers, since }: { readonly providers: readonly string[]; readonly since: Date },
): Promise<TimedProvider[]> {
  const { rows } = await db.query<TimedProvider>(
    `select p.provider, t.seconds, t."costPerSecond" from unnest($1::text[]) as p (provider)
     cross join lateral (
       select percentile_cont(0.5) within group (
         order by extract(epoch from ended_at - started_at)::float8) as seconds,
         (sum(cost_micros) filter (where output_seconds > 0)
           / sum(output_seconds) filter (where output_seconds > 0 and cost_micros is not null)
         )::float8 / ${microsPerUnit} as "costPerSecond"
       from (
         select outcome, started_at, ended_at, output_seconds, cost_micros from attempts
         where provider = p.provider and task_id >= $2
         order by task_id desc limit ${timedAttempts}) newest
       where outcome = 'completed') t`,
    [providers, idsSince(since)],
  );
  return rows;
}

/** The providers and credentials of attempts that have not ended. */
export async function findUsedCredentials(
  db: Queryable,
): Promise<{ provider: string; credential: string | null }[]> {
  const { rows } = await db.query<{ provider: string; credential: string | null }>(
    'select distinct provider, credential from attempts where outcome is null',
  );
  return rows;
}
