/** Erasing an account: what is gone, what stays, and that a crash only delays it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf, textToVideo, useJourney, withoutPrompts } from '../../../proof/kit/journey.ts';
import { newLink, newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { resultFramePath } from '../../../proof/kit/result-server.ts';
import { tablesWith } from '../../../proof/kit/tables-with.ts';
import { continueErasures } from '../../lifecycle/upkeep/erase-account.ts';

const pending = { outcome: 'pending', pollAfterSeconds: 600 } as const;
const journey = await useJourney({
  environment: { VIDGEN_RATE_STATUS: '0' },
  script: ({ generation: { prompt } }) => ({
    status: [prompt === 'endless' ? pending : 'completed'],
  }),
});
const { service, receiver } = journey;
const { db } = service;
const { lifecycle } = service.parts;

const name = 'Paper Boat Studio';
const erase = (id: string, body: object = { name }) =>
  service.admin.post(`/admin/accounts/${id}/erase`, body);
const accountOf = async (id: string) =>
  Account.parse((await service.admin.get(`/admin/accounts/${id}`)).body);

const requestOf = (prompt: string) => ({
  ...textToVideo,
  callback_url: receiver.url,
  input: { ...textToVideo.input, prompt },
});

/** Until the jobs of the erased tasks have deleted their files. */
async function finishErasure(id: string) {
  do await continueErasures(lifecycle, { sliceRows: 1 });
  while ((await accountOf(id)).erased_at === null);
}

test('leaves the ledger and usage, and nothing of the people and tasks', async () => {
  const account = await service.account({ live: 100, name });
  const other = await service.account({ live: 100, name: 'Another' });
  const { client, id } = account;
  const owner = await newMember(service, { accountId: id, role: 'owner' });
  const both = await newMember(service, { accountId: id, role: 'viewer' });
  const invitations = `/admin/accounts/${other.id}/invitations`;
  await both.post('/links/use', {
    token: await newLink(service.admin, invitations, { role: 'viewer' }),
  });
  await service.admin.post(`/admin/accounts/${id}/invitations`, { role: 'viewer' });
  const tasks = [await client.run(requestOf('a secret garden')), await client.run(textToVideo)];
  const otherTask = await other.client.run(requestOf('another garden'));
  const { url: uploadUrl } = await client.upload(await readFile(resultFramePath));
  const balance = await balanceOf(service, id);
  const [ledger, usage] = await Promise.all(
    ['ledger', 'usage?mode=live'].map((part) => service.admin.get(`/admin/accounts/${id}/${part}`)),
  );

  const { status, body } = await erase(id);
  assert.equal(status, 202, JSON.stringify(body));
  const erasing = Account.parse(body);
  assert.deepEqual([erasing.name, erasing.webhook_url], ['Erased account', null]);
  assert(erasing.closed_at !== null && erasing.erasure_started_at !== null);
  assertApiError(await client.get('/v1/credits'), 'invalid_api_key');
  assert.equal((await owner.get('/session')).status, 401);
  await finishErasure(id);

  assert.deepEqual(await tablesWith(db, name), ['audit_log']);
  assert.deepEqual(await tablesWith(db, 'a secret garden'), []);
  const { rows: keyRows } = await db.query(
    'select name, last_four, permissions from api_keys where id = $1',
    [account.keyId],
  );
  assert.deepEqual(keyRows, [{ name: 'Erased key', last_four: '0000', permissions: [] }]);
  for (const task of tasks) {
    assert.deepEqual(await Array.fromAsync(lifecycle.storage.list(`${task.id}/`)), []);
  }
  assert.equal((await fetch(uploadUrl)).status, 404);
  assert.deepEqual(await balanceOf(service, id), balance);
  const after = await service.admin.get(`/admin/accounts/${id}/ledger`);
  assert.deepEqual(after.body, withoutPrompts(ledger!.body));
  const counts = ({ body: read }: typeof after) => JSON.stringify(read).match(/"tasks":\d+/g);
  const usageAfter = await service.admin.get(`/admin/accounts/${id}/usage?mode=live`);
  assert.deepEqual(counts(usageAfter), counts(usage!));
  assert.equal((await both.get(`/admin/accounts/${other.id}`)).status, 200);
  assert.equal((await other.client.get(`/v1/tasks/${otherTask.id}`)).status, 200);
  const actions = pluck(await service.auditLog(id), 'action');
  assert.deepEqual(actions.slice(0, 2), ['account.erased', 'account.erase']);
  await service.assertInvariants();
  assert.equal((await erase(id, { name: 'any' })).status, 202);
});

/** Money, usage, counters and the audit log, and what they refer to, without names. */
const keptTables: readonly string[] = [
  ...['accounts', 'api_keys', 'people', 'attempts', 'erased_tasks', 'audit_log'],
  ...['balances', 'ledger_entries', 'checkouts', 'redemption_codes', 'account_activity'],
  ...['usage_days', 'margin_days', 'key_spending', 'account_windows', 'create_windows'],
  // Deleted by their age, or with the comparison of a bill.
  ...['undelivered_creates', 'status_rounds', 'bill_rows'],
  // Its `key_id` is no API key.
  'provider_credentials',
];

test('leaves rows of an account, its people, keys and tasks in the kept tables only', async () => {
  const { client, id, keyId } = await service.account({ live: 100, name });
  const { personId, email } = await newMember(service, { accountId: id, role: 'owner' });
  const metadata = { order: 'secret' };
  const request = { ...textToVideo, metadata, callback_url: receiver.url };
  const created = await client.create(request, { 'idempotency-key': 'secret' });
  const taskId = String(created.body.taskId);
  await client.final(taskId);
  await fillTables({ id, personId, email, taskId });
  const tablesOf = async () =>
    (await Promise.all([id, personId, email, keyId, taskId].map((one) => tablesWith(db, one))))
      .flat()
      .filter((table) => !keptTables.includes(table));
  const { rows } = await db.query<{ name: string }>(
    `select distinct table_name::text as name from information_schema.columns
      where table_schema = 'public' and column_name ~ '(account|person|key|task)_id$|_person$'
        and not table_name = any($1) order by 1`,
    [keptTables],
  );
  const filled = await tablesOf();
  for (const { name: table } of rows) {
    assert(filled.includes(table), `${table}: fill it in this test, or name it in keptTables`);
  }
  assert.equal((await erase(id)).status, 202);
  await finishErasure(id);
  assert.deepEqual(await tablesOf(), []);
});

/** Those in which an account has no rows after a task and a member. */
async function fillTables({ id, personId, email, taskId }: Record<string, string>) {
  const notice = `notice_${'0'.repeat(26)}`;
  const digest = '0'.repeat(64);
  const rows = {
    balance_alerts: `(account_id, threshold) values ('${id}', 5)`,
    retention_positions: `(account_id, part) values ('${id}', 'deliveries')`,
    task_search: `(task_id, words) values ('${taskId}', '') on conflict do nothing`,
    cli_logins: `(digest, letters, machine, address, expires_at, account_id, mode, confirmed_by,
      confirmed_by_person) values ('${digest}', 'BCDF-BCDF', 'A laptop', '', now(), '${id}', 'live',
      '${email}', '${personId}')`,
    identities: `(issuer, subject, person_id) values ('https://id.example', 'x', '${personId}')`,
    second_factors: `(person_id, secret) values ('${personId}', 'x')`,
    recovery_codes: `(person_id, digest) values ('${personId}', '${digest}')`,
    notices: `(id, kind, account_id, subject, detail)
      values ('${notice}', 'low_balance', '${id}', 'live', '{}')`,
    notice_readings: `(person_id, read_up_to) values ('${personId}', '${notice}')`,
    notice_dismissals: `(person_id, notice_id) values ('${personId}', '${notice}')`,
    outbox: `(id, channel, kind, recipient)
      values ('mail_${'0'.repeat(26)}', 'mail', 'password_changed', '${email}')`,
  };
  for (const [table, row] of Object.entries(rows)) await db.query(`insert into ${table} ${row}`);
}

test('continues after a crash where it was', async () => {
  const { client, id } = await service.account({ live: 100, name });
  for (let nth = 0; nth < 3; nth++) await client.run(textToVideo);
  assert.equal((await erase(id)).status, 202);
  const { transaction } = lifecycle.db;
  let commits = 0;
  const crashing = {
    ...lifecycle,
    db: Object.assign(Object.create(lifecycle.db), {
      transaction: (async (work, options) => {
        if (++commits > 2) throw new Error('the process died');
        return await transaction.call(lifecycle.db, work, options);
      }) as typeof transaction,
    }),
  };
  await assert.rejects(continueErasures(crashing, { sliceRows: 1 }), /the process died/);
  assert.equal((await accountOf(id)).erased_at, null);
  await service.assertInvariants();
  await Promise.all([finishErasure(id), finishErasure(id)]);
  const { rows } = await db.query('select from tasks where account_id = $1', [id]);
  assert.deepEqual(rows, []);
  const log = await service.auditLog(id);
  const ends = log.filter(({ action }) => action === 'account.erased');
  assert.equal(ends.length, 1);
});

test('does not end while another transaction has locked a task', async () => {
  const { client, id } = await service.account({ live: 100, name });
  const { id: taskId } = await client.run(textToVideo);
  assert.equal((await erase(id)).status, 202);
  await db.transaction(async (tx) => {
    await tx.query('select from tasks where id = $1 for update', [taskId]);
    await continueErasures(lifecycle);
    assert.equal((await accountOf(id)).erased_at, null);
  });
  await finishErasure(id);
});

describe('is rejected, and changes nothing,', () => {
  test('while a task is in progress or its refund is to be resolved', async () => {
    const { client, id } = await service.account({ live: 100, name });
    await client.create(requestOf('endless'));
    assertApiError(await erase(id), 'invalid_request', /has tasks in progress \(1\)/);
    assert.equal((await client.get('/v1/credits')).status, 200);
    assert.equal((await client.create(textToVideo)).status, 200);
    await service.admin.post(`/admin/accounts/${id}/close`);
    const failed = { end: 'failed', reason: 'timed_out', attempt: 'timed_out' } as const;
    const { rows } = await db.query<{ id: string }>(
      'select id from tasks where account_id = $1 and finished_at is null',
      [id],
    );
    for (const task of rows) {
      await lifecycle.settle({ ...failed, taskId: task.id, accountId: id, mode: 'live' });
    }
    assertApiError(await erase(id), 'invalid_request', /refunds that are not resolved/);
    for (const task of rows) {
      const settled = { outcome: 'written_off', note: 'agreed' };
      await service.admin.post(`/admin/tasks/${task.id}/settle-refund`, settled);
    }
    assert.equal((await erase(id)).status, 202);
    await finishErasure(id);
  });

  test('with the name of another account, or without one', async () => {
    const { client, id } = await service.account({ live: 100, name });
    assertApiError(await erase(id, { name: 'Another' }), 'invalid_request', /name must be/);
    assertApiError(await erase(id, {}), 'invalid_request');
    assertApiError(await erase('00000000-0000-0000-0000-000000000000'), 'not_found');
    assert.equal((await client.get('/v1/credits')).status, 200);
  });

  test('by creates at the same time, of which none is lost', async () => {
    const { client, id } = await service.account({ live: 1000, name });
    const creates = Array.from({ length: 10 }, () => client.create(textToVideo));
    const erasing = erase(id);
    const accepted = (await Promise.all(creates)).filter(({ status }) => status === 200);
    const { status } = await erasing;
    const { body } = await service.admin.get(`/admin/accounts/${id}/ledger?kind=reserve`);
    assert.equal((body.items as unknown[]).length, accepted.length);
    if (status === 202) assert.equal(accepted.length, 0);
  });
});
