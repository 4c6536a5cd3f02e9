import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../telemetry/log.ts';
import { StoreWatch } from './store-watch.ts';

/** A store that fails with `error` while it is set. */
function watchStore({ probeMsMax = 5_000 } = {}) {
  const store: { error: Error | null; run: () => Promise<void> } = {
    error: null,
    run: async () => {
      if (store.error) throw store.error;
    },
  };
  const lost: string[] = [];
  const watch = new StoreWatch({
    probes: [{ name: 'storage', problem: 'not writable', run: () => store.run() }],
    log: createLog('silent'),
    onLost: (name) => lost.push(name),
    probeMsMax,
  });
  const probe = async (times: number) => {
    for (let time = 0; time < times; time += 1) await watch.probe();
  };
  return { store, watch, lost, probe };
}

const failure = (code: string) => Object.assign(new Error(code), { code });

test('a store that does not heal is unhealthy after 30 s, and lost after 10 minutes', async () => {
  const { store, watch, lost, probe } = watchStore();
  store.error = failure('EIO');
  await probe(2);
  assert.deepEqual(watch.problems(), {});
  await probe(1);
  assert.deepEqual(watch.problems(), { storage: 'not writable' });
  await probe(56);
  assert.deepEqual(lost, []);
  await probe(10);
  assert.deepEqual(lost, ['storage']);
});

test('a store that heals is healthy, and its failures are forgotten', async () => {
  const { store, watch, lost, probe } = watchStore();
  for (let outage = 0; outage < 3; outage += 1) {
    store.error = failure('ECONNREFUSED');
    await probe(59);
    assert.notDeepEqual(watch.problems(), {});
    store.error = null;
    await probe(1);
    assert.deepEqual(watch.problems(), {});
  }
  assert.deepEqual(lost, []);
});

for (const code of ['ENOSPC', 'EDQUOT', '53100', '57P03']) {
  test(`${code} passes without a restart, and is waited for`, async () => {
    const { store, watch, lost, probe } = watchStore();
    store.error = failure(code);
    await probe(200);
    assert.deepEqual([watch.problems(), lost], [{}, []]);
  });
}

test('a process without descriptors is lost after 2 minutes', async () => {
  const { store, lost, probe } = watchStore();
  store.error = failure('EMFILE');
  await probe(11);
  assert.deepEqual(lost, []);
  await probe(1);
  assert.deepEqual(lost, ['storage']);
});

test('a probe that hangs counts as a failure, and is not repeated until it ends', async () => {
  const { store, watch, probe } = watchStore({ probeMsMax: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  store.run = () => {
    runs += 1;
    return promise;
  };
  await probe(3);
  assert.deepEqual([runs, watch.problems()], [1, { storage: 'not writable' }]);
  resolve();
  await probe(1);
  assert.deepEqual(watch.problems(), {});
});
