/** `absent` lets a generation be started again, so it is said only where it is certain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-bench.ts';
import { adapterFor, callbackUrlOf, withDouble } from '../../../proof/kit/replicate/bench.ts';
import { ReplicateDouble } from '../../../proof/kit/replicate/double.ts';
import { declined, htmlPage } from '../../../proof/kit/upstream-double.ts';
import { nowMs } from '../../clock.ts';
import type { FindAnswer, Provider } from '../provider.ts';

const reference = 'vg_of_this_test';
const settle = { settleSeconds: 100 };
const ourPrompt = sampleGeneration().prompt;

const look = (provider: Provider, secondsSinceStart = 1_000): Promise<FindAnswer> =>
  provider.find!(reference, sampleGeneration(), secondsSinceStart);

/** A prediction of the account, so many seconds old; ours would be a thousand. */
const add = (
  double: ReplicateDouble,
  change: Parameters<ReplicateDouble['add']>[0] | object,
  ageSeconds = 1_000,
) =>
  double.add({
    ...{ model: 'bytedance/seedance-2.0', input: { prompt: 'a red door' } },
    createdMs: nowMs() - ageSeconds * 1_000,
    ...change,
  });

test('finds the start whose answer was lost, by the address we gave', () =>
  withDouble(async (double, provider) => {
    double.next('create', { work: 'done', answer: 'lose' });
    const answer = await provider.start(sampleStart({}, { reference }));
    assert.equal(answer.outcome, 'unknown');
    const [prediction] = double.predictions();
    assert.deepEqual(await look(provider, 0), { outcome: 'found', operation: prediction!.id });
  }));

test('finds it by a look at itself where the list does not show the address', () =>
  withDouble(
    async (double, provider) => {
      const webhook = callbackUrlOf(reference);
      const ours = add(double, { webhook, input: { prompt: ourPrompt } });
      assert.deepEqual(await look(provider), { outcome: 'found', operation: ours.id });
    },
    { double: { showsWebhook: { alone: true, listed: false } } },
  ));

test('proves absence by the list, but not before a late start could have appeared', () =>
  withDouble(
    async (_, provider) => {
      assert.equal((await look(provider, 99)).outcome, 'unknown');
      assert.deepEqual(await look(provider, 100), { outcome: 'absent' });
    },
    { adapter: settle },
  ));

test('is not misled by predictions of others: another address, another text, another time', () =>
  withDouble(
    async (double, provider) => {
      add(double, { webhook: callbackUrlOf('vg_another'), input: { prompt: ourPrompt } });
      add(double, {});
      add(double, { input: { prompt: ourPrompt } }, 5_000);
      add(double, { input: { prompt: ourPrompt } }, 10);
      assert.deepEqual(await look(provider), { outcome: 'absent' });
    },
    { adapter: settle },
  ));

test('proves nothing where one of that time has our text and shows no address', () =>
  withDouble(
    async (double, provider) => {
      add(double, { input: { prompt: ourPrompt } });
      assert.equal((await look(provider)).outcome, 'unknown');
    },
    { adapter: settle },
  ));

test('proves nothing where the data of one of that time is already removed', () =>
  withDouble(
    async (double, provider) => {
      add(double, { dataRemoved: true });
      assert.equal((await look(provider)).outcome, 'unknown');
    },
    { adapter: settle },
  ));

test('reads page after page until it is past the start, and no further', () =>
  withDouble(
    async (double, provider) => {
      for (let count = 0; count < 25; count++) add(double, {}, 100);
      const ours = add(double, { webhook: callbackUrlOf(reference) });
      for (let count = 0; count < 30; count++) add(double, {}, 9_000 + count);
      assert.deepEqual(await look(provider), { outcome: 'found', operation: ours.id });
      double.vanish(ours.id);
      const before = double.requests.length;
      assert.deepEqual(await look(provider), { outcome: 'absent' });
      assert.equal(double.requests.length - before, 3);
    },
    { adapter: settle, double: { pageSize: 10 } },
  ));

test('follows no address that leads elsewhere: only its cursor is taken', () =>
  withDouble(
    async (double, provider) => {
      const page = { next: 'https://evil.example.test/?cursor=none', previous: null, results: [] };
      double.next('list', declined({ status: 200, body: JSON.stringify(page) }));
      assert.equal((await look(provider)).outcome, 'unknown');
      assert.equal(double.requests.at(-1)?.path, '/v1/predictions?cursor=none');
    },
    { adapter: settle },
  ));

test('says unknown when the list cannot be read', () =>
  withDouble(async (double, provider) => {
    double.next('list', declined(htmlPage), { work: 'not-done', answer: 'lose' });
    double.next('list', declined({ status: 200, body: '{"results":[3]}' }));
    for (let count = 0; count < 3; count++) {
      assert.equal((await look(provider)).outcome, 'unknown');
    }
    await double.close();
    assert.equal((await look(provider)).outcome, 'unknown');
  }));

test('without an address to call, what was created is never taken for absent', async () => {
  await using double = await ReplicateDouble.start();
  const provider = adapterFor(double, settle);
  double.next('create', { work: 'done', answer: 'lose' });
  await provider.start(sampleStart({}, { reference }));
  assert.equal((await look(provider, 110)).outcome, 'unknown');
  await provider.close?.();
});
