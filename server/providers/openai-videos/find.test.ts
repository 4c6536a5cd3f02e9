/** `absent` lets a generation be started again, so it is said only where it is certain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-bench.ts';
import { accepted } from '../../../proof/kit/conformance-faults.ts';
import { withDouble } from '../../../proof/kit/openai-videos/bench.ts';
import { servedModel, type VideosDouble } from '../../../proof/kit/openai-videos/double.ts';
import { declined, htmlPage } from '../../../proof/kit/upstream-double.ts';
import { unixSeconds } from '../../clock.ts';
import type { FindAnswer, Provider } from '../provider.ts';

const reference = 'vg_of_this_test';
const settle = { adapter: { settleSeconds: 100 } };

const look = (provider: Provider, secondsSinceStart = 1_000): Promise<FindAnswer> =>
  provider.find!(reference, sampleGeneration(), secondsSinceStart);

/** A video of somebody on this server, so many seconds old. */
function add(double: VideosDouble, model: string, ageSeconds = 0) {
  const create = { isForm: false, fields: { prompt: 'x', model }, file: null };
  return double.add(create, { createdSeconds: unixSeconds() - ageSeconds });
}

test('finds the start whose answer was lost', () =>
  withDouble('sglang', async (double, provider) => {
    double.next('create', { work: 'done', answer: 'lose' });
    const answer = await provider.start(sampleStart({}, { reference }));
    assert.equal(answer.outcome, 'unknown');
    const [video] = double.videos();
    assert.deepEqual(await look(provider, 0), { outcome: 'found', operation: video!.id });
  }));

test('finds it by its mark, whatever its model is called by now', () =>
  withDouble('sglang', async (double, provider) => {
    const ours = add(double, `a/model-of-last-year#${reference}`);
    assert.deepEqual(await look(provider), { outcome: 'found', operation: ours.id });
  }));

test('proves absence by the list, but not before a late start could have appeared', () =>
  withDouble(
    'sglang',
    async (_, provider) => {
      assert.equal((await look(provider, 99)).outcome, 'unknown');
      assert.deepEqual(await look(provider, 100), { outcome: 'absent' });
    },
    settle,
  ));

test('is not misled by videos of others, where ours would be marked', () =>
  withDouble(
    'sglang',
    async (double, provider) => {
      await accepted(provider);
      add(double, servedModel);
      assert.deepEqual(await look(provider), { outcome: 'absent' });
    },
    settle,
  ));

test('proves nothing on a server that shows no mark', () =>
  withDouble(
    'sglang',
    async (double, provider) => {
      add(double, servedModel, 500);
      assert.equal((await look(provider)).outcome, 'unknown', 'it may be ours');
      double.restart();
      add(double, servedModel, 5_000);
      assert.deepEqual(await look(provider), { outcome: 'absent' }, 'it is older than the start');
    },
    settle,
  ));

test('reads the whole list of a busy server', () =>
  withDouble('sglang', async (double, provider) => {
    const ours = add(double, `${servedModel}#${reference}`, 900);
    for (let count = 0; count < 150; count++) add(double, `${servedModel}#vg_${count}`, 10);
    assert.deepEqual(await look(provider), { outcome: 'found', operation: ours.id });
    const lists = double.requests.filter(({ operation }) => operation === 'list');
    assert.deepEqual(
      lists.map(({ path }) => path),
      ['/v1/videos?limit=100&order=desc', '/v1/videos'],
    );
  }));

test('asks for the newest alone when they reach back far enough', () =>
  withDouble(
    'sglang',
    async (double, provider) => {
      for (let count = 0; count < 150; count++) add(double, `${servedModel}#vg_${count}`, 5_000);
      assert.deepEqual(await look(provider), { outcome: 'absent' });
      assert.equal(double.requests.length, 1);
    },
    settle,
  ));

test('says unknown when the list cannot be read', () =>
  withDouble('sglang', async (double, provider) => {
    double.next('list', declined(htmlPage), { work: 'not-done', answer: 'lose' });
    assert.equal((await look(provider)).outcome, 'unknown');
    assert.equal((await look(provider)).outcome, 'unknown');
    await double.close();
    assert.equal((await look(provider)).outcome, 'unknown');
  }));

test('declares no protection where the upstream shows nothing of ours', async () => {
  for (const dialect of ['openai', 'vllm', 'gateway'] as const) {
    await withDouble(dialect, async (double, provider) => {
      assert.deepEqual([provider.protection, provider.find], ['none', undefined]);
      if (dialect === 'vllm') {
        await accepted(provider);
        assert.equal(double.videos()[0]!.create.fields.model, servedModel, 'and marks nothing');
      }
    });
  }
  await withDouble('sglang', async (_, provider) => assert.equal(provider.protection, 'none'), {
    adapter: { markModel: false },
  });
});
