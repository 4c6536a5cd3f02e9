/** Many looks in few calls: each has its own answer, and a list that fails costs nobody theirs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleStart, sampleStatus } from '../../../proof/kit/conformance-bench.ts';
import { accepted, declined, htmlPage, withDouble } from '../../../proof/kit/modelark/bench.ts';
import type { ModelArkDouble } from '../../../proof/kit/modelark/double.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
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
async function startMany(double: ModelArkDouble, provider: Provider, count: number) {
  const start = sampleStart();
  const operations: string[] = [];
  for (let made = 0; made < count; made++) {
    const operation = await accepted(provider, start);
    double.advance(operation, statuses[made % statuses.length]!);
    operations.push(operation);
  }
  const lookAtAll = () =>
    Promise.all(operations.map((one) => provider.status(sampleStatus(one, start))));
  return { start, operations, lookAtAll };
}

const countOf = (double: ModelArkDouble, wanted: string) =>
  double.requests.filter(({ operation }) => operation === wanted).length;

/** More looks than a second of GETs, so that a list is worth it. */
const many = 30;
const few = { adapter: { getPerSecond: 10 } };

test('many looks at once are a list and a few single ones, each with its own answer', () =>
  withDouble(async (double, provider) => {
    const { operations, lookAtAll } = await startMany(double, provider, many);
    const answers = await lookAtAll();
    for (const [at, answer] of answers.entries()) {
      assert.equal(answer.outcome, outcomes[statuses[at % statuses.length]!]);
      if (answer.outcome !== 'completed' || !('url' in answer.video)) continue;
      assert.ok(answer.video.url.includes(operations[at]!), 'the video of another task');
    }
    assert.equal(countOf(double, 'list'), 1);
    assert.ok(countOf(double, 'get') < 10);
  }, few));

test('a few looks are single ones', () =>
  withDouble(async (double, provider) => {
    const { lookAtAll } = await startMany(double, provider, 6);
    await lookAtAll();
    assert.equal(countOf(double, 'list'), 0);
  }, few));

test('what the list does not name is looked at singly: only that can call it lost', () =>
  withDouble(async (double, provider) => {
    const { operations, lookAtAll } = await startMany(double, provider, many);
    double.vanish(operations[20]!);
    const hidden = JSON.stringify({ total: 0, items: [] });
    double.next('list', declined({ status: 200, body: hidden }));
    const answers = await lookAtAll();
    assert.equal(answers[20]!.outcome, 'lost');
    assert.ok(answers.every(({ outcome }, at) => at === 20 || outcome !== 'lost'));
    assert.ok(countOf(double, 'get') >= many, 'none was believed to be gone');
  }, few));

test('a list that is refused for coming too fast is asked for again', () =>
  withDouble(async (double, provider) => {
    const { lookAtAll } = await startMany(double, provider, many);
    double.next('list', declined(documentedError('AccountRateLimitExceeded')));
    const answers = await lookAtAll();
    assert.ok(answers.every(({ outcome }, at) => outcome === outcomes[statuses[at % 6]!]));
    assert.equal(countOf(double, 'list'), 2);
  }, few));

test('a list whose address is too long is halved until it fits', () =>
  withDouble(
    async (double, provider) => {
      const { lookAtAll } = await startMany(double, provider, 100);
      const answers = await lookAtAll();
      assert.ok(answers.every(({ outcome }, at) => outcome === outcomes[statuses[at % 6]!]));
      assert.ok(countOf(double, 'list') >= 3);
    },
    { ...few, double: { listIdsMax: 60 } },
  ));

test('where lists never work, single looks go on, and who waits too long is put off', () =>
  withDouble(
    async (double, provider) => {
      const { lookAtAll } = await startMany(double, provider, many);
      double.next('list', ...Array.from({ length: 9 }, () => declined(htmlPage)));
      const answers = await lookAtAll();
      assert.equal(countOf(double, 'list'), 3);
      const put = answers.filter((one) => one.outcome === 'pending' && one.isSpread);
      const times = put.map((one) => (one.outcome === 'pending' ? one.askAgainSeconds : 0));
      assert.ok(put.length > 0);
      assert.equal(new Set(times).size, times.length, 'each is told a time of its own');
    },
    { adapter: { getPerSecond: 1 } },
  ));

test('a look that is no longer wanted ends at once, and takes nobody along', () =>
  withDouble(async (double, provider) => {
    const { start, operations, lookAtAll } = await startMany(double, provider, many);
    const stop = new AbortController();
    const others = lookAtAll();
    const unwanted = provider.status({
      ...sampleStatus(operations[0]!, start),
      signal: stop.signal,
    });
    stop.abort();
    assert.equal((await unwanted).outcome, 'pending');
    assert.equal((await others).length, many);
  }, few));
