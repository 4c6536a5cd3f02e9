/** New tasks avoid an unhealthy provider and return one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleStart, sampleStatus } from '../../proof/kit/conformance-fixture.ts';
import {
  ageHealth,
  type MonitoredProvider,
  mergeHealth,
  monitor,
  newHealth,
  type ProviderHealth,
} from './health.ts';
import type { Provider, StartResult, StatusResult } from './provider.ts';

const { model } = sampleStart().generation;
const accepted: StartResult = { outcome: 'accepted', operation: 'op' };
const lost: StartResult = { outcome: 'unknown', detail: 'no response' };

const odd: StatusResult = { outcome: 'pending', pollAfterSeconds: 1, alert: 'odd' };
const ended: StatusResult = { outcome: 'failed', detail: 'no video', reason: 'failed' };
const endTask = ({ provider }: MonitoredProvider) =>
  provider.status(sampleStatus('ended', sampleStart()));

type Next = StartResult | Promise<StartResult> | (() => StartResult);

function scripted(limits: { readonly startsPerMinute?: number } = {}) {
  let now = 0;
  let result: Next = accepted;
  const provider: Provider = {
    name: 'ark',
    protection: 'none',
    typicalSeconds: () => 1,
    start: async () => await (typeof result === 'function' ? result() : result),
    status: async ({ operation }) => (operation === 'ended' ? ended : odd),
    cancel: async () => 'unknown',
  };
  const monitored = monitor(provider, { elapsed: () => now, ...limits });
  return {
    monitored,
    pass(ms: number): void {
      now += ms;
    },
    /** As a submit does, with a place of its own while the call is under way. */
    start: async (next: Next) => {
      result = next;
      using _place = monitored.reserve(model);
      return await monitored.provider.start(sampleStart());
    },
  };
}

test('stops new tasks after five failures in a row without a success in between', async () => {
  const { monitored, start } = scripted();
  for (const result of [lost, lost, lost, lost, accepted, lost, lost, lost, lost]) {
    await start(result);
    assert.ok(monitored.availableStarts(model) > 1);
  }
  await start(lost);
  assert.equal(monitored.availableStarts(model), 0);
  assert.deepEqual(monitored.health().breaker, 'open');
  assert.equal(monitored.health().secondsUntilTrial, 5);
});

test('sends one task as a trial, then recovers or waits longer', async () => {
  const { monitored, start, pass } = scripted();
  for (let count = 0; count < 5; count += 1) await start(lost);
  pass(5_000);
  assert.equal(monitored.health().breaker, 'half-open');
  assert.equal(monitored.availableStarts(model), 1);
  const trial = Promise.withResolvers<StartResult>();
  const trying = start(trial.promise);
  assert.equal(monitored.availableStarts(model), 0, 'no second one while the first is on its way');
  trial.resolve(lost);
  await trying;
  assert.equal(monitored.health().secondsUntilTrial, 10);
  pass(10_000);
  await start(accepted);
  assert.equal(monitored.health().breaker, 'closed');
});

test('does not count rejected content and rate limits as failures', async () => {
  const { monitored, start } = scripted();
  const healthy: readonly StartResult[] = [
    { outcome: 'rejected', canFailOver: false, reason: 'rejected', detail: 'content' },
    { outcome: 'throttled', retryAfterSeconds: 1, detail: 'HTTP 429' },
  ];
  for (let count = 0; count < 10; count += 1) {
    for (const result of healthy) await start(result);
  }
  assert.equal(monitored.health().breaker, 'closed');
  const ill: readonly StartResult[] = [
    { outcome: 'rejected', canFailOver: true, reason: 'failed', detail: 'account overdue' },
    { outcome: 'throttled', retryAfterSeconds: 1, detail: 'no connection', unreachable: true },
    lost,
  ];
  for (const result of [...ill, ...ill]) await start(result);
  assert.equal(monitored.health().breaker, 'open');
});

test('calls that fail together are one outage: the pause is as short as after five', async () => {
  const { monitored, start, pass } = scripted();
  await Promise.all(Array.from({ length: 50 }, () => start(lost)));
  assert.equal(monitored.health().secondsUntilTrial, 5);
  pass(5000);
  await Promise.all(Array.from({ length: 50 }, () => start(lost)));
  assert.equal(monitored.health().secondsUntilTrial, 10);
});

test('a busy provider gets one start after its delay or the end of a task, then more', async () => {
  const { monitored, start, pass } = scripted();
  const detail = 'HTTP 429';
  const busy: StartResult = { outcome: 'throttled', retryAfterSeconds: 10, detail, busy: true };
  await start({ outcome: 'throttled', retryAfterSeconds: 10, detail: 'no copy of the image' });
  assert.equal(monitored.availableStarts(model), 16, 'only that task must wait');
  const slow = Promise.withResolvers<StartResult>();
  const taken = Array.from({ length: 10 }, () => start(slow.promise));
  await Promise.all(Array.from({ length: 20 }, () => start(busy)));
  assert.equal(monitored.availableStarts(model), 0);
  slow.resolve(accepted);
  await Promise.all(taken);
  assert.equal(monitored.availableStarts('vidgen-2-5'), 16, 'another model');
  pass(10_000);
  assert.equal(monitored.availableStarts(model), 1);
  await start(accepted);
  assert.equal(monitored.availableStarts(model), 2);
  const trial = Promise.withResolvers<StartResult>();
  const trying = start(trial.promise);
  assert.equal(monitored.availableStarts(model), 1, 'one is on its way');
  trial.resolve(busy);
  await trying;
  assert.equal(monitored.availableStarts(model), 0);
  await endTask(monitored);
  assert.equal(monitored.availableStarts(model), 1, 'a task has ended, so there may be room');
  for (let count = 0; count < 7; count += 1) await start(accepted);
  assert.equal(monitored.availableStarts(model), 32);
  assert.equal(monitored.health().breaker, 'closed');
});

test('a provider that hangs holds 16 starts, one that has answered 32 in all', async () => {
  const { monitored, start } = scripted();
  const hanging = Array.from({ length: 16 }, () => monitored.reserve(model));
  assert.ok(hanging.every((place) => place !== null));
  assert.equal(monitored.reserve(model), null);
  hanging[0]![Symbol.dispose]();
  await start(accepted);
  const others = Array.from({ length: 20 }, () => monitored.reserve(model));
  assert.equal(others.filter((place) => place !== null).length, 17);
  assert.equal(monitored.reserve('vidgen-2-5'), null);
});

test('a start that ends lets in the next that waits; a busy provider lets in none', async () => {
  const { monitored, start } = scripted();
  assert.equal(await monitored.waitForStart(model, 60_000), false, 'none is under way');
  for (let count = 0; count < 7; count += 1) await start(accepted);
  const [first, second] = Array.from({ length: 32 }, () => monitored.reserve(model)!);
  assert.equal(await monitored.waitForStart(model, 1), false, 'none ended in time');
  const ended: string[] = [];
  const waiting = ['one', 'two'].map(async (name) => {
    if (await monitored.waitForStart(model, 60_000)) ended.push(name);
  });
  first![Symbol.dispose]();
  await waiting[0];
  assert.deepEqual(ended, ['one']);
  const detail = 'HTTP 429';
  monitored.reserve(model);
  second![Symbol.dispose]();
  await waiting[1];
  await start({ outcome: 'throttled', retryAfterSeconds: 10, detail, busy: true });
  assert.equal(await monitored.waitForStart(model, 60_000), false);
});

test('counts an exception of a provider as a failure and rethrows it', async () => {
  const { monitored, start } = scripted();
  for (let count = 0; count < 5; count += 1) {
    await assert.rejects(start(Promise.reject(new Error('a bug'))), /a bug/);
  }
  assert.equal(monitored.health().breaker, 'open');
  assert.equal(monitored.health().lastError?.detail, 'a bug');
});

test('reports outcomes, response times and unexpected statuses', async () => {
  const { monitored, start, pass } = scripted();
  assert.deepEqual(monitored.health().startTimes, []);
  await start(() => {
    pass(40);
    return accepted;
  });
  await start(lost);
  await monitored.provider.status(sampleStatus('op', sampleStart()));
  assert.partialDeepStrictEqual(monitored.health(), {
    provider: 'ark',
    starts: { accepted: 1, refused: 0, throttled: 0, unknown: 1 },
    statusErrors: 1,
    startTimes: [40],
    lastError: { detail: 'odd' },
  });
});

test('an error is stored by PostgreSQL, whatever the upstream has sent', async () => {
  const { monitored, start } = scripted();
  await assert.rejects(start(Promise.reject(new Error(`odd\0${'x'.repeat(296)}😀`))));
  assert.equal(monitored.health().lastError?.detail, `odd${'x'.repeat(296)}\ufffd`);
});

test('the health of several processes is their sum, with the breaker that is open', () => {
  const busy: ProviderHealth = {
    ...newHealth('ark'),
    starts: { accepted: 3, refused: 1, throttled: 0, unknown: 1 },
    statusErrors: 2,
    startTimes: [30, 50],
    lastError: { detail: 'old', unixSeconds: 100 },
  };
  const paused: ProviderHealth = {
    ...newHealth('ark'),
    breaker: 'open',
    secondsUntilTrial: 12,
    starts: { accepted: 1, refused: 0, throttled: 4, unknown: 0 },
    startTimes: [20],
    lastError: { detail: 'new', unixSeconds: 200 },
  };
  const { startTimes, ...merged } = mergeHealth(busy, paused);
  assert.deepEqual(startTimes.toSorted(), [20, 30, 50]);
  assert.deepEqual(merged, {
    provider: 'ark',
    breaker: 'open',
    secondsUntilTrial: 12,
    starts: { accepted: 4, refused: 1, throttled: 4, unknown: 1 },
    statusErrors: 2,
    lastError: { detail: 'new', unixSeconds: 200 },
  });
  const { startTimes: _, ...turned } = mergeHealth(paused, busy);
  assert.deepEqual(turned, merged);
  assert.equal(mergeHealth(newHealth('ark'), ageHealth(paused, 11.5)).secondsUntilTrial, 1);
  assert.equal(mergeHealth(newHealth('ark'), ageHealth(paused, 12)).breaker, 'half-open');
});

test('delays more starts per minute than allowed without calling the provider', async () => {
  const { start } = scripted({ startsPerMinute: 1 });
  assert.equal((await start(accepted)).outcome, 'accepted');
  const result = await start(() => assert.fail('the provider was called'));
  assert.ok(result.outcome === 'throttled' && Math.ceil(result.retryAfterSeconds) === 60);
});
