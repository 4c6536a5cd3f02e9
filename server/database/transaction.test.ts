/** Transactions: atomic, and not held for long by a process that hangs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import type { Queryable, Transaction } from './database.ts';
import { runTransaction } from './transaction.ts';

const scratch = await useDatabase();
await scratch.db.query('create table films (title text primary key)');

const titles = async () => {
  const { rows } = await scratch.db.query<{ title: string }>('select title from films');
  return rows.map(({ title }) => title);
};

test('an error rolls back everything, and in a savepoint only the savepoint', async () => {
  const boom = new Error('boom');
  const failing = scratch.db.transaction(async (tx) => {
    await tx.query(`insert into films values ('Sunrise')`);
    throw boom;
  });
  await assert.rejects(failing, boom);
  assert.deepEqual(await titles(), []);
  await scratch.db.transaction(async (tx) => {
    await tx.query(`insert into films values ('Metropolis')`);
    const part = tx.savepoint((inner) => inner.query(`insert into films values ('Metropolis')`));
    await assert.rejects(part, { code: '23505' });
    await tx.query(`insert into films values ('Nosferatu')`);
  });
  assert.deepEqual((await titles()).sort(), ['Metropolis', 'Nosferatu']);
});

/** Two statements sent together, of which the first is rejected later than the second. */
function insertBeforeRead(tx: Transaction, title: string): Promise<unknown> {
  const inserting = tx.query('insert into films values ($1)', [title]);
  const reading = tx.query('select');
  const insertedLast = inserting.catch(async (error) => {
    await Promise.allSettled([reading]);
    throw error;
  });
  return Promise.all([insertedLast, reading]);
}

test('the error of statements sent together is that of the first that failed', async () => {
  const failing = scratch.db.transaction((tx) => insertBeforeRead(tx, 'Metropolis'));
  await assert.rejects(failing, { code: '23505' });
  const failingLater = scratch.db.transaction(async (tx) => {
    const part = tx.savepoint((inner) => insertBeforeRead(inner, 'Metropolis'));
    await assert.rejects(part, { code: '23505' });
    await insertBeforeRead(tx, '\0');
  });
  await assert.rejects(failingLater, { code: '22021' });
});

test('nothing that depends on a result runs if the transaction did not begin', async () => {
  const sent: unknown[] = [];
  const canceled = new Error('canceling statement due to user request');
  const connection: Queryable = {
    async query(statement) {
      sent.push(statement);
      // Later than the result of the statement that was sent with it.
      if (statement === 'begin') await setImmediate().then(() => Promise.reject(canceled));
      return { rows: [], rowCount: 0 };
    },
  };
  const work = async (tx: Transaction) => {
    await tx.query('select for update');
    await tx.query('insert');
  };
  await assert.rejects(runTransaction(connection, work, { readsFirst: true }), canceled);
  assert.deepEqual(sent, ['begin', 'select for update', 'rollback']);
});
