/** A lost start is found; `absent` is never reported when a second start could be a duplicate. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAccount, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import type { Fault } from '../../../proof/kit/fake-upstream.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
import type { FakeModelArk } from '../../../proof/kit/modelark/fake.ts';
import {
  declined,
  garbage,
  htmlPage,
  internalError,
  shortTimeouts,
  startAccepted,
  withFake,
} from '../../../proof/kit/modelark/fixture.ts';
import type { Provider, StartRequest } from '../provider.ts';

/** Longer than a create call and the settle time. */
const minutesAgo = 3_600;

const find = (provider: Provider, start: StartRequest, secondsSinceStart = minutesAgo) =>
  provider.find!(start.reference, start.generation, secondsSinceStart, findAccount(start));

const page = (body: unknown) => declined({ status: 200, body: JSON.stringify(body) });

function fill(fake: FakeModelArk, options: { count: number; ageSeconds: number }): void {
  const [pattern] = fake.started() as [ReturnType<typeof fake.item>];
  const createdSeconds = pattern.createdSeconds - options.ageSeconds;
  for (let index = 0; index < options.count; index++) {
    const body = { ...pattern.body, safety_identifier: `other-${index}` };
    fake.add({ ...pattern, id: `cgt-other-${index}`, body, createdSeconds });
  }
}

test('does not report absent while the lost start may still be running', () =>
  withFake({}, async (fake, provider) => {
    const start = sampleStart();
    fake.next('create', { work: 'late', response: 'lose' });
    assert.equal((await provider.start(start)).outcome, 'unknown');
    assert.equal((await find(provider, start, 2)).outcome, 'unknown');
    fake.finishLate();
    assert.equal((await find(provider, start)).outcome, 'found');
    assert.equal(fake.generations(start.reference), 1);
  }));

test('tells the tasks of an account apart by their marks', () =>
  withFake({}, async (_, provider) => {
    const first = sampleStart();
    const second = sampleStart();
    const operations = [
      await startAccepted(provider, first),
      await startAccepted(provider, second),
    ];
    assert.deepEqual(await find(provider, first), { outcome: 'found', operation: operations[0] });
    assert.deepEqual(await find(provider, second), { outcome: 'found', operation: operations[1] });
    assert.equal((await find(provider, sampleStart())).outcome, 'absent');
    const otherUser = sampleStart({}, { reference: first.reference, endUser: 'f'.repeat(64) });
    assert.equal((await find(provider, otherUser)).outcome, 'absent');
  }));

test('never takes the task of another, and reports unknown when two could be ours', () =>
  withFake({}, async (fake, provider) => {
    const start = sampleStart();
    const operation = await startAccepted(provider, start);
    const findWith = (others: readonly string[]) =>
      provider.find!(start.reference, start.generation, minutesAgo, findAccount(start, others));
    assert.equal((await findWith([operation])).outcome, 'absent');
    fake.add({ ...fake.item(operation), id: 'cgt-twin' });
    assert.equal((await findWith([])).outcome, 'unknown');
    assert.deepEqual(await findWith(['cgt-twin']), { outcome: 'found', operation });
  }));

test('does not take a task with this mark that is older than the start', () =>
  withFake({}, async (fake, provider) => {
    const start = sampleStart();
    const task = fake.item(await startAccepted(provider, start));
    fake.add({ ...task, createdSeconds: task.createdSeconds - 3 * minutesAgo });
    assert.equal((await find(provider, start)).outcome, 'absent');
  }));

test('reports unknown when the upstream shows another time to expire than it was sent', () =>
  withFake({ adapter: { settleSeconds: 0 } }, async (fake, provider) => {
    const start = sampleStart();
    const task = fake.item(await startAccepted(provider, start));
    for (const execution_expires_after of [172_800, 3_600, 200_000]) {
      fake.add({ ...task, body: { ...task.body, execution_expires_after } });
      assert.equal((await find(provider, start, 60)).outcome, 'unknown');
    }
  }));

test('finds a task that was started under another id of its model', () =>
  withFake({}, async (fake, provider) => {
    const start = sampleStart();
    const operation = await startAccepted(provider, start);
    const task = fake.item(operation);
    fake.add({ ...task, body: { ...task.body, model: 'seedance-of-last-year' } });
    assert.deepEqual(await find(provider, start), { outcome: 'found', operation });
  }));

test('needs the unfiltered list unless the key may not read it', () =>
  withFake({}, async (fake, provider) => {
    await startAccepted(provider);
    const empty = page({ total: 0, items: [] });
    fake.next('list', empty, declined(internalError));
    assert.equal((await find(provider, sampleStart())).outcome, 'unknown');
    fake.next('list', empty, declined({ status: 403, body: '{}' }));
    assert.equal((await find(provider, sampleStart())).outcome, 'absent');
  }));

for (const listOrder of ['newest-first', 'oldest-first'] as const) {
  test(`reads as many pages as needed, ${listOrder}`, () =>
    withFake({ fake: { listOrder } }, async (fake, provider) => {
      const first = sampleStart();
      const second = sampleStart();
      const operations = [
        await startAccepted(provider, first),
        await startAccepted(provider, second),
      ];
      fill(fake, { count: 1_100, ageSeconds: listOrder === 'newest-first' ? -5 : 5 });
      for (const [index, start] of [first, second].entries()) {
        const operation = operations[index]!;
        assert.deepEqual(await find(provider, start), { outcome: 'found', operation });
      }
      assert.equal((await find(provider, sampleStart())).outcome, 'absent');
    }));
}

test('stops before the time of the start when the list is newest first', () =>
  withFake({}, async (fake, provider) => {
    await startAccepted(provider);
    fill(fake, { count: 1_200, ageSeconds: 100_000 });
    assert.equal((await find(provider, sampleStart())).outcome, 'absent');
    // One page of the filtered list and one of the unfiltered list.
    assert.equal(fake.requests.filter(({ operation }) => operation === 'list').length, 2);
  }));

test('reports unknown when a task of that time has no identifier', () =>
  withFake({ adapter: { settleSeconds: 0 } }, async (fake, provider) => {
    const start = sampleStart();
    const task = fake.item(await startAccepted(provider, start));
    const { safety_identifier: _, ...body } = task.body;
    fake.add({ ...task, body });
    assert.equal((await find(provider, start, 60)).outcome, 'unknown');
    // The task is too young to be a start of yesterday.
    assert.equal((await find(provider, start, 86_400)).outcome, 'absent');
  }));

test('reports unknown when the list shrinks while it is read', () =>
  withFake({}, async (fake, provider) => {
    const item = { id: 'cgt-1', safety_identifier: 'other', created_at: 1 };
    fake.next('list', page({ total: 3, items: [item] }), page({ total: 2, items: [item] }));
    assert.equal((await find(provider, sampleStart())).outcome, 'unknown');
  }));

test('reports unknown when the list cannot be read', () =>
  withFake({ adapter: shortTimeouts }, async (fake, provider) => {
    const faults: Fault[] = [
      declined(internalError),
      declined(documentedError('AccountRateLimitExceeded')),
      declined(garbage),
      declined(htmlPage),
      page({ total: 3, items: [] }),
      page({ total: '0', items: [] }),
      page({ total: 1, items: [null] }),
      page([]),
      { work: 'not-done', response: 'lose' },
      { work: 'not-done', response: 'hang' },
    ];
    for (const fault of faults) {
      fake.next('list', fault);
      const result = await find(provider, sampleStart());
      assert.equal(result.outcome, 'unknown', JSON.stringify(fault));
    }
  }));

test('reports unknown when the model has no id any more', () =>
  withFake({ adapter: { models: {} } }, async (_, provider) => {
    assert.equal((await find(provider, sampleStart())).outcome, 'unknown');
  }));
