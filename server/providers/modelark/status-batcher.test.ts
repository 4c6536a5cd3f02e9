/** Many reads in few calls: each gets its own result, and a failed list loses none. */
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

/** More reads than one second of GETs, so that a list is used. */
const many = 30;
const few = { adapter: { getPerSecond: 10 } };

test('reads many tasks with one list and a few GETs, each with its own result', () =>
  withFake(few, async (fake, provider) => {
    const { operations, readAll } = await startMany(fake, provider, many);
    const results = await readAll();
    for (const [at, result] of results.entries()) {
      assert.equal(result.outcome, outcomes[statuses[at % statuses.length]!]);
      if (result.outcome !== 'completed' || !('url' in result.video)) continue;
      assert.ok(result.video.url.includes(operations[at]!), 'the video of another task');
    }
    assert.equal(countOf(fake, 'list'), 1);
    assert.ok(countOf(fake, 'get') < 10);
  }));

test('reads tasks that are missing in the list with GETs before they are lost', () =>
  withFake(few, async (fake, provider) => {
    const { operations, readAll } = await startMany(fake, provider, many);
    fake.vanish(operations[20]!);
    const hidden = JSON.stringify({ total: 0, items: [] });
    fake.next('list', declined({ status: 200, body: hidden }));
    const results = await readAll();
    assert.equal(results[20]!.outcome, 'lost');
    assert.ok(results.every(({ outcome }, at) => at === 20 || outcome !== 'lost'));
    assert.ok(countOf(fake, 'get') >= many, 'none was believed to be gone');
  }));

test('requests a list again after a rate limit', () =>
  withFake(few, async (fake, provider) => {
    const { readAll } = await startMany(fake, provider, many);
    fake.next('list', declined(documentedError('AccountRateLimitExceeded')));
    const results = await readAll();
    assert.ok(results.every(({ outcome }, at) => outcome === outcomes[statuses[at % 6]!]));
    assert.equal(countOf(fake, 'list'), 2);
  }));

test('halves a list whose URL is too long until it fits', () =>
  withFake({ ...few, fake: { listIdsMax: 60 } }, async (fake, provider) => {
    const { readAll } = await startMany(fake, provider, 100);
    const results = await readAll();
    assert.ok(results.every(({ outcome }, at) => outcome === outcomes[statuses[at % 6]!]));
    assert.ok(countOf(fake, 'list') >= 3);
  }));

test('falls back to GETs when lists never work, and returns delays when too many wait', () =>
  withFake({ adapter: { getPerSecond: 1 } }, async (fake, provider) => {
    const { readAll } = await startMany(fake, provider, many);
    fake.next('list', ...Array.from({ length: 9 }, () => declined(htmlPage)));
    const results = await readAll();
    assert.equal(countOf(fake, 'list'), 3);
    const delayed = results.filter((one) => one.outcome === 'pending' && one.isUnread);
    const times = delayed.map((one) => (one.outcome === 'pending' ? one.pollAfterSeconds : 0));
    assert.ok(delayed.length > 0);
    assert.equal(new Set(times).size, times.length, 'each has a different delay');
  }));

test('returns at once for an aborted read without affecting others', () =>
  withFake(few, async (fake, provider) => {
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
  }));
