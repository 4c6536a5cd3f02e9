/** A lost start is found again; `absent` is never said where a second start could be a double. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleStart } from '../../../proof/kit/conformance-bench.ts';
import {
  accepted,
  declined,
  garbage,
  htmlPage,
  impatient,
  internalError,
  withDouble,
} from '../../../proof/kit/modelark/bench.ts';
import type { Fault, ModelArkDouble } from '../../../proof/kit/modelark/double.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
import type { Provider, StartRequest } from '../provider.ts';

/** Longer than a create may last and settle. */
const minutesAgo = 3_600;

const look = (provider: Provider, start: StartRequest, secondsSinceStart = minutesAgo) =>
  provider.find!(start.reference, start.generation, secondsSinceStart);

const page = (body: unknown) => declined({ status: 200, body: JSON.stringify(body) });

/** Other tasks on the account, as old as told. */
function fill(double: ModelArkDouble, options: { count: number; ageSeconds: number }): void {
  const [pattern] = double.tasks() as [ReturnType<typeof double.task>];
  const createdSeconds = pattern.createdSeconds - options.ageSeconds;
  for (let index = 0; index < options.count; index++) {
    const body = { ...pattern.body, safety_identifier: `other-${index}` };
    double.add({ ...pattern, id: `cgt-other-${index}`, body, createdSeconds });
  }
}

test('does not say absent while the lost start may still be at work', () =>
  withDouble(async (double, provider) => {
    const start = sampleStart();
    double.next('create', { work: 'late', answer: 'lose' });
    assert.equal((await provider.start(start)).outcome, 'unknown');
    assert.equal((await look(provider, start, 2)).outcome, 'unknown');
    double.finishLate();
    assert.equal((await look(provider, start)).outcome, 'found');
    assert.equal(double.generations(start.reference), 1);
  }));

test('finds a task under a reference too long to be sent as it is', () =>
  withDouble(async (_, provider) => {
    const start = sampleStart({}, { reference: 'r'.repeat(100) });
    const operation = await accepted(provider, start);
    assert.deepEqual(await look(provider, start), { outcome: 'found', operation });
    const other = sampleStart({}, { reference: 'r'.repeat(101) });
    assert.equal((await look(provider, other)).outcome, 'absent');
  }));

test('finds a task that was started under another id of its model', () =>
  withDouble(async (double, provider) => {
    const start = sampleStart();
    const operation = await accepted(provider, start);
    const task = double.task(operation);
    double.add({ ...task, body: { ...task.body, model: 'seedance-of-last-year' } });
    assert.deepEqual(await look(provider, start), { outcome: 'found', operation });
  }));

test('a list of all proves nothing when it fails, and is not needed where it is not for us', () =>
  withDouble(async (double, provider) => {
    await accepted(provider);
    const lists = (...answers: Fault[]) => {
      for (const answer of answers) double.next('list', answer);
    };
    lists(page({ total: 0, items: [] }), declined(internalError));
    assert.equal((await look(provider, sampleStart())).outcome, 'unknown');
    lists(page({ total: 0, items: [] }), declined({ status: 403, body: '{}' }));
    assert.equal((await look(provider, sampleStart())).outcome, 'absent');
  }));

for (const listOrder of ['newest-first', 'oldest-first'] as const) {
  test(`reads as many pages as it takes, ${listOrder}`, () =>
    withDouble(
      async (double, provider) => {
        const [first, second] = [sampleStart(), sampleStart()];
        const operations = [await accepted(provider, first), await accepted(provider, second)];
        fill(double, { count: 1_100, ageSeconds: listOrder === 'newest-first' ? -5 : 5 });
        for (const [index, start] of [first, second].entries()) {
          const operation = operations[index]!;
          assert.deepEqual(await look(provider, start), { outcome: 'found', operation });
        }
        assert.equal((await look(provider, sampleStart())).outcome, 'absent');
      },
      { double: { listOrder } },
    ));
}

test('stops at the time before the start when the list is newest first', () =>
  withDouble(async (double, provider) => {
    await accepted(provider);
    fill(double, { count: 1_200, ageSeconds: 100_000 });
    assert.equal((await look(provider, sampleStart())).outcome, 'absent');
    // One page of the model's list, and one of all.
    assert.equal(double.requests.filter(({ operation }) => operation === 'list').length, 2);
  }));

test('promises nothing when a task of that time carries no identifier', () =>
  withDouble(
    async (double, provider) => {
      const start = sampleStart();
      const task = double.task(await accepted(provider, start));
      const { safety_identifier: _, ...body } = task.body;
      double.add({ ...task, body });
      assert.equal((await look(provider, start, 60)).outcome, 'unknown');
      // For a start of yesterday the same task is too young to be the one that was lost.
      assert.equal((await look(provider, start, 86_400)).outcome, 'absent');
    },
    { adapter: { settleSeconds: 0 } },
  ));

test('promises nothing when the list shrinks while it is read', () =>
  withDouble(async (double, provider) => {
    const item = { id: 'cgt-1', safety_identifier: 'other', created_at: 1 };
    double.next('list', page({ total: 3, items: [item] }), page({ total: 2, items: [item] }));
    assert.equal((await look(provider, sampleStart())).outcome, 'unknown');
  }));

test('promises nothing when the list cannot be read', () =>
  withDouble(
    async (double, provider) => {
      const faults: Fault[] = [
        declined(internalError),
        declined(documentedError('AccountRateLimitExceeded')),
        declined(garbage),
        declined(htmlPage),
        page({ total: 3, items: [] }),
        page({ total: '0', items: [] }),
        page({ total: 1, items: [null] }),
        page([]),
        { work: 'not-done', answer: 'lose' },
        { work: 'not-done', answer: 'hang' },
      ];
      for (const fault of faults) {
        double.next('list', fault);
        const answer = await look(provider, sampleStart());
        assert.equal(answer.outcome, 'unknown', JSON.stringify(fault));
      }
    },
    { adapter: impatient },
  ));

test('promises nothing when the model has no id any more', () =>
  withDouble(
    async (_, provider) => {
      assert.equal((await look(provider, sampleStart())).outcome, 'unknown');
    },
    { adapter: { models: {} } },
  ));

test('keeps to one list a second, as the account is allowed', () =>
  withDouble(
    async (_, provider) => {
      const looks = [sampleStart(), sampleStart()].map((start) => look(provider, start));
      const outcomes = (await Promise.all(looks)).map((answer) => answer.outcome);
      assert.deepEqual(outcomes, ['absent', 'absent']);
    },
    { double: { listPerSecond: 1 }, adapter: { listPerSecond: 0.9, settleSeconds: 0 } },
  ));

test('thirty lost answers in a hundred starts make a hundred generations', () =>
  withDouble(async (double, provider) => {
    for (let index = 0; index < 100; index++) {
      const start = sampleStart();
      if (index % 10 === 0) double.next('create', { work: 'done', answer: 'lose' });
      if (index % 10 === 1) double.next('create', { work: 'not-done', answer: 'lose' });
      if (index % 10 === 2) double.next('create', { work: 'done', answer: internalError });
      const answer = await provider.start(start);
      if (answer.outcome === 'unknown' && (await look(provider, start)).outcome === 'absent') {
        await accepted(provider, start);
      }
      assert.equal(double.generations(start.reference), 1);
    }
    assert.equal(double.tasks().length, 100);
  }));
