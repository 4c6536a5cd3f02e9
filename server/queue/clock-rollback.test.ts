/** Jobs are not delayed by a database clock that was set back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, seedAccount } from '../../proof/kit/seed.ts';
import type { Queryable, Row } from '../database/database.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';
import { watchClock } from './clock-rollback.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

test('makes jobs that would wait too long runnable after the clock moved back', async () => {
  const { db } = scratch;
  const account = await seedAccount(db, { credits: 10 });
  const accept = createAcceptTask(scratch);
  await Promise.all([1, 2].map(() => accept(createOf(account, { credits: 1 }))));
  const delayed = (kind: string, minutes: number) => [kind, `${minutes} minutes`];
  const scheduled = [delayed('submit', 5), delayed('poll', 120)];
  await db.query(
    `update jobs j set kind = s.kind, ready = false, run_at = now() + s.wait::interval
     from (select id, row_number() over (order by id) as n from jobs) numbered
     join (values (1, $1, $2), (2, $3, $4)) as s(n, kind, wait) on s.n = numbered.n
     where numbered.id = j.id`,
    scheduled.flat(),
  );
  let rollbackMs = 0;
  const clock: Queryable = {
    async query<R extends Row>(text: string, values?: readonly unknown[]) {
      const result = await db.query<R>(text, values);
      const rows = result.rows.map((row) =>
        typeof row.ms === 'number' ? { ...row, ms: row.ms - rollbackMs } : row,
      );
      return { ...result, rows };
    },
  };
  const watch = watchClock(clock, { webhookDelaySecondsMax: 3600 });
  assert.equal(await watch.check(), 1);
  const { rows } = await db.query('select kind from jobs where ready');
  assert.deepEqual(rows, [{ kind: 'poll' }]);

  await db.query(`update jobs set ready = false, run_at = now() + interval '2 hours'`);
  assert.equal(await watch.check(), 0);
  rollbackMs = 7_200_000;
  assert.equal(await watch.check(), 2);
});
