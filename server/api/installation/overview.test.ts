/** The overview of the installation: the same numbers from rows and from added-up days. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListProvidersResponse } from '@vidgen/contract/admin-providers.ts';
import { OverviewResponse } from '@vidgen/contract/admin-system.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { countRowsRead } from '../../../proof/kit/rows-read.ts';
import { seedTaskHistory } from '../../../proof/kit/seed-task-history.ts';
import { addLedgerDays } from '../../ledger/ledger-days.ts';
import { readMedianSeconds } from '../../tasks/find-attempts.ts';
import { addInstallationDay } from '../../tasks/installation-days.ts';
import { addUsageDay } from '../../tasks/usage-days.ts';

const { service } = await useJourney({ script: { status: ['completed'] } });
const { db } = service;

const overview = async (query = ''): Promise<OverviewResponse> => {
  const { status, body } = await service.admin.get(`/admin/overview?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return OverviewResponse.parse(body);
};
/** Without the end of the period, which is the time of the request. */
const withoutTime = ({ until: _, ...rest }: OverviewResponse) => rest;

const account = await service.account({ live: 100_000, test: 500 });
const completed = await account.client.create(textToVideo);
await account.client.final(String(completed.body.taskId));
await seedTaskHistory(db, { account: account.id });
// As if the installation had been there all the time.
await db.query(
  `update usage_rollup set since = date_trunc('day', now() - interval '60 days', 'UTC'),
     until = date_trunc('day', now() - interval '60 days', 'UTC')`,
);
await db.query('update installation_rollup set until = (select since from usage_rollup)');

test('counts credits, tasks, times and providers of the period, with every day', async () => {
  const { total, days, providers } = await overview('days=7');
  assert.equal(days.length, 7);
  const today = days.at(-1)!;
  assert.equal(total.sold, 100_000);
  assert(total.tasks > today.tasks, 'the history is counted');
  assert.equal(total.completed, total.tasks);
  assert.equal(
    today.tasks,
    today.models.reduce((sum, { tasks }) => sum + tasks, 0),
  );
  assert.equal(
    total.tasks,
    days.reduce((sum, { tasks }) => sum + tasks, 0),
  );
  assert.equal(
    total.spent,
    days.reduce((sum, { spent }) => sum + spent, 0),
  );
  assert(total.p50_seconds! > 5 && total.p50_seconds! <= total.p95_seconds!);
  const [provider] = providers;
  assert.deepEqual([provider?.attempts, provider?.completed, provider?.failed], [1, 1, 0]);
});

test('the list of providers has the figures of 30 days from rows', async () => {
  const { body } = await service.admin.get('/admin/providers');
  const { items } = ListProvidersResponse.parse(body);
  const [used] = (await overview('days=30')).providers;
  const { last_30_days: figures } = items.find(({ name }) => name === used!.name)!;
  const { attempts, completed, failed } = used!;
  assert.deepEqual(
    { ...figures, median_seconds: null, cost_per_second: null },
    {
      attempts,
      completed,
      failed,
      median_seconds: null,
      cost_per_second: null,
    },
  );
  assert(figures.median_seconds !== null && figures.median_seconds >= 0);
  const unused = items.find(({ name }) => name === 'preview')!.last_30_days;
  const none = { median_seconds: null, cost_per_second: null };
  assert.deepEqual(unused, { attempts: 0, completed: 0, failed: 0, ...none });
});

test('the median time of a provider reads its newest attempts only', async () => {
  const { rows } = await db.query<{ task_id: string; provider: string }>(
    'select task_id, provider from attempts limit 1',
  );
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into attempts (task_id, number, provider, reference, outcome, started_at, ended_at)
       select $1, n, 'busy', 'busy-' || n, 'completed', now() - interval '1 minute', now()
       from generate_series(100, 3000) n`,
      [rows[0]!.task_id],
    );
  });
  await db.query('analyze attempts');
  const read = { providers: ['busy'], since: new Date(Date.now() - 86_400_000) };
  assert.deepEqual(await readMedianSeconds(db, read), [
    { provider: 'busy', seconds: 60, costPerSecond: null },
  ]);
  const count = await countRowsRead(db, (counted) => readMedianSeconds(counted, read));
  assert(count <= 501, `${count} rows`);
  await db.query(`delete from attempts where provider = 'busy'`);
});

test('modes are apart', async () => {
  const { total } = await overview('days=90&mode=test');
  assert.deepEqual([total.sold, total.spent, total.tasks, total.p50_seconds], [500, 0, 0, null]);
});

test('deducted credits do not count as sold', async () => {
  const { sold } = (await overview('days=7&mode=test')).total;
  const path = `/admin/accounts/${account.id}/credits`;
  const { status } = await service.admin.post(path, {
    amount: -40,
    mode: 'test',
    note: 'A mistake',
  });
  assert.equal(status, 201);
  const { total, days } = await overview('days=7&mode=test');
  assert.equal(total.sold, sold - 40);
  assert.equal(days.at(-1)!.sold, sold - 40);
});

test('added-up days have the same numbers as the rows', async () => {
  const before = withoutTime(await overview('days=90'));
  while (await db.transaction((tx) => addUsageDay(tx)));
  while (await db.transaction((tx) => addInstallationDay(tx)));
  // The entries of this test are too new to be added up; those of the history are from days ago.
  while (await db.transaction((tx) => addLedgerDays(tx)));
  const { rows } = await db.query<{ days: number }>(
    'select count(distinct day)::int as days from installation_days',
  );
  assert(rows[0]!.days >= 26, `${rows[0]!.days} days`);
  assert.deepEqual(withoutTime(await overview('days=90')), before);
  assert.equal(await db.transaction((tx) => addInstallationDay(tx)), false);
  // As if the days until tomorrow had been added by a clock that was ahead.
  for (const rollup of ['usage_rollup', 'installation_rollup']) {
    await db.query(
      `update ${rollup} set until = date_trunc('day', now(), 'UTC') + interval '1 day'`,
    );
  }
  assert.equal(await db.transaction((tx) => addUsageDay(tx)), false);
  assert.equal(await db.transaction((tx) => addInstallationDay(tx)), false);
  assert.deepEqual(withoutTime(await overview('days=90')), before);
});

test('entries are added up once', async () => {
  const before = withoutTime(await overview('days=90'));
  // As if ten minutes had passed since the position was last moved.
  await db.query('alter table ledger_entries disable trigger user');
  await db.query(`update ledger_entries set created_at = created_at - interval '11 minutes'`);
  const aged = withoutTime(await overview('days=90'));
  assert.equal(aged.total.spent, before.total.spent);
  for (let again = 0; again < 2; again++) await db.transaction((tx) => addLedgerDays(tx));
  const added = withoutTime(await overview('days=90'));
  assert.equal(added.total.spent, before.total.spent);
  assert.equal(added.total.sold, before.total.sold);
});
