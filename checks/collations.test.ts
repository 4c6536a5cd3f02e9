import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../proof/kit/scratch-database.ts';
import { listCollationProblems } from './collations.ts';

const { db } = await useDatabase();

test('columns that refer to an ID have its collation', async () => {
  assert.deepEqual(await listCollationProblems(db), []);
});

test('a column with another collation is found, with and without a foreign key', async () => {
  await db.query('create table notes (task_id text references tasks (id), key_id text)');
  await db.query('create table sound (task_id text collate "C" references tasks (id), id text)');
  assert.deepEqual(await listCollationProblems(db), [
    'notes.key_id has another collation than api_keys.id',
    'notes.task_id has another collation than tasks.id',
  ]);
});
