/** How items share batches, and which of them start beside a batch that runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as arrivals, setTimeout as pause } from 'node:timers/promises';
import { Batcher } from './batcher.ts';

/** Batches that run until they are ended. */
function startBatches({ inFlightMax }: { readonly inFlightMax: number }) {
  const running: { readonly items: readonly number[]; end(): void }[] = [];
  const batcher = new Batcher<number, number>({
    run: (items) => new Promise((resolve) => running.push({ items, end: () => resolve(items) })),
    itemsMax: 100,
    inFlightMax,
  });
  const added: Promise<number>[] = [];
  const add = async (...items: number[]): Promise<void> => {
    added.push(...items.map((item) => batcher.add(item)));
    await arrivals();
    await arrivals();
  };
  return { running, add, added, started: () => running.map(({ items }) => items) };
}

test('a second batch starts when it is as large as the first', async () => {
  const { add, started } = startBatches({ inFlightMax: 2 });
  await add(1, 2, 3);
  await add(4);
  await add(5);
  assert.deepEqual(started(), [[1, 2, 3]]);
  await add(6);
  assert.deepEqual(started(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
});

test('an item does not wait for a batch that does not end', async () => {
  const { add, added, running } = startBatches({ inFlightMax: 2 });
  await add(1, 2, 3);
  await add(4);
  while (running.length < 2) await arrivals();
  running[1]!.end();
  assert.equal(await added[3], 4);
});

test('no item is lost and no more batches run than allowed, however they arrive', async () => {
  let [runningCount, runningMax] = [0, 0];
  const batcher = new Batcher<number, number>({
    async run(items) {
      runningCount += 1;
      runningMax = Math.max(runningMax, runningCount);
      // Some end at once, and some after what waits beside them has started.
      await pause(items.length % 3 === 0 ? 60 : items.length % 3);
      runningCount -= 1;
      return items;
    },
    itemsMax: 7,
    inFlightMax: 2,
  });
  const added: Promise<number>[] = [];
  for (let item = 0; item < 300; item++) {
    added.push(batcher.add(item));
    if (item % 5 === 0) await pause(item % 4);
  }
  assert.deepEqual(await Promise.all(added), [...added.keys()]);
  assert.equal(runningMax, 2);
});
