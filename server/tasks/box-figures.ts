/** What GPU boxes do, from the attempts at their providers. */
import type { Queryable } from '../database/database.ts';
import { dayMs, nowMs } from '../process/clock.ts';
import { idsSince } from './task-id.ts';

/** In a pool, operations begin with the name of their box. */
type BoxAtProvider = {
  readonly box: string;
  readonly provider: string;
  readonly isPool: boolean;
};

export type BoxFigures = { readonly tasks: number; readonly seconds: number | null };

const days = 30;
/** A median of more hardly differs. */
const timedMax = 500;

/** By box: its open tasks, and the median seconds of what it completed recently. */
export async function readBoxFigures(
  db: Queryable,
  places: readonly BoxAtProvider[],
): Promise<ReadonlyMap<string, BoxFigures>> {
  if (places.length === 0) return new Map();
  const { rows } = await db.query<BoxFigures & { box: string }>(
    `with place as (
       select * from unnest($1::text[], $2::text[], $3::bool[]) as p (box, provider, is_pool)),
     attempt as (
       select p.box, a.outcome,
         extract(epoch from a.ended_at - a.started_at)::float8 as seconds
       from place p cross join lateral (
         (select outcome, started_at, ended_at from attempts
          where provider = p.provider and outcome is null
            and (not p.is_pool or starts_with(operation, p.box || '/')))
         union all
         (select outcome, started_at, ended_at from attempts
          where provider = p.provider and task_id >= $4 and outcome = 'completed'
            and (not p.is_pool or starts_with(operation, p.box || '/'))
          order by task_id desc limit ${timedMax})) a)
     select box, count(*) filter (where outcome is null)::int as tasks,
       percentile_cont(0.5) within group (order by seconds)
         filter (where outcome is not null) as seconds
     from attempt group by box`,
    [
      places.map(({ box }) => box),
      places.map(({ provider }) => provider),
      places.map(({ isPool }) => isPool),
      idsSince(new Date(nowMs() - days * dayMs)),
    ],
  );
  return new Map(rows.map(({ box, ...figures }) => [box, figures]));
}

/** How many open operations of a pool each box has. */
export async function countTasksAtBoxes(
  db: Queryable,
  provider: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ box: string; tasks: number }>(
    `select split_part(operation, '/', 1) as box, count(*)::int as tasks from attempts
     where provider = $1 and outcome is null and operation is not null group by box`,
    [provider],
  );
  return new Map(rows.map(({ box, tasks }) => [box, tasks]));
}
