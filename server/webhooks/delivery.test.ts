/**
 * Deliveries end delivered or exhausted, and each attempt is counted once; a replay starts again.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { openScratchDatabase } from '../../proof/kit/scratch-database.ts';
import type { Database } from '../database/database.ts';
import {
  type Delivery,
  deliveryStatuses,
  getDelivery,
  insertDeliveries,
  recordAttempt,
  startReplay,
} from './delivery.ts';
import { listDeliveries } from './list-deliveries.ts';
import type { SendResult } from './send.ts';

const retriesMax = 5;
const failed: SendResult = {
  delivered: false,
  durationMs: 30,
  responseStatus: 503,
  responseBody: 'later',
  error: null,
};
const unanswered: SendResult = {
  delivered: false,
  durationMs: 15_000,
  responseStatus: null,
  responseBody: null,
  error: 'timeout',
};
const answered: SendResult = { ...failed, delivered: true, responseStatus: 200, responseBody: '' };

let db: Database;
let close: () => Promise<void>;
before(async () => {
  ({ db, close } = await openScratchDatabase());
});
after(() => close());

type Owner = { readonly accountId: string; readonly keyId: string };

async function addOwner(): Promise<Owner> {
  const owner = { accountId: randomUUID(), keyId: `key_${randomBytes(11).toString('hex')}` };
  await db.query('insert into accounts (id, name, webhook_secret) values ($1, $2, $3)', [
    owner.accountId,
    'Ada',
    'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
  ]);
  await db.query(
    `insert into api_keys (id, account_id, mode, name, digest, prefix, last_four, permissions)
     values ($1, $2, 'live', 'key', $3, 'vg_live_', 'abcd', '{}')`,
    [owner.keyId, owner.accountId, randomBytes(32).toString('hex')],
  );
  return owner;
}

async function addTask({ accountId, keyId }: Owner): Promise<string> {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  const id = `task_${Array.from(randomBytes(26), (byte) => digits[byte % 32]).join('')}`;
  await db.query(
    `insert into tasks (id, account_id, key_id, mode, model, generation, credits, deadline_at)
     values ($1, $2, $3, 'live', 'vidgen-2-5', '{}', 1, now())`,
    [id, accountId, keyId],
  );
  return id;
}

async function addDelivery(owner?: Owner): Promise<Delivery> {
  const { accountId, keyId } = owner ?? (await addOwner());
  const taskId = await addTask({ accountId, keyId });
  const url = 'https://hooks.example.com/done';
  const body = '{"id": "task",  "spaces":  "kept"}';
  const [delivery] = await db.transaction((tx) =>
    insertDeliveries(tx, [{ accountId, taskId, mode: 'live', url, body }]),
  );
  return delivery!;
}

const record = (delivery: Delivery, outcome: SendResult) =>
  db.transaction((tx) => recordAttempt(tx, { delivery, outcome, retriesMax }));

async function attemptsOf({ accountId, taskId }: Delivery) {
  return (await listDeliveries(db, { accountId, taskId, limit: 1 })).items[0]!.attempts;
}

test('is pending with its exact body from the commit that created it', async () => {
  const written = await addDelivery();
  assert.deepEqual(await getDelivery(db, written.id), written);
  assert.match(written.id, /^msg_[0-9a-v]{26}$/);
  assert.equal(written.body, '{"id": "task",  "spaces":  "kept"}');
  const { status, attemptsMade, round, attemptsThisRound, deliveredAt } = written;
  assert.deepEqual(
    { status, attemptsMade, round, attemptsThisRound, deliveredAt },
    { status: 'pending', attemptsMade: 0, round: 1, attemptsThisRound: 0, deliveredAt: null },
  );
  assert(written.createdAt instanceof Date);
});

test('does not exist when that transaction was rolled back', async () => {
  const owner = await addOwner();
  const taskId = await addTask(owner);
  const undone = new Error('undone');
  await assert.rejects(
    db.transaction(async (tx) => {
      const { accountId } = owner;
      const url = 'https://a.b/';
      await insertDeliveries(tx, [{ accountId, taskId, mode: 'test', url, body: '' }]);
      throw undone;
    }),
    undone,
  );
  const { items } = await listDeliveries(db, { accountId: owner.accountId, limit: 10 });
  assert.deepEqual(items, []);
});

test('cannot be created twice for one task', async () => {
  const { accountId, taskId, mode, url, body } = await addDelivery();
  const again = db.transaction((tx) =>
    insertDeliveries(tx, [{ accountId, taskId, mode, url, body }]),
  );
  await assert.rejects(again, { code: '23505' });
});

test('is exhausted after the first attempt and five retries, all of them recorded', async () => {
  let delivery: Delivery | null = await addDelivery();
  const statuses = [];
  for (let attempt = 1; attempt <= 6; attempt++) {
    delivery = await record(delivery!, attempt === 3 ? unanswered : failed);
    statuses.push(delivery?.status);
  }
  assert.deepEqual(statuses, [...Array(5).fill('pending'), 'exhausted']);
  assert.equal(await record(delivery!, failed), null);
  const attempts = await attemptsOf(delivery!);
  assert.deepEqual(
    attempts.map(({ number }) => number),
    [1, 2, 3, 4, 5, 6],
  );
  const { startedAt, ...third } = attempts[2]!;
  assert.deepEqual(third, {
    deliveryId: delivery!.id,
    number: 3,
    round: 1,
    durationMs: 15_000,
    responseStatus: null,
    responseBody: null,
    error: 'timeout',
  });
  assert(startedAt < attempts[3]!.startedAt, 'it started as long ago as it took');
});

test('is delivered by the first 2xx and records no attempt after it', async () => {
  const second = await record(await addDelivery(), failed);
  const delivered = await record(second!, answered);
  assert.equal(delivered?.status, 'delivered');
  assert(delivered.deliveredAt instanceof Date);
  assert.equal(await record(delivered, failed), null);
  assert.deepEqual(await getDelivery(db, delivered.id), delivered);
});

test('counts an attempt once when two workers made it', async () => {
  const delivery = await addDelivery();
  const results = await Promise.all([record(delivery, failed), record(delivery, answered)]);
  assert.equal(results.filter((moved) => moved === null).length, 1);
  assert.equal((await attemptsOf(delivery)).length, 1);
});

test('gets a full new round by a replay, with the same ID and body', async () => {
  let delivery: Delivery = await addDelivery();
  while (delivery.status === 'pending') delivery = (await record(delivery, failed))!;
  const replayed = await db.transaction((tx) => startReplay(tx, delivery.id));
  assert.deepEqual(replayed, { ...delivery, status: 'pending', round: 2, attemptsThisRound: 0 });
  let again: Delivery = replayed;
  while (again.status === 'pending') again = (await record(again, failed))!;
  assert.deepEqual(
    [again.status, again.attemptsMade, again.attemptsThisRound],
    ['exhausted', 12, 6],
  );
  assert.deepEqual(
    (await attemptsOf(again)).map(({ number, round }) => [number, round]),
    Array.from({ length: 12 }, (_, index) => [index + 1, index < 6 ? 1 : 2]),
  );
});

test('can be replayed after it was delivered, and is then pending again', async () => {
  const delivered = await record(await addDelivery(), answered);
  const replayed = await db.transaction((tx) => startReplay(tx, delivered!.id));
  assert.deepEqual([replayed.status, replayed.deliveredAt], ['pending', null]);
  assert.equal((await record(replayed, answered))?.status, 'delivered');
});

test('keeps a replay going when an attempt from before it fails afterwards', async () => {
  let delivery: Delivery = await addDelivery();
  for (let attempt = 1; attempt <= 5; attempt++) delivery = (await record(delivery, failed))!;
  await db.transaction((tx) => startReplay(tx, delivery.id));
  const late = await record(delivery, failed);
  assert.deepEqual([late?.status, late?.round, late?.attemptsThisRound], ['pending', 2, 1]);
});

test('lists the newest first, page by page, each of them once', async () => {
  const owner = await addOwner();
  const written: string[] = [];
  for (let count = 0; count < 7; count++) written.push((await addDelivery(owner)).id);
  await addDelivery();
  const listed: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await listDeliveries(db, { accountId: owner.accountId, limit: 3, cursor });
    listed.push(...page.items.map(({ id }) => id));
    sizes.push(page.items.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(sizes, [3, 3, 1]);
  // IDs created within the same millisecond have no order among themselves.
  assert.deepEqual(listed, [...written].sort().reverse());
});

test('ends the list without another page when the last one is full', async () => {
  const owner = await addOwner();
  await addDelivery(owner);
  const page = await listDeliveries(db, { accountId: owner.accountId, limit: 1 });
  assert.deepEqual([page.items.length, page.nextCursor], [1, null]);
});

test('lists by status and by task', async () => {
  const owner = await addOwner();
  const waiting = await addDelivery(owner);
  const delivered = (await record(await addDelivery(owner), answered))!;
  const { accountId } = owner;
  const byStatus = await listDeliveries(db, { accountId, limit: 10, status: 'delivered' });
  assert.deepEqual(
    byStatus.items.map(({ id, attempts }) => [id, attempts.length]),
    [[delivered.id, 1]],
  );
  const byTask = await listDeliveries(db, { accountId, limit: 10, taskId: waiting.taskId });
  assert.deepEqual(byTask.items, [{ ...waiting, attempts: [] }]);
  const none = await listDeliveries(db, { accountId, limit: 10, status: 'exhausted' });
  assert.deepEqual(none, { items: [], nextCursor: null });
});

test('reports an unknown ID as not found', async () => {
  const isNotFound = (error: unknown) => error instanceof ApiError && error.code === 'not_found';
  await assert.rejects(getDelivery(db, 'msg_unknown'), isNotFound);
  await assert.rejects(
    db.transaction((tx) => startReplay(tx, 'msg_unknown')),
    isNotFound,
  );
});

test('has the same statuses as the database', async () => {
  const { rows } = await db.query<{ rule: string }>(
    `select pg_get_constraintdef(oid) as rule from pg_constraint
     where conrelid = 'deliveries'::regclass and conname = 'deliveries_status_check'`,
  );
  const inDatabase = [...rows[0]!.rule.matchAll(/'([a-z]+)'/g)].map(([, status]) => status);
  assert.deepEqual(inDatabase, [...deliveryStatuses]);
});
