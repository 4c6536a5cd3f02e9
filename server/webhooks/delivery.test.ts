/**
 * Deliveries end delivered or exhausted, and each attempt is counted once; a replay starts again.
 * Retries keep the configured delays and are never early.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';
import {
  type Delivery,
  getDelivery,
  insertDeliveries,
  nextRetryDelay,
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
const timedOut: SendResult = {
  delivered: false,
  durationMs: 15_000,
  responseStatus: null,
  responseBody: null,
  error: 'timeout',
};
const answered: SendResult = { ...failed, delivered: true, responseStatus: 200, responseBody: '' };

const scratch = await useDatabase();

async function addDelivery(owner?: SeededAccount): Promise<Delivery> {
  const account = owner ?? (await seedAccount(scratch.db, { credits: 100 }));
  const accepted = await createAcceptTask(scratch)(createOf(account));
  assert('taskId' in accepted);
  const { accountId } = account;
  const { taskId } = accepted;
  const webhook = { url: 'https://hooks.example.com/done', body: '{"spaces":  "kept"}' };
  const [delivery] = await scratch.db.transaction((tx) =>
    insertDeliveries(tx, [{ accountId, taskId, mode: 'live', ...webhook }]),
  );
  return delivery!;
}

const record = (delivery: Delivery, outcome: SendResult) =>
  scratch.db.transaction((tx) => recordAttempt(tx, { delivery, outcome, retriesMax }));

const replay = ({ id }: Delivery) => scratch.db.transaction((tx) => startReplay(tx, id));

async function attemptsOf({ accountId, taskId }: Delivery) {
  return (await listDeliveries(scratch.db, { accountId, taskId, limit: 1 })).items[0]!.attempts;
}

test('is pending with its exact body, once for a task', async () => {
  const written = await addDelivery();
  assert.deepEqual(await getDelivery(scratch.db, written.id), written);
  assert.match(written.id, /^msg_[0-9a-v]{26}$/);
  const { status, attemptsMade, round, body } = written;
  const expected = { status: 'pending', attemptsMade: 0, round: 1, body: '{"spaces":  "kept"}' };
  assert.deepEqual({ status, attemptsMade, round, body }, expected);
  const again = scratch.db.transaction((tx) => insertDeliveries(tx, [written]));
  await assert.rejects(again, { code: '23505' });
});

test('is exhausted after the first attempt and five retries, all of them recorded', async () => {
  let delivery: Delivery | null = await addDelivery();
  const statuses = [];
  for (let attempt = 1; attempt <= 6; attempt++) {
    delivery = await record(delivery!, attempt === 3 ? timedOut : failed);
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
    signedHeaders: null,
  });
  assert(startedAt < attempts[3]!.startedAt, 'it started as long ago as it took');
});

test('is delivered by the first 2xx, after which a replay can send it again', async () => {
  const second = await record(await addDelivery(), failed);
  const delivered = await record(second!, answered);
  assert.equal(delivered?.status, 'delivered');
  assert(delivered.deliveredAt instanceof Date);
  assert.equal(await record(delivered, failed), null);
  const replayed = await replay(delivered);
  assert.deepEqual([replayed.status, replayed.deliveredAt], ['pending', null]);
  assert.equal((await record(replayed, answered))?.status, 'delivered');
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
  let again: Delivery = await replay(delivery);
  assert.deepEqual(again, { ...delivery, status: 'pending', round: 2, attemptsThisRound: 0 });
  while (again.status === 'pending') again = (await record(again, failed))!;
  const { status, attemptsMade, attemptsThisRound } = again;
  assert.deepEqual([status, attemptsMade, attemptsThisRound], ['exhausted', 12, 6]);
});

test('keeps a replay going when an attempt from before it fails afterwards', async () => {
  let delivery: Delivery = await addDelivery();
  for (let attempt = 1; attempt <= 5; attempt++) delivery = (await record(delivery, failed))!;
  await replay(delivery);
  const late = await record(delivery, failed);
  assert.deepEqual([late?.status, late?.round, late?.attemptsThisRound], ['pending', 2, 1]);
});

const retryDelaysSeconds = [5, 30, 120, 600, 3600];

test('waits the configured delays before the five retries, then ends', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((attemptsMade) =>
    nextRetryDelay({ retryDelaysSeconds, attemptsMade, random: () => 0 }),
  );
  assert.deepEqual(delays, [...retryDelaysSeconds, null]);
});

test('is never retried early, and at most a fifth late', () => {
  fc.assert(
    fc.property(fc.nat(4), fc.double({ min: 0, max: 1, noNaN: true }), (at, chance) => {
      const options = { retryDelaysSeconds, attemptsMade: at + 1, random: () => chance };
      const delay = nextRetryDelay(options)!;
      assert(delay >= retryDelaysSeconds[at]! && delay <= retryDelaysSeconds[at]! * 1.2);
    }),
  );
});
