/** `absent` lets a generation be started again, so it is said only where it is certain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { declined, htmlPage } from '../../../proof/kit/fake-upstream.ts';
import { type FakeOpenAiVideos, servedModel } from '../../../proof/kit/openai-videos/fake.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { unixSeconds } from '../../clock.ts';
import type { FindResult, Provider } from '../provider.ts';

const reference = 'vg_of_this_test';
const settle = { adapter: { settleSeconds: 100 } };

const find = (provider: Provider, secondsSinceStart = 1_000): Promise<FindResult> =>
  provider.find!(reference, sampleGeneration(), secondsSinceStart);

/** A video of somebody on this server, so many seconds old. */
function add(fake: FakeOpenAiVideos, model: string, ageSeconds = 0) {
  const create = { isForm: false, fields: { prompt: 'x', model }, file: null };
  return fake.add(create, { createdSeconds: unixSeconds() - ageSeconds });
}

test('finds the start whose answer was lost', () =>
  withFake('sglang', async (fake, provider) => {
    fake.next('create', { work: 'done', response: 'lose' });
    const result = await provider.start(sampleStart({}, { reference }));
    assert.equal(result.outcome, 'unknown');
    const [video] = fake.videos();
    assert.deepEqual(await find(provider, 0), { outcome: 'found', operation: video!.id });
  }));

test('finds it by its mark, whatever its model is called by now', () =>
  withFake('sglang', async (fake, provider) => {
    const ours = add(fake, `a/model-of-last-year#${reference}`);
    assert.deepEqual(await find(provider), { outcome: 'found', operation: ours.id });
  }));

test('proves absence by the list, but not before a late start could have appeared', () =>
  withFake(
    'sglang',
    async (_, provider) => {
      assert.equal((await find(provider, 99)).outcome, 'unknown');
      assert.deepEqual(await find(provider, 100), { outcome: 'absent' });
    },
    settle,
  ));

test('is not misled by videos of others, where ours would be marked', () =>
  withFake(
    'sglang',
    async (fake, provider) => {
      await startAccepted(provider);
      add(fake, servedModel);
      assert.deepEqual(await find(provider), { outcome: 'absent' });
    },
    settle,
  ));

test('proves nothing on a server that shows no mark', () =>
  withFake(
    'sglang',
    async (fake, provider) => {
      add(fake, servedModel, 500);
      assert.equal((await find(provider)).outcome, 'unknown', 'it may be ours');
      fake.restart();
      add(fake, servedModel, 5_000);
      assert.deepEqual(await find(provider), { outcome: 'absent' }, 'it is older than the start');
    },
    settle,
  ));

test('reads the whole list of a busy server', () =>
  withFake('sglang', async (fake, provider) => {
    const ours = add(fake, `${servedModel}#${reference}`, 900);
    for (let count = 0; count < 150; count++) add(fake, `${servedModel}#vg_${count}`, 10);
    assert.deepEqual(await find(provider), { outcome: 'found', operation: ours.id });
    const lists = fake.requests.filter(({ operation }) => operation === 'list');
    assert.deepEqual(
      lists.map(({ path }) => path),
      ['/v1/videos?limit=100&order=desc', '/v1/videos'],
    );
  }));

test('asks for the newest alone when they reach back far enough', () =>
  withFake(
    'sglang',
    async (fake, provider) => {
      for (let count = 0; count < 150; count++) add(fake, `${servedModel}#vg_${count}`, 5_000);
      assert.deepEqual(await find(provider), { outcome: 'absent' });
      assert.equal(fake.requests.length, 1);
    },
    settle,
  ));

test('says unknown when the list cannot be read', () =>
  withFake('sglang', async (fake, provider) => {
    fake.next('list', declined(htmlPage), { work: 'not-done', response: 'lose' });
    assert.equal((await find(provider)).outcome, 'unknown');
    assert.equal((await find(provider)).outcome, 'unknown');
    await fake.close();
    assert.equal((await find(provider)).outcome, 'unknown');
  }));

test('declares no protection where the upstream shows nothing of ours', async () => {
  for (const dialect of ['openai', 'vllm', 'gateway'] as const) {
    await withFake(dialect, async (fake, provider) => {
      assert.deepEqual([provider.protection, provider.find], ['none', undefined]);
      if (dialect === 'vllm') {
        await startAccepted(provider);
        assert.equal(fake.videos()[0]!.create.fields.model, servedModel, 'and marks nothing');
      }
    });
  }
  await withFake('sglang', async (_, provider) => assert.equal(provider.protection, 'none'), {
    adapter: { markModel: false },
  });
});
