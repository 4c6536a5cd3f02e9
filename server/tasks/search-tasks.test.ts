/** The search for tasks: words, IDs, providers, filters, new and erased tasks, and its cost. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { countRowsRead } from '../../proof/kit/rows-read.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { generationOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import type { Queryable } from '../database/database.ts';
import { eraseRequests, eraseTasks } from './retention.ts';
import { isTaskSearch, searchTasks, type TaskSearch } from './search-tasks.ts';
import { lockTasks } from './store.ts';
import { newTaskId } from './task-id.ts';
import { listTasks } from './task-list.ts';
import { addTaskWords, findWordsPosition } from './task-words.ts';

const scratch = await useDatabase();
const one = await seedAccount(scratch.db);
const other = await seedAccount(scratch.db);
const hourMs = 3_600_000;
const day0Ms = Date.now() - 30 * 24 * hourMs;
const bulk = 8_000;
/** More words than are matched by their beginnings. */
const longPrompt = 'Nine small red foxes jump over two very lazy gray dogs';

type Seed = { readonly prompt: string; readonly at: number; readonly requestId?: string };

/** Failed tasks, which have no result; `at` is in hours. */
async function insertTasks(account: SeededAccount, seeds: readonly Seed[]): Promise<string[]> {
  const rows = seeds.map(({ prompt, at, requestId = null }) => ({
    id: newTaskId(day0Ms + at * hourMs),
    generation: generationOf({ prompt }),
    requestId,
    at: new Date(day0Ms + at * hourMs),
  }));
  await scratch.db.query(
    `insert into tasks (id, account_id, key_id, mode, model, generation, credits, request_id,
       created_at, deadline_at, status, billing_status, failed_reason, finished_at)
     select id, $2, $3, 'live', 'vidgen-2-0-mini', generation, 5, "requestId", at, at, 'failed',
       'refunded', 'provider_failed', at
     from jsonb_to_recordset($1::jsonb)
       as t(id text, generation jsonb, "requestId" text, at timestamptz)`,
    [JSON.stringify(rows), account.accountId, account.keyId],
  );
  return rows.map(({ id }) => id);
}

const addAllWords = async (): Promise<void> => {
  while (await scratch.db.transaction((tx) => addTaskWords(tx)));
};

const find = async (filter: Partial<TaskSearch>): Promise<string[]> =>
  (await searchTasks(scratch.db, { limit: 10, ...filter })).map(
    ({ generation }) => generation.prompt,
  );

before(async () => {
  const common = Array.from({ length: bulk }, (_, at) => ({
    prompt: `A paper boat crosses lake ${at}`,
    at: at / 100,
  }));
  await insertTasks(one, common);
  const ids = await insertTasks(other, [
    { prompt: 'A zeppelin in slow-motion', at: 1, requestId: 'req_AbC123456' },
    { prompt: 'Zeppelins over Zürich', at: 100 },
    { prompt: '紙の船が湖を渡る', at: 101 },
    { prompt: 'A paper boat of another account', at: 102 },
    { prompt: longPrompt, at: 103 },
  ]);
  await scratch.db.query(
    `insert into attempts (task_id, number, provider, reference, outcome, ended_at)
     select id, number, case when id = $1 then 'rare' else 'usual' end,
       id || number, 'failed', now()
     from tasks cross join generate_series(1, 2) number`,
    [ids[1]],
  );
  await addAllWords();
  await scratch.db.runAlone('vacuum analyze tasks, task_search, attempts');
});

describe('finds by', () => {
  const zeppelins = ['Zeppelins over Zürich', 'A zeppelin in slow-motion'];
  const cases: [string, Partial<TaskSearch>, string[]][] = [
    ['a word in any case, and its beginning', { search: 'ZEPP' }, zeppelins],
    ['a short word as a whole', { search: 'ze in' }, []],
    ['all words', { search: 'motion zeppelin' }, ['A zeppelin in slow-motion']],
    ['letters that are not ASCII', { search: 'zürich' }, ['Zeppelins over Zürich']],
    ['a part of Chinese or Japanese text', { search: '湖を' }, ['紙の船が湖を渡る']],
    ['request ID', { search: 'req_AbC123456' }, ['A zeppelin in slow-motion']],
    ['provider', { provider: 'rare' }, ['Zeppelins over Zürich']],
    ['word and provider', { search: 'zeppelin', provider: 'rare' }, ['Zeppelins over Zürich']],
    ['word and status', { search: 'zeppelin', status: 'completed' }, []],
    ['word and mode', { search: 'zeppelin', mode: 'test' }, []],
    ['word and end', { search: 'zepp', createdBefore: day0Ms / 1000 + 7200 }, zeppelins.slice(1)],
    [
      'word and start',
      { search: 'zepp', createdAfter: day0Ms / 1000 + 7200 },
      zeppelins.slice(0, 1),
    ],
    ['a long text, by whole words', { search: longPrompt.toUpperCase() }, [longPrompt]],
    ['a long text, not by beginnings', { search: longPrompt.slice(0, -1) }, []],
    ['nothing without a word', { search: '?!' }, []],
    ['nothing with the name of an index word', { search: '=request:' }, []],
    ['no operator', { search: `zeppelin | paper'); drop table tasks` }, []],
  ];
  for (const [name, filter, expected] of cases) {
    test(name, async () => assert.deepEqual(await find(filter), expected));
  }

  test('word and account', async () => {
    const search = 'paper boat';
    assert.deepEqual(await find({ search, accountId: other.accountId }), [
      'A paper boat of another account',
    ]);
    assert.deepEqual(await find({ search: 'zeppelin', accountId: one.accountId }), []);
    assert.equal((await find({ search, keyId: one.keyId })).length, 10);
  });

  test('task ID, with the filters', async () => {
    const [task] = await searchTasks(scratch.db, { search: 'zürich', limit: 1 });
    assert.deepEqual(await find({ search: ` ${task!.id} ` }), ['Zeppelins over Zürich']);
    assert.deepEqual(await find({ search: task!.id, accountId: one.accountId }), []);
  });
});

test('pages have each task once, newest first, also across the end of the index', async () => {
  const recent = await insertTasks(
    other,
    [720.02, 720.01, 720].map((at) => ({ prompt: 'A quokka', at })),
  );
  await insertTasks(other, [{ prompt: 'A quokka, earlier', at: 200 }]);
  await addAllWords();
  const position = await findWordsPosition(scratch.db);
  assert(
    recent.every((id) => id > position),
    'the newest may still be followed by older ones',
  );
  const found: string[] = [];
  for (let beforeId: string | undefined; ; ) {
    const page = await searchTasks(scratch.db, { search: 'quokka', beforeId, limit: 1 });
    if (page.length === 0) break;
    found.push(page[0]!.id);
    beforeId = page[0]!.id;
  }
  assert.equal(found.length, 3, 'an ID below the position is not looked for again');
  assert.deepEqual(found, recent);
});

test('oldest first has the same tasks in the other order', async () => {
  const { db } = scratch;
  const filters: Partial<TaskSearch>[] = [
    ...[{ search: 'quokka' }, { search: 'zeppelin' }, { provider: 'rare' }, { status: 'failed' }],
    { accountId: other.accountId, mode: 'live' },
  ] as const;
  for (const filter of filters) {
    const list = isTaskSearch(filter) ? searchTasks : listTasks;
    const pages = async (isOldestFirst: boolean) => {
      const found: string[] = [];
      for (let beforeId: string | undefined; found.length < 20; beforeId = found.at(-1)) {
        const page = await list(db, { ...filter, isOldestFirst, beforeId, limit: 2 });
        found.push(...page.map(({ id }) => id));
        if (page.length < 2) break;
      }
      return found;
    };
    const oldest = await pages(true);
    assert.deepEqual(oldest, oldest.toSorted(), JSON.stringify(filter));
    if (oldest.length < 20) assert.deepEqual(oldest.toReversed(), await pages(false));
  }
  const first = (one: Queryable) => listTasks(one, { isOldestFirst: true, limit: 20 });
  assert((await countRowsRead(db, first)) <= 40);
  const boats = { search: 'boat', isOldestFirst: true, limit: 20 };
  assert((await countRowsRead(db, (one) => searchTasks(one, boats))) <= 2_400);
});

test('a new task is found before it is in the index', async () => {
  await insertTasks(other, [{ prompt: 'A brand-new narwhal', at: 720.1 }]);
  assert.deepEqual(await find({ search: 'narwhal' }), ['A brand-new narwhal']);
});

test('erasing a prompt or a task erases its words', async () => {
  const { db } = scratch;
  const words = async (): Promise<number> =>
    (await db.query(`select from task_search where words @@ 'zeppelins' or words @@ 'zeppelin'`))
      .rowCount;
  assert.equal(await words(), 2);
  const [task] = await searchTasks(db, { search: 'zürich', limit: 1 });
  await db.transaction(async (tx) => {
    await eraseTasks(tx, [...(await lockTasks(tx, [task!.id])).values()]);
  });
  assert.equal(await words(), 1);
  const range = { accountId: other.accountId, mode: 'live', afterId: '', beforeId: 'u' } as const;
  await db.transaction((tx) => eraseRequests(tx, range, { limit: 1 }));
  assert.equal(await words(), 0);
  assert.deepEqual(await find({ search: 'req_AbC123456' }), [''], 'the request ID is kept');
});

test('reads few rows for rare and for common words, however many tasks there are', async () => {
  const filters: Partial<TaskSearch>[] = [
    { search: 'slow motion' },
    { search: 'boat' },
    { search: 'boat', accountId: other.accountId },
    { search: 'req_AbC123456' },
    { provider: 'rare' },
    { provider: 'usual' },
  ];
  for (const filter of filters) {
    const rows = await countRowsRead(scratch.db, (db) => searchTasks(db, { limit: 20, ...filter }));
    assert(rows <= 2_400, `${JSON.stringify(filter)} reads ${rows} rows`);
  }
});
