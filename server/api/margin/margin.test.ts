/**
 * What videos earned and cost: every attempt has its cost or none, the figures equal the rows, one
 * customer's prices are the same wherever they are shown, and a bill finds every planted lie.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Costs } from '@vidgen/contract/costs.ts';
import type { MarginResponse, VendorBillReport } from '@vidgen/contract/margin.ts';
import fc from 'fast-check';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import type { StatusStep } from '../../../proof/kit/scripted-provider.ts';
import { testAdminToken } from '../../../proof/kit/service.ts';
import { watchMargin } from '../../lifecycle/notices/watch-margin.ts';
import { recordCreditValue } from '../../tasks/credit-values.ts';
import { addInstallationDay } from '../../tasks/installation-days.ts';
import { applyBillSlice, deleteBill } from '../../tasks/vendor-bills.ts';

const rate = { perSecond: 0.02, perTask: 0.005 };
const costs: Costs = {
  models: { 'vidgen-2-0-mini': { '480p': rate } },
  perMillionTokens: 4.3,
  failed: 'free',
};
const failure = { outcome: 'failed', reason: 'failed', detail: 'scripted' } as const;
const ends: Readonly<Record<string, StatusStep>> = {
  rule: 'completed',
  free: 'failed',
  lost: 'vanished',
  reported: { ...failure, cost: { amount: 0.25, currency: 'USD' } },
  tokens: { ...failure, cost: { units: 100_000, unit: 'token' } },
  foreign: { ...failure, cost: { amount: 3, currency: 'JPY' } },
};
const { service, provider } = await useJourney({
  limits: { scripted: { costs } },
  file: { creditValue: { currency: 'USD', amount: 0.02 } },
  script: ({ generation }) => ({ status: [ends[generation.prompt] ?? 'completed'] }),
});
const { db, admin } = service;

const run = (client: Awaited<ReturnType<typeof service.account>>['client'], prompt: string) =>
  client.run({ ...textToVideo, input: { ...textToVideo.input, prompt } });

const marginBy = async (query: string): Promise<MarginResponse> => {
  const { status, body } = await admin.get(`/admin/margin?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as MarginResponse;
};

test('each end of an attempt has its cost and source, and what is unknown is null', async () => {
  const { id, client } = await service.account({ live: 1000, test: 1000 });
  const found = Object.fromEntries(
    await Promise.all(
      Object.keys(ends).map(async (prompt) => {
        const { id: taskId } = await run(client, prompt);
        const { body } = await admin.get(`/admin/tasks/${taskId}`);
        const [attempt] = body.attempts as { cost: { amount: number; source: string } }[];
        return [prompt, [attempt!.cost.amount, attempt!.cost.source, body.revenue]] as const;
      }),
    ),
  );
  assert.deepEqual(found, {
    rule: [0.105, 'rule', 0.1],
    free: [0, 'rule', 0],
    lost: [null, null, 0],
    reported: [0.25, 'reported', 0],
    tokens: [0.43, 'reported', 0],
    foreign: [null, null, 0],
  });
  const { client: testing } = await service.account({ mode: 'test', test: 1000 });
  await run(testing, 'rule');
  const { total, items } = await marginBy(`account_id=${id}&by=provider`);
  const figures = { tasks: 1, credits: 5, revenue: 0.1, attempts: 6 };
  const money = { cost: 0.785, margin: -0.685, cost_unknown: 2 };
  const expected = { key: 'scripted', name: 'scripted', ...figures, ...money };
  assert.deepEqual(items, [expected]);
  assert.deepEqual(total, { ...expected, key: 'total', name: 'total' });
});

test('the largest accounts come first, and each once on all pages', async () => {
  const { client } = await service.account({ live: 1000 });
  await run(client, 'reported');
  const { items } = await marginBy('by=account');
  const sizes = items.map(({ revenue, cost }) => Math.max(revenue ?? 0, cost));
  assert(items.length > 1);
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  const paged = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await marginBy(`by=account&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
    paged.push(...page.items);
    cursor = page.next_cursor;
  }
  assert.deepEqual(paged, items);
  for (const cursor of ['x', '1', `1:%00`, `${'9'.repeat(30)}:a`]) {
    assertApiError(await admin.get(`/admin/margin?cursor=${cursor}`), 'invalid_request');
  }
});

test('the figures equal SQL over the rows, before and after a day was added up', async () => {
  const { id, client } = await service.account({ live: 1000 });
  await Promise.all(['rule', 'lost', 'reported'].map((prompt) => run(client, prompt)));
  // As a start with another `creditValue` does; what was charged before keeps its value.
  for (const micros of [20_000, 50_000]) await recordCreditValue(db, micros);
  const { id: second } = await run(client, 'rule');
  assert.equal((await admin.get(`/admin/tasks/${second}`)).body.revenue, 0.25);
  const { rows } = await db.query(
    `select to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD') as key,
       count(*) filter (where t.billing_status = 'charged') as tasks,
       sum(credits) filter (where t.billing_status = 'charged')::bigint as credits,
       sum(credits * (select micros from credit_values v where v.since <= t.finished_at
         order by since desc limit 1)) filter (where t.billing_status = 'charged')::float8 / 1e6
         as revenue,
       sum(cost_micros)::float8 / 1e6 as cost,
       count(*) filter (where cost_micros is null) as cost_unknown
     from tasks t join attempts a on a.task_id = t.id where t.account_id = $1 group by 1`,
    [id],
  );
  const read = async () => {
    const { items } = await marginBy(`account_id=${id}&by=day&since=2026-01-01`);
    return items.map(({ key, tasks, credits, revenue, cost, cost_unknown }) => ({
      key,
      tasks,
      credits,
      revenue,
      cost,
      cost_unknown,
    }));
  };
  assert.equal(rows[0]!.revenue, 0.35);
  assert.deepEqual(await read(), rows);
  // A week later: nothing of the day is read from the attempts any more.
  const week = `interval '7 days'`;
  await db.query(`alter table tasks disable trigger tasks_move`);
  await db.query(`update usage_rollup set since = since - ${week}, until = until - ${week}`);
  await db.transaction(async (tx) => {
    await tx.query(`update installation_rollup set until = until - ${week}`);
    await tx.query(`update usage_rollup set until = now() + interval '1 day'`);
    while (await addInstallationDay(tx));
  });
  await db.query(`alter table tasks enable trigger tasks_move`);
  assert.equal((await db.query('select from margin_days where account_id = $1', [id])).rowCount, 1);
  assert.deepEqual(await read(), rows);
});

const drawnRate = fc.integer({ min: 0, max: 90_000 }).map((units) => units / 10_000);
const drawnPercent = fc.integer({ min: 1, max: 30_000 }).map((hundredths) => hundredths / 100);
const drawnPrices = fc
  .record({ perSecond: drawnRate, perTask: drawnRate })
  .map((one) => ({ [textToVideo.model]: { '480p': one } }));
const customerPrices = fc.record({
  price_percent: fc.option(drawnPercent),
  prices: fc.option(drawnPrices),
});

test('the estimate, the create, the charge and every list have the drawn prices', async () => {
  const { id, client } = await service.account({ live: 100_000 });
  await fc.assert(
    fc.asyncProperty(customerPrices, async (drawn) => {
      const { status } = await admin.send('PATCH', `/admin/accounts/${id}`, drawn);
      assert.equal(status, 200);
      const { credits } = (await client.post('/v1/videos/generations/estimate', textToVideo)).body;
      const inPlayground = `/admin/accounts/${id}/generations/estimate?mode=live`;
      assert.equal((await admin.post(inPlayground, textToVideo)).body.credits, credits);
      const lists = [client.get('/v1/models'), admin.get(`/admin/accounts/${id}/models`)];
      for (const { body } of await Promise.all(lists)) {
        const models = body.items as { id: string; prices: Record<string, number>[] }[];
        const [price] = models.find((model) => model.id === textToVideo.model)!.prices;
        const exact = price!.credits_per_second! * 5 + price!.credits_per_task!;
        assert.equal(Math.max(1, Math.ceil(Number(exact.toFixed(6)))), credits);
      }
      const { id: taskId } = await client.run(textToVideo);
      const { entries } = (await admin.get(`/admin/tasks/${taskId}`)).body;
      const [{ kind, amount }] = entries as [{ kind: string; amount: number }];
      assert.deepEqual([kind, amount], ['charge', credits]);
    }),
    { numRuns: 25 },
  );
});

test('prices of unknown models are refused, and a change is in the audit log', async () => {
  const { id } = await service.account();
  const change = (prices: object) => admin.send('PATCH', `/admin/accounts/${id}`, { prices });
  const kite = await change({ kite: { '480p': { perTask: 1 } } });
  assertApiError(kite, 'invalid_request', /^prices.kite is not a model/);
  const large = await change({ 'vidgen-2-5': { '4k': { perTask: 1 } } });
  assertApiError(large, 'invalid_request', /^prices.vidgen-2-5.4k is not a resolution/);
  const prices = { 'vidgen-2-5': { '480p': { perTask: 1 } } };
  assert.deepEqual((await change(prices)).body.prices, prices);
  const log = await admin.get(`/admin/audit-log?subject=${id}&action=prices.set`);
  assert.equal((log.body.items as unknown[]).length, 1);
});

async function sendBill(csv: string, query = '', of = 'scripted') {
  const response = await fetch(`${service.url}/admin/vendor-bills?provider=${of}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testAdminToken}`, 'content-type': 'text/csv' },
    body: csv,
  });
  return { status: response.status, text: await response.text() };
}

test('a bill finds every planted lie, accuses no other row, and is applied once', async () => {
  const { id, client } = await service.account({ live: 10_000 });
  await db.query('delete from attempts where provider = $1', [provider.name]);
  await Promise.all(Array.from({ length: 60 }, () => run(client, 'rule')));
  await run(client, 'lost');
  const { rows } = await db.query<{ id: string; micros: number }>(
    `select a.operation as id, a.cost_micros as micros from attempts a
     join tasks t on t.id = a.task_id where t.account_id = $1 and outcome = 'completed' order by 1`,
    [id],
  );
  const line = (one: string, micros: number) => `${one};"x\ny";$${(micros / 1e6).toFixed(3)}`;
  const honest = rows.map((row) => line(row.id, row.micros));
  const [doubled, wrong, missing, credited] = rows;
  await db.query(
    `insert into provider_tests (id, provider, reference, generation, operation, created_by)
     values ('test_1', $1, 'vg_test', '{}', 'op_of_a_test', 'canary')`,
    [provider.name],
  );
  const lies = [
    ...[
      'id;note;usd',
      ...honest.slice(4),
      'op_of_a_test;;0.1',
      honest[0],
      line(wrong!.id, wrong!.micros + 1000),
    ],
    ...[
      honest[0],
      line('op_of_another\0\u{1f4b8}', 105_000),
      `${credited!.id};;-1`,
      ';total;6.300',
    ],
  ].join('\r\n');
  const found = async (query = '', bill = lies) => {
    const report = JSON.parse((await sendBill(bill, query)).text) as VendorBillReport;
    const { differs, not_ours, not_billed, twice, matched } = report;
    const { applicable, applied, applied_before } = report;
    const operations = [differs, not_ours, not_billed].map(({ first }) =>
      first.map(({ operation }) => operation),
    );
    return [...operations, [twice.rows, matched.rows, applicable, applied, applied_before]];
  };
  const lied = [[wrong!.id, credited!.id], ['op_of_another\u{1f4b8}'], [missing!.id]];
  assert.deepEqual(await found(), [...lied, [1, 58, 58, 0, 0]]);
  assert.deepEqual(await found('&apply=true'), [...lied, [1, 58, 58, 58, 0]]);
  lied[0] = [credited!.id];
  // The same file again, and a vendor that bills its operations again in the next month.
  const nextMonth = `${lies}\r\n`;
  for (const _ of ['compared', 'applied']) {
    assert.deepEqual(await found('&apply=true'), [...lied, [1, 59, 0, 0, 58]]);
    assert.deepEqual(await found('&apply=true', nextMonth), [...lied, [59, 1, 0, 0, 0]]);
  }
  const { rows: sources } = await db.query(
    `select cost_source, count(*), sum(cost_micros)::bigint as sum from attempts
     where outcome = 'completed' and provider = 'scripted' group by 1 order by 1`,
  );
  assert.deepEqual(sources, [
    { cost_source: 'bill', count: 58, sum: 58 * doubled!.micros + 1000 },
    { cost_source: 'rule', count: 2, sum: 2 * doubled!.micros },
  ]);
  const { rows: notices } = await db.query(
    `select detail from notices where kind = 'bill_differs' order by created_at`,
  );
  assert.deepEqual(pluck(notices, 'detail'), [
    { provider: 'scripted', differs: 2, twice: 1 },
    { provider: 'scripted', differs: 1, twice: 59 },
  ]);
  const { text: csv } = await sendBill(lies, '&format=csv');
  assert.equal(csv.trim().split('\r\n').length, 1 + 60 + 3);
  assert.equal((await db.query('select from bill_rows')).rowCount, 0);
});

test('of two bills that are applied at once, one has the operations twice', async () => {
  const { client } = await service.account({ live: 1000 });
  const ids = [(await run(client, 'rule')).id, (await run(client, 'rule')).id];
  const tasks = await Promise.all(ids.map((id) => admin.get(`/admin/tasks/${id}`)));
  const operations = tasks.map(
    ({ body }) => (body.attempts as [{ operation: string }])[0].operation,
  );
  const bill = `id,usd\n${operations.map((one) => `${one},0.3\n`).join('')}`;
  const sent = [bill, `${bill}\n`].map((one) => sendBill(one, '&apply=true'));
  const reports = (await Promise.all(sent)).map(({ text }) => JSON.parse(text) as VendorBillReport);
  const twice = reports.map((report) => report.twice.rows);
  assert.deepEqual(twice.toSorted(), [0, 2]);
  // A third, which was compared before them, row by row.
  const [billId, provider, digest] = [randomUUID(), 'scripted', 'third'];
  await db.query(
    `insert into bill_rows (bill_id, line, kind, operation, task_id, number, billed_micros)
     select $1, row_number() over (), 'matched', operation, task_id, number, 300000
     from attempts where task_id = any($2)`,
    [billId, ids],
  );
  for (const after of [0, 1]) {
    const slice = await db.transaction((tx) =>
      applyBillSlice(tx, { billId, provider, digest }, { after, rowsMax: 1 }),
    );
    assert.deepEqual(slice, { last: after + 1, written: 0 });
  }
  await deleteBill(db, { billId });
});

test('a bill that cannot be read names the line or the column', async () => {
  const cases = [
    [
      'operation,us\u200bd\nop,1',
      '&operation=id',
      /no column "id"; its columns are "operation", "us.*d"/,
    ],
    ['video,usd\nop,1', '', /no usual column of the operation/],
    [
      'Task ID,Price (USD),total\nop,1,5',
      '',
      /several columns that can be the amount: "Price \(USD\)", "total"/,
    ],
    ['id,usd\nop_1,0.42\nop_2,free', '', /^Line 3 has no amount up to 1000000 \(got "free"\)/],
    ['id;usd\nop_1;0,420', '', /^Line 2 has no amount/],
    ['id,usd\nop_1,999999999999', '', /^Line 2 has no amount/],
    ['', '', /The file is empty/],
    ['id,usd\n,1\n', '', /^No row of the file has an operation in the column "id"/],
    ['id,cost_eur\nop_1,1', '', /"cost_eur" is not in USD; set currency and rate/],
    // A word, and no currency.
    ['id,valeur\nop_1,free', '&amount=valeur', /^Line 2 has no amount/],
    ['id,usd\nop_1,0,42', '', /^Line 2 has 3 fields, the header 2/],
    ['id,usd,usd\nop_1,1,2', '&amount=usd', /several columns "usd"; rename all but one/],
    ['id,usd\n', '&since=2026-02-01&until=2026-01-31', /^since must not be after until/],
    ['id,usd\n', '&until=9999-12-31', /^until must be a day from 2000 to 2099/],
  ] as const;
  for (const [csv, query, expected] of cases) {
    const { status, text: json } = await sendBill(csv, query);
    assert.equal(status, 400);
    assert.match((JSON.parse(json) as { error: { message: string } }).error.message, expected);
  }
  assert.match(
    (await sendBill('id,usd\nop_1,1', '', 'scriptde')).text,
    /is or was .got ..scriptde/,
  );
  assert.equal((await db.query('select from bill_rows')).rowCount, 0);
});

test('a row whose operation no index could hold is not ours', async () => {
  const bytes = randomBytes(6000);
  const long = bytes.toString('utf16le').replaceAll(/[\0-\u00ff]/g, '');
  const { text: report } = await sendBill(`id,usd\n${long},1`);
  assert.equal(JSON.parse(report).not_ours.rows, 1, report);
});

test('a loss, unknown costs and a model that retires are told once', async () => {
  const { id } = await service.account();
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  await db.query('delete from margin_days');
  await db.query(
    `insert into margin_days (day, account_id, model, provider, tasks, credits, attempts,
       cost_micros, cost_unknown)
     values ($1, $2, 'a', 'ark', 20, 100, 20, 2000001, 0),
       ($1, $2, 'b', 'ark', 20, 100, 20, 2000000, 3),
       ($1, $2, 'c', 'ark', 19, 0, 19, 5000000, 0)`,
    [day(-1), id],
  );
  for (const [name, days] of Object.entries({ soon: 6, later: 31, gone: -1 })) {
    const what = { generationTypes: ['text-to-video'], seconds: [5], retires: day(days) };
    const model = { ...what, name, resolutions: { '480p': { perTask: 1 } } };
    assert.equal((await admin.post('/admin/models', model)).status, 201);
  }
  const { client } = await service.account({ mode: 'test', test: 10 });
  const { headers } = await client.create({ model: 'soon', input: { prompt: 'A boat' } });
  assert.equal(headers.get('sunset'), new Date(day(6)).toUTCString());
  for (const _ of [1, 2]) await watchMargin(service.parts.lifecycle);
  const { rows } = await db.query(
    `select kind, subject from notices where kind <> 'bill_differs' order by 1, 2`,
  );
  assert.deepEqual(rows, [
    { kind: 'cost_unknown', subject: '' },
    { kind: 'model_retires', subject: 'soon 7' },
    { kind: 'negative_margin', subject: 'a ark' },
  ]);
});

test('the command finds the columns and the provider, and exits by what it found', async () => {
  const { client } = await service.account({ live: 1000 });
  const { id } = await run(client, 'rule');
  const { body } = await admin.get(`/admin/tasks/${id}`);
  const [{ operation }] = body.attempts as [{ operation: string }];
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-bill-'));
  const reconcile = async (amount: number, more = '') => {
    const file = join(folder, 'bill.csv');
    await writeFile(file, `Task_ID,Cost\n${operation},${amount}\n${more}`);
    const script = join(import.meta.dirname, '../../../setup/reconcile.mjs');
    const env = { VIDGEN_ADMIN_TOKEN: testAdminToken, VIDGEN_PUBLIC_URL: service.url };
    const command = spawn(process.execPath, [script, file, '--provider', 'scripted'], { env });
    const [output, [code]] = await Promise.all([text(command.stdout), once(command, 'exit')]);
    return { output, code };
  };
  const honest = await reconcile(0.105);
  assert.equal(honest.code, 0, honest.output);
  assert.match(honest.output, /matched +1 /);
  const wrong = await reconcile(0.21, '\u001b[2Jop,1\n');
  assert.equal(wrong.code, 1);
  assert(wrong.output.includes(`line 2  ${operation}  ${id}  billed 0.21, expected 0.105`));
  assert(wrong.output.includes('?[2Jop'), 'a terminal does not obey a bill');
  await rm(folder, { recursive: true });
});
