/** How often the last use of a key is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queryable } from '../../database/database.ts';
import { KeyUsage } from './key-usage.ts';

function createRecorder() {
  const writes: string[][] = [];
  const state = { broken: false };
  const query = async (_: string, values: readonly unknown[] = []) => {
    if (state.broken) throw new Error('the database is away');
    writes.push([...(values[0] as string[])].sort());
    return { rows: [], rowCount: 0 };
  };
  const time = { ms: 0 };
  const usage = new KeyUsage({ query } as Queryable, { elapsed: () => time.ms });
  return { usage, writes, state, time };
}

test('writes a key again only a minute after the last write', async () => {
  const { usage, writes, time } = createRecorder();
  usage.record('a');
  usage.record('a');
  usage.record('b');
  await usage.flush();
  usage.record('a');
  usage.record('c');
  await usage.flush();
  time.ms += 59_999;
  usage.record('a');
  await usage.flush();
  assert.deepEqual(writes, [['a', 'b'], ['c']]);
  time.ms += 1;
  usage.record('a');
  await usage.close();
  assert.deepEqual(writes.at(-1), ['a']);
});

test('a failed write is repeated by the next flush', async () => {
  const { usage, writes, state } = createRecorder();
  usage.record('a');
  state.broken = true;
  await usage.flush();
  state.broken = false;
  usage.record('b');
  await usage.close();
  assert.deepEqual(writes, [['a', 'b']]);
});
