/** Many looks in few calls: each has its own answer, and a list that fails costs nobody theirs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleStart, sampleStatus } from '../../../proof/kit/conformance-fixture.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
import type { FakeModelArk } from '../../../proof/kit/modelark/fake.ts';
import {
  declined,
  htmlPage,
  startAccepted,
  withFake,
} from '../../../proof/kit/modelark/fixture.ts';
import type { Provider } from '../provider.ts';

const statuses = ['succeeded', 'running', 'failed', 'expired', 'cancelled', 'paused'] as const;
const outcomes = {
  succeeded: 'completed',
  running: 'pending',
  failed: 'failed',
  expired: 'failed',
  cancelled: 'failed',
  paused: 'pending',
} as const;

/** So many tasks, in all states in turn. */
async function startMany(fake: FakeModelArk, provider: Provider, count: number) {
  const start = sampleStart();
  const operations: string[] = [];
  for (let made = 0; made < count; made++) {
    const operation = await startAccepted(provider, start);
    fake.advance(operation, statuses[made % statuses.length]!);
    operations.push(operation);
  }
  const readAll = () =>
    Promise.all(operations.map((one) => provider.status(sampleStatus(one, start))));
  return { start, operations, readAll };
}

const countOf = (fake: FakeModelArk, wanted: string) =>
  fake.requests.filter(({ operation }) => operation === wanted).length;

/** More looks than a second of GETs, so that a list is worth it. */
const many = 30;
const few = { adapter: { getPerSecond: 10 } };

test('many looks at once are a list and a few single ones, each with its own answer', () =>
  withFake(async (fake, provider) => {
    const { operations, readAll } = await startMany(fake, provider, many);
    const results = await readAll();
    for (const [at, result] of results.entries()) {
      assert.equal(result.outcome, outcomes[statuses[at % statuses.length]!]);
      if (result.outcome !== 'completed' || !('url' in result.video)) continue;
      assert.ok(result.video.url.includes(operations[at]!), 'the video of another task');
    }
    assert.equal(countOf(fake, 'list'), 1);
    assert.ok(countOf(fake, 'get') < 10);
  }, few));

test('a few looks are single ones', () =>
  withFake(async (fake, provider) => {
    const { readAll } = await startMany(fake, provider, 6);
    await readAll();
    assert.equal(countOf(fake, 'list'), 0);
  }, few));

test('what the list does not name is looked at singly: only that can call it lost', () =>
  withFake(async (fake, provider) => {
    const { operations, readAll } = await startMany(fake, provider, many);
    fake.vanish(operations[20]!);
    const hidden = JSON.stringify({ total: 0, items: [] });
    fake.next('list', declined({ status: 200, body: hidden }));
    const results = await readAll();
    assert.equal(results[20]!.outcome, 'lost');
    assert.ok(results.every(({ outcome }, at) => at === 20 || outcome !== 'lost'));
    assert.ok(countOf(fake, 'get') >= many, 'none was believed to be gone');
  }, few));

test('a list that is refused for coming too fast is asked for again', () =>
  withFake(async (fake, provider) => {
    const { readAll } = await startMany(fake, provider, many);
    fake.next('list', declined(documentedError('AccountRateLimitExceeded')));
    const results = await readAll();
    assert.ok(results.every(({ outcome }, at) => outcome === outcomes[statuses[at % 6]!]));
    assert.equal(countOf(fake, 'list'), 2);
  }, few));

test('a list whose address is too long is halved until it fits', () =>
  withFake(
    async (fake, provider) => {
      const { readAll } = await startMany(fake, provider, 100);
      const results = await readAll();
      assert.ok(results.every(({ outcome }, at) => outcome === outcomes[statuses[at % 6]!]));
      assert.ok(countOf(fake, 'list') >= 3);
    },
    { ...few, fake: { listIdsMax: 60 } },
  ));

test('where lists never work, single looks go on, and who waits too long is put off', () =>
  withFake(
    async (fake, provider) => {
      const { readAll } = await startMany(fake, provider, many);
      fake.next('list', ...Array.from({ length: 9 }, () => declined(htmlPage)));
      const results = await readAll();
      assert.equal(countOf(fake, 'list'), 3);
      const delayed = results.filter((one) => one.outcome === 'pending' && one.isJittered);
      const times = delayed.map((one) => (one.outcome === 'pending' ? one.pollAfterSeconds : 0));
      assert.ok(delayed.length > 0);
      assert.equal(new Set(times).size, times.length, 'each is told a time of its own');
    },
    { adapter: { getPerSecond: 1 } },
  ));

test('a look that is no longer wanted ends at once, and takes nobody along', () =>
  withFake(async (fake, provider) => {
    const { start, operations, readAll } = await startMany(fake, provider, many);
    const stop = new AbortController();
    const others = readAll();
    const unwanted = provider.status({
      ...sampleStatus(operations[0]!, start),
      signal: stop.signal,
    });
    stop.abort();
    assert.equal((await unwanted).outcome, 'pending');
    assert.equal((await others).length, many);
  }, few));
