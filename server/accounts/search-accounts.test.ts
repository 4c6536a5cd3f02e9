/** The list of accounts: each search, filter and sort, stable pages, and their cost. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { seedPerson } from '../../proof/kit/people.ts';
import { countRowsRead } from '../../proof/kit/rows-read.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { createAccount } from './account.ts';
import { addMember } from './people/membership.ts';
import { type AccountFilter, listAccounts, recordActivity } from './search-accounts.ts';

const { db } = await useDatabase();
const ids = new Map<string, string>();
const names = [
  'Paper Boat Studio',
  'ÉCLAIR-Films',
  '紙の船工房',
  'paper tigers',
  '50% off & Söhne',
];
/** Older and without activity, so that the accounts above come first. */
const bulk = 10_000;

before(async () => {
  await db.query(
    `with made as (
       insert into accounts (id, name, webhook_secret, created_at)
       select gen_random_uuid(), 'Customer ' || n, 'whsec_' || repeat('a', 44),
         now() - interval '1 year' - n * interval '1 minute' from generate_series(1, ${bulk}) n
       returning id)
     insert into account_activity (account_id) select id from made`,
  );
  for (const name of names) {
    ids.set(name, (await db.transaction((tx) => createAccount(tx, { name }))).id);
  }
  const activities = names.map((name, at) => ({
    accountId: ids.get(name)!,
    available: (at + 1) * 100,
    lastTaskId: at === 2 ? '' : `task_0000000000000000000000000${at}`,
  }));
  await db.transaction((tx) => recordActivity(tx, { activities, position: 7 }));
  const dana = await seedPerson(db, { email: 'Dana.Ng@tiny-lab.example', name: 'Dana Ng' });
  const member = { accountId: ids.get('paper tigers')!, personId: dana.id, role: 'owner' } as const;
  await db.transaction((tx) => addMember(tx, member));
  await db.query('update accounts set suspended_at = now() where id = any($1::uuid[])', [
    [ids.get('ÉCLAIR-Films'), ids.get('paper tigers')],
  ]);
  await db.query('update accounts set closed_at = now() where id = $1', [ids.get('paper tigers')]);
  await db.query('analyze accounts, account_activity, people, memberships');
});

const find = async (filter: Partial<AccountFilter>): Promise<string[]> =>
  (await listAccounts(db, { limit: 10, ...filter })).items.map(({ name }) => name);

describe('search', () => {
  const cases: [string, string[]][] = [
    ['paper', ['Paper Boat Studio', 'paper tigers']],
    ['boat pap', ['Paper Boat Studio']],
    ['éclair', ['ÉCLAIR-Films']],
    ['FILMS', ['ÉCLAIR-Films']],
    ['船工', ['紙の船工房']],
    ['söhne', ['50% off & Söhne']],
    ['customer 9999', ['Customer 9999']],
    ['dana.ng@tiny-lab.example', ['paper tigers']],
    ['tiny lab', ['paper tigers']],
    ['aper', []],
    ['%', []],
    [`'); drop table accounts; --`, []],
    [`x & | ! <-> :* '`, []],
  ];
  for (const [search, expected] of cases) {
    test(`${search} finds ${expected.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await find({ search, sort: 'created' }), expected);
    });
  }

  test('finds an account by its ID and by the beginning of it', async () => {
    const id = ids.get('Paper Boat Studio')!;
    for (const search of [id, id.toUpperCase(), id.slice(0, 8), id.slice(0, 15)]) {
      assert.deepEqual(await find({ search }), ['Paper Boat Studio']);
    }
  });
});

describe('sort and filter', () => {
  const first = names.toReversed();
  const cases: [Partial<AccountFilter>, string[]][] = [
    [{ limit: 5 }, first],
    [{ sort: '-balance', limit: 5 }, first],
    [{ sort: 'balance', availableMax: 300, search: 'paper' }, ['Paper Boat Studio']],
    [{ sort: '-last_task', limit: 4 }, first.filter((name) => name !== '紙の船工房')],
    [{ hasTasks: true, limit: 100 }, first.filter((name) => name !== '紙の船工房')],
    [{ sort: 'name', limit: 2 }, ['50% off & Söhne', 'Customer 1']],
    [{ sort: '-name', limit: 3 }, ['紙の船工房', 'ÉCLAIR-Films', 'paper tigers']],
    [{ status: 'suspended' }, ['ÉCLAIR-Films']],
    [{ status: 'suspended', sort: '-balance' }, ['ÉCLAIR-Films']],
    [{ status: 'closed' }, ['paper tigers']],
    [{ status: 'open', limit: 4 }, first.filter((name) => name !== 'paper tigers')],
    [
      { status: 'active', limit: 3 },
      first.filter((name) => name !== 'paper tigers' && name !== 'ÉCLAIR-Films'),
    ],
  ];
  for (const [filter, expected] of cases) {
    test(`${JSON.stringify(filter)}`, async () => {
      assert.deepEqual(await find(filter), expected);
    });
  }
});

describe('pages', () => {
  for (const sort of ['created', '-name', 'balance', '-last_task']) {
    test(`${sort}: a page continues after the last row, which changes meanwhile`, async () => {
      const filter = { sort, search: 'paper', limit: 1 };
      const one = await listAccounts(db, filter);
      assert(one.nextCursor);
      const { rows } = await db.query<{ available: number; task: string }>(
        'select available, last_task_id as task from account_activity where account_id = $1',
        [one.items[0]!.id],
      );
      const move = (available: number, task: string) =>
        db.query(
          'update account_activity set available = $2, last_task_id = $3 where account_id = $1',
          [one.items[0]!.id, available, task],
        );
      await move(sort === 'balance' ? 0 : 250, 'task_z');
      const two = await listAccounts(db, { ...filter, cursor: one.nextCursor });
      await move(rows[0]!.available, rows[0]!.task);
      const both = [...one.items, ...two.items].map(({ name }) => name);
      assert.deepEqual(both.toSorted(), ['Paper Boat Studio', 'paper tigers']);
      assert.equal(two.nextCursor, null);
    });
  }
});

test('reads a page from an index, however many accounts there are', async () => {
  const filters: Partial<AccountFilter>[] = [
    ...[
      'created',
      '-created',
      'name',
      '-name',
      'balance',
      '-balance',
      'last_task',
      '-last_task',
    ].map((sort) => ({ sort })),
    { search: 'paper', sort: '-balance' },
    { search: 'dana', sort: 'name' },
    { search: ids.get('paper tigers')! },
    { sort: 'balance', availableMax: 50 },
    { hasTasks: true, sort: '-last_task' },
    { status: 'suspended' },
    { status: 'suspended', sort: 'name' },
    { status: 'suspended', sort: '-balance' },
    { status: 'closed' },
    { status: 'closed', sort: '-balance' },
  ];
  for (const filter of filters) {
    const rows = await countRowsRead(db, (db) => listAccounts(db, { limit: 20, ...filter }));
    assert(rows <= 100, `${JSON.stringify(filter)} reads ${rows} rows`);
  }
});
