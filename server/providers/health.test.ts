/** New tasks stay away from a provider that is ill, and come back one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleStart, sampleStatus } from '../../proof/kit/conformance-bench.ts';
import { watch } from './health.ts';
import type { Provider, StartAnswer, StatusAnswer } from './provider.ts';

const accepted: StartAnswer = { outcome: 'accepted', operation: 'op' };
const lost: StartAnswer = { outcome: 'unknown', detail: 'no answer' };

type Next = StartAnswer | Promise<StartAnswer> | (() => StartAnswer);

function scripted() {
  let now = 0;
  let answer: Next = accepted;
  const status: StatusAnswer = { outcome: 'pending', askAgainSeconds: 1, alert: 'odd' };
  const provider: Provider = {
    name: 'ark',
    protection: 'none',
    usualSeconds: () => 1,
    start: async () => await (typeof answer === 'function' ? answer() : answer),
    status: async () => status,
    cancel: async () => 'unknown',
  };
  const watched = watch(provider, { elapsed: () => now });
  return {
    watched,
    pass(ms: number): void {
      now += ms;
    },
    start: async (next: Next) => {
      answer = next;
      return await watched.provider.start(sampleStart());
    },
  };
}

test('five troubles in a row keep new tasks away, unless a success is between them', async () => {
  const { watched, start } = scripted();
  for (const answer of [lost, lost, lost, lost, accepted, lost, lost, lost, lost]) {
    await start(answer);
    assert.ok(watched.admits());
  }
  await start(lost);
  assert.ok(!watched.admits());
  assert.deepEqual(watched.health().breaker, 'open');
  assert.equal(watched.health().secondsUntilTrial, 5);
});

test('after a while one task tries it: it recovers, or is left alone for longer', async () => {
  const { watched, start, pass } = scripted();
  for (let count = 0; count < 5; count += 1) await start(lost);
  pass(5_000);
  assert.equal(watched.health().breaker, 'half-open');
  assert.ok(watched.admits());
  const trial = Promise.withResolvers<StartAnswer>();
  const trying = start(trial.promise);
  assert.ok(!watched.admits(), 'no second one while the first is on its way');
  trial.resolve(lost);
  await trying;
  assert.equal(watched.health().secondsUntilTrial, 10);
  pass(10_000);
  await start(accepted);
  assert.equal(watched.health().breaker, 'closed');
});

test('a refusal of the content and "not so fast" are no signs of illness', async () => {
  const { watched, start } = scripted();
  const healthy: readonly StartAnswer[] = [
    { outcome: 'refused', tryAnother: false, reason: 'rejected', detail: 'content' },
    { outcome: 'throttled', retryAfterSeconds: 1, detail: 'HTTP 429' },
  ];
  for (let count = 0; count < 10; count += 1) {
    for (const answer of healthy) await start(answer);
  }
  assert.equal(watched.health().breaker, 'closed');
  const ill: readonly StartAnswer[] = [
    { outcome: 'refused', tryAnother: true, reason: 'failed', detail: 'account overdue' },
    { outcome: 'throttled', retryAfterSeconds: 1, detail: 'no connection', unreachable: true },
    lost,
  ];
  for (const answer of [...ill, ...ill]) await start(answer);
  assert.equal(watched.health().breaker, 'open');
});

test('a provider that throws is ill, and is heard to throw', async () => {
  const { watched, start } = scripted();
  for (let count = 0; count < 5; count += 1) {
    await assert.rejects(start(Promise.reject(new Error('a bug'))), /a bug/);
  }
  assert.equal(watched.health().breaker, 'open');
  assert.equal(watched.health().lastTrouble?.detail, 'a bug');
});

test('counts what was answered, how fast, and what was odd', async () => {
  const { watched, start, pass } = scripted();
  assert.equal(watched.health().startMs, null);
  await start(() => {
    pass(40);
    return accepted;
  });
  await start(lost);
  await watched.provider.status(sampleStatus('op', sampleStart()));
  assert.partialDeepStrictEqual(watched.health(), {
    provider: 'ark',
    starts: { accepted: 1, refused: 0, throttled: 0, unknown: 1 },
    statusTroubles: 1,
    startMs: { p50: 40, p95: 40 },
    lastTrouble: { detail: 'odd' },
  });
});

test('more starts than allowed a minute are put off, and do not reach it', async () => {
  let asked = 0;
  const provider = scripted().watched.provider;
  const counted: Provider = {
    ...provider,
    async start() {
      asked += 1;
      return accepted;
    },
  };
  const watched = watch(counted, { startsPerMinute: 1 });
  assert.equal((await watched.provider.start(sampleStart())).outcome, 'accepted');
  const answer = await watched.provider.start(sampleStart());
  assert.ok(answer.outcome === 'throttled' && Math.ceil(answer.retryAfterSeconds) === 60);
  assert.equal(asked, 1);
});
