/**
 * What a charged credit earned, and since when: a task earns the value of the time when it was
 * charged, whatever the setting is today.
 */
import type { Queryable } from '../database/database.ts';

/** Called at each start with the setting. The first value also holds for all time before. */
export async function recordCreditValue(db: Queryable, micros: number): Promise<void> {
  await db.query(
    `with last as (select micros from credit_values order by since desc limit 1)
     insert into credit_values (since, micros)
     select case when exists (select from last) then now() else '-infinity' end, $1
     where not exists (select from last where micros = $1)
     on conflict do nothing`,
    [micros],
  );
}

/** Null before there is any value. */
export const creditMicrosAt = (time: string): string =>
  `(select micros from credit_values where since <= ${time} order by since desc limit 1)`;

/** For a day that was added up before there was any value. */
export const firstCreditMicros = '(select micros from credit_values order by since limit 1)';

export async function findCreditMicros(db: Queryable, at: Date): Promise<number | null> {
  const { rows } = await db.query<{ micros: number | null }>(
    `select ${creditMicrosAt('$1::timestamptz')} as micros`,
    [at.toISOString()],
  );
  return rows[0]!.micros;
}
