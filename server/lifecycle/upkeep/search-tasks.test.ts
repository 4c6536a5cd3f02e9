/** Pages of filtered lists: windows read few rows, and together they have all tasks once. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { countRowsRead } from '../../../proof/kit/rows-read.ts';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import { generationOf, seedAccount } from '../../../proof/kit/seed.ts';
import type { Database } from '../../database/database.ts';
import { insertMetadata } from '../../tasks/metadata.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import type { TaskFilter } from '../../tasks/task-list.ts';
import { findTaskPage, findTasksSoFar } from './search-tasks.ts';

const { db } = await useDatabase();
const { accountId, keyId } = await seedAccount(db);
const metadata = { project: 'boats' };
const dayMs = 86_400_000;
const tasks = Array.from({ length: 3_500 }, (_, at) => ({
  id: newTaskId(Date.now() - dayMs + at * 1000),
  accountId,
  mode: 'live' as const,
  metadata,
  model: at % 1_600 === 0 ? 'vidgen-2-5' : 'vidgen-2-0-mini',
  at: new Date(Date.now() - dayMs + at * 1000),
}));
const rare = tasks.filter(({ model }) => model === 'vidgen-2-5').map(({ id }) => id);

before(async () => {
  await db.query(
    `insert into tasks (id, account_id, key_id, mode, model, generation, credits, metadata,
       created_at, deadline_at, status, billing_status, failed_reason, finished_at)
     select id, $2, $3, 'live', model, $4, 5, metadata, at, at, 'failed', 'refunded',
       'provider_failed', at
     from jsonb_to_recordset($1::jsonb)
       as t(id text, model text, metadata jsonb, at timestamptz)`,
    [JSON.stringify(tasks), accountId, keyId, JSON.stringify(generationOf())],
  );
  await db.transaction((tx) => insertMetadata(tx, tasks));
  await db.runAlone('vacuum analyze tasks, task_metadata');
});

const model = 'vidgen-2-5';
const filters: Readonly<Record<string, Omit<TaskFilter, 'limit'>>> = {
  'failed tasks of an account': { accountId, status: 'failed', model },
  'failed tasks of all accounts': { status: 'failed', model },
  'tasks of an account in both modes': { accountId, model },
  'tasks of an account': { accountId, mode: 'live', model },
  'tasks of all accounts': { model },
  'oldest failed tasks': { accountId, status: 'failed', model, isOldestFirst: true },
  'tasks with metadata': { accountId, mode: 'live', metadata, model },
};

for (const [name, filter] of Object.entries(filters)) {
  test(`reads ${name} window by window, and each once`, async () => {
    const found: string[] = [];
    let pages = 0;
    for (let beforeId: string | undefined; ; pages++) {
      const read = (one: Database) =>
        findTasksSoFar(one, { ...filter, beforeId, limit: 2 }, { msMax: 0, windowRows: 1_000 });
      const { items, nextCursor } = await read(db);
      const rows = await countRowsRead(db, (tx) =>
        read({ ...db, transaction: (work) => work(tx as never) }),
      );
      assert(rows <= 3_100, `page ${pages} reads ${rows} rows`);
      found.push(...items.map(({ id }) => id));
      if (nextCursor === null) break;
      beforeId = nextCursor;
    }
    const expected = filter.isOldestFirst ? rare : rare.toReversed();
    assert.deepEqual(found, expected);
    assert(pages >= 3, `${pages} pages before the last`);
    for (const readWhole of [findTaskPage, findTasksSoFar]) {
      const { items, nextCursor } = await readWhole(db, { ...filter, limit: 10 });
      assert.deepEqual([items.map(({ id }) => id), nextCursor], [expected, null], readWhole.name);
    }
  });
}
