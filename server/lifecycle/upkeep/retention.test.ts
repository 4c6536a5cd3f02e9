/**
 * What is older than it is kept is deleted, of each account as it says, and nothing else.
 * Thorough: makes tasks of past days.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf, createTask, textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import type { Transaction } from '../../database/database.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import type { LifecycleContext } from '../context.ts';
import { applyRetention } from './retention.ts';

const pending = { outcome: 'pending', pollAfterSeconds: 600 } as const;
const { service, receiver } = await useJourney({
  environment: { VIDGEN_RATE_STATUS: '0', VIDGEN_WEBHOOK_RETRIES: '10m' },
  script: ({ generation: { prompt } }) => ({
    status: [prompt === 'endless' ? pending : prompt === 'failed' ? 'failed' : 'completed'],
  }),
});
const { db, parts } = service;
const kept = { prompts: 0, deliveries: 0, tasks: 0 };
const dayMs = 86_400_000;

const apply = (days: Partial<typeof kept>, options: Parameters<typeof applyRetention>[2] = {}) =>
  applyRetention(parts.lifecycle, { ...kept, ...days }, options);

type Seed = { days: number; prompt?: string; metadata?: object };

const submitted = `select from attempts where task_id = $1 and operation is not null`;
const delivered = `select from deliveries where task_id = $1 and status <> 'pending'`;

/** A task that ended that many days ago, with an ID of its day; its delivery too. */
async function seed({ days, prompt = 'a secret garden', metadata = { order: '4711' } }: Seed) {
  const request = { callback_url: receiver.url, input: { prompt }, metadata };
  const created = await createTask(service, request);
  const { taskId, account, client } = created;
  if (prompt !== 'endless') await created.final();
  const ready = prompt === 'endless' ? submitted : delivered;
  while ((await db.query(ready, [taskId])).rowCount === 0);
  const at = new Date(Date.now() - days * dayMs);
  const id = newTaskId(at.getTime());
  await db.transaction(async (tx) => {
    await makeOlder(tx, { taskId, id, at });
  });
  return { id, account, client, prompt };
}

async function makeOlder(tx: Transaction, old: { taskId: string; id: string; at: Date }) {
  const { taskId, id, at } = old;
  await tx.query(`set local session_replication_role = 'replica'`);
  const values = [taskId, id];
  await tx.query('update tasks set id = $2, created_at = $3 where id = $1', [...values, at]);
  for (const table of [
    'attempts',
    'task_metadata',
    'jobs',
    'undelivered_creates',
    'ledger_entries',
  ]) {
    await tx.query(`update ${table} set task_id = $2 where task_id = $1`, values);
  }
  const message = `msg_${at.getTime().toString(32).padStart(10, '0')}${id.slice(-16)}`;
  const deliveryId = message.replaceAll(/[w-z]/g, '0');
  await tx.query(
    `update call_attempts set delivery_id = $2
     where delivery_id = (select id from deliveries where task_id = $1)`,
    [taskId, deliveryId],
  );
  await tx.query(
    'update deliveries set task_id = $2, id = $3, created_at = $4 where task_id = $1',
    [...[taskId, id, deliveryId, at]],
  );
}

const taskOf = async (id: string) => (await service.admin.get(`/admin/tasks/${id}`)).body;
const bodyOf = async (id: string) =>
  (await db.query<{ body: string }>('select body from deliveries where task_id = $1', [id])).rows[0]
    ?.body;
type Request = { metadata?: object; input: { prompt: string } };

test('deletes nothing by default', async () => {
  await seed({ days: 3000 });
  assert.deepEqual(await apply({}), kept);
});

test('deletes prompts, inputs and metadata of old tasks, once, and in slices', async () => {
  const old = [];
  for (const prompt of ['one', 'failed', 'three']) old.push(await seed({ days: 31, prompt }));
  const recent = await seed({ days: 29 });
  const counts = await apply({ prompts: 30 }, { sliceRows: 1 });
  assert(counts.prompts >= 3);
  for (const { id, client } of old) {
    const task = await taskOf(id);
    const { metadata, input } = task.request as Request;
    assert.deepEqual([input.prompt, metadata], ['', undefined]);
    assert.equal((await client.get(`/v1/tasks/${id}`)).status, 200);
    const found = await client.get('/v1/tasks?metadata[order]=4711');
    assert.deepEqual(found.body.items, []);
  }
  const { input } = (await taskOf(recent.id)).request as Request;
  assert.equal(input.prompt, recent.prompt);
  assert.deepEqual(await apply({ prompts: 30 }), kept);
});

test('keeps the prompt of a task in progress, and deletes it later', async () => {
  const task = await seed({ days: 40, prompt: 'endless' });
  await apply({ prompts: 30 });
  assert.equal(((await taskOf(task.id)).request as Request).input.prompt, 'endless');
  assert.equal((await task.client.post(`/v1/tasks/${task.id}/cancel`)).status, 400);
  const settlement = { end: 'failed', reason: 'internal_error', attempt: 'abandoned' } as const;
  const ref = { taskId: task.id, accountId: task.account.id, mode: 'live' } as const;
  await parts.lifecycle.settle({ ...ref, ...settlement });
  await apply({ prompts: 30 });
  assert.equal(((await taskOf(task.id)).request as Request).input.prompt, '');
});

test('deletes bodies of old deliveries, which then cannot be replayed', async () => {
  const old = await seed({ days: 8 });
  const recent = await seed({ days: 6 });
  const { deliveries } = await apply({ deliveries: 7 });
  assert(deliveries >= 1);
  assert.equal(await bodyOf(old.id), '');
  assert.match((await bodyOf(recent.id))!, /completed/);
  const { delivery } = (await taskOf(old.id)) as { delivery: { id: string } };
  const replayed = await service.admin.post(`/admin/deliveries/${delivery.id}/replay`);
  assertApiError(replayed, 'invalid_request', /body of this delivery was deleted/);
  assert.deepEqual(await apply({ deliveries: 7 }), kept);
});

test('erases old tasks as a delete does, except those whose refund is not resolved', async () => {
  const old = await seed({ days: 100 });
  const suspended = await seed({ days: 101, prompt: 'endless' });
  await service.admin.post(`/admin/accounts/${suspended.account.id}/close`);
  const settlement = { end: 'failed', reason: 'timed_out', attempt: 'timed_out' } as const;
  const ref = { taskId: suspended.id, accountId: suspended.account.id, mode: 'live' } as const;
  await parts.lifecycle.settle({ ...ref, ...settlement });
  const balance = await balanceOf(service, old.account.id);
  const { tasks } = await apply({ tasks: 90 }, { sliceRows: 2 });
  assert(tasks >= 1);
  assertApiError(await old.client.get(`/v1/tasks/${old.id}`), 'not_found');
  assert.deepEqual(await balanceOf(service, old.account.id), balance);
  assert.equal((await taskOf(suspended.id)).billing_status, 'refund_failed');
  assert.deepEqual(await apply({ tasks: 90 }), kept);
});

test('continues with a large account after the others, and after one that fails', async () => {
  const { client, account, id } = await seed({ days: 700 });
  const created = await client.create({ ...textToVideo, callback_url: receiver.url });
  const taskId = String(created.body.taskId);
  await client.final(taskId);
  while ((await db.query(delivered, [taskId])).rowCount === 0);
  const old = { id: newTaskId(Date.now() - 650 * dayMs), at: new Date(0) };
  await db.transaction((tx) => makeOlder(tx, { taskId, ...old }));
  const poisoned = await seed({ days: 700 });
  const later = await seed({ days: 700 });
  const failing: LifecycleContext = {
    ...parts.lifecycle,
    db: {
      ...db,
      transaction: (work) =>
        db.transaction(async (tx) => {
          const result = await work(tx);
          const { rows } = await tx.query('select from tasks where id = $1', [poisoned.id]);
          if (rows.length === 0) throw new Error('a row that cannot be deleted');
          return result;
        }),
    },
  };
  const options = { sliceRows: 1, slicesMax: 1 };
  const erasing = applyRetention(failing, { ...kept, tasks: 600 }, options);
  await assert.rejects(erasing, /a row that cannot be deleted/);
  for (const erased of [id, later.id]) assert.equal((await taskOf(erased)).id, undefined);
  const { body } = await service.admin.get(`/admin/accounts/${account.id}/tasks`);
  assert.deepEqual(body.items, []);
  await apply({ tasks: 600 });
});

test('follows the account where it differs from the installation', async () => {
  const longer = await seed({ days: 60 });
  const shorter = await seed({ days: 10 });
  const set = (id: string, body: object) =>
    service.admin.post(`/admin/accounts/${id}/retention`, body);
  assert.equal((await set(longer.account.id, { prompts_days: 0 })).status, 200);
  const { body } = await set(shorter.account.id, { tasks_days: 7, files_days: 2 });
  const none = { prompts_days: null, deliveries_days: null };
  assert.deepEqual(body.retention, { ...none, tasks_days: 7, files_days: 2 });
  await apply({ prompts: 30 });
  assert.equal(((await taskOf(longer.id)).request as Request).input.prompt, longer.prompt);
  assert.equal((await service.admin.get(`/admin/tasks/${shorter.id}`)).status, 404);

  const created = await shorter.client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'x', resolution: '480p', duration: 5 },
  });
  const { data } = await shorter.client.final(String(created.body.taskId));
  const hours = (Date.parse(data!.video_expires_at) - Date.now()) / 3_600_000;
  assert(hours > 47 && hours <= 48.1, `${hours} h`);
  const again = await set(shorter.account.id, { tasks_days: null });
  assert.deepEqual(again.body.retention, { ...none, tasks_days: null, files_days: 2 });
  assertApiError(await set(shorter.account.id, { files_days: 0 }), 'invalid_request');
  const log = await service.auditLog(shorter.account.id);
  assert.equal(log.filter(({ action }) => action === 'retention.set').length, 2);
});

test('two processes that apply it at once delete each row once', async () => {
  const seeded = [];
  for (let nth = 0; nth < 3; nth++) seeded.push(await seed({ days: 500 + nth }));
  const options = { sliceRows: 1 };
  const rounds = await Promise.all([
    apply({ tasks: 400, prompts: 300 }, options),
    apply({ tasks: 400, prompts: 300 }, options),
  ]);
  assert(rounds[0].tasks + rounds[1].tasks >= 3);
  for (const { id } of seeded) {
    assert.equal((await service.admin.get(`/admin/tasks/${id}`)).status, 404);
  }
});

test('a create does not wait for a slice of its account', async () => {
  const { client, account } = await seed({ days: 50 });
  await db.transaction(async (tx) => {
    await tx.query('select from tasks where account_id = $1 for update', [account.id]);
    await tx.query(`insert into retention_positions (account_id, part)
      values ('${account.id}', 'prompts live') on conflict do nothing`);
    const { status } = await client.create({
      model: 'vidgen-2-0-mini',
      input: { prompt: 'x', resolution: '480p', duration: 5 },
    });
    assert.equal(status, 200);
  });
});
