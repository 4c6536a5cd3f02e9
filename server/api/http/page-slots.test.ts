/** Pages that are read at once: few of an account, and never so many as there are connections. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInSlot } from './page-slots.ts';

/** Reads pages that end together; returns how many are being read at once. */
async function readAtOnce(pages: readonly Parameters<typeof readInSlot>[0][]) {
  const ended = Promise.withResolvers<void>();
  let reading = 0;
  const read = async () => {
    reading += 1;
    await ended.promise;
  };
  const results = Promise.allSettled(pages.map((page) => readInSlot(page, read)));
  await new Promise(setImmediate);
  const atOnce = reading;
  ended.resolve();
  const rejected = (await results).filter(({ status }) => status === 'rejected').length;
  return { atOnce, rejected };
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test('two searches of an account, four in all, and four lists of an account', async () => {
  const ofOne = { accountId: 'one', searcher: 'person' };
  assert.deepEqual(await readAtOnce(times(5, ofOne)), { atOnce: 2, rejected: 0 });
  const ofMany = times(9, ofOne).map((page, at) => ({ ...page, accountId: `account ${at}` }));
  assert.deepEqual(await readAtOnce(ofMany), { atOnce: 4, rejected: 0 });
  assert.deepEqual(await readAtOnce(times(9, { accountId: 'one' })), { atOnce: 4, rejected: 0 });
});

test('some more wait, and others are rejected', async () => {
  const { rejected } = await readAtOnce(times(40, { accountId: 'one' }));
  assert.equal(rejected, 8);
});
