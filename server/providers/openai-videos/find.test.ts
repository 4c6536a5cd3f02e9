/** `absent` allows a second start, so it is reported only when it is certain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { type FakeOpenAiVideos, servedModel } from '../../../proof/kit/openai-videos/fake.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { FindResult, Provider } from '../provider.ts';

const reference = 'vg_of_this_test';
const settle = { adapter: { settleSeconds: 100 } };

const find = (provider: Provider, secondsSinceStart = 1_000): Promise<FindResult> =>
  provider.find!(reference, sampleGeneration(), secondsSinceStart);

function add(fake: FakeOpenAiVideos, model: string, ageSeconds = 0) {
  const create = { isForm: false, fields: { prompt: 'x', model }, files: [] };
  return fake.add(create, { createdSeconds: unixSeconds() - ageSeconds });
}

test('finds a video by its reference even when its model was renamed', () =>
  withFake('sglang', async (fake, provider) => {
    const ours = add(fake, `a/model-of-last-year#${reference}`);
    assert.deepEqual(await find(provider), { outcome: 'found', operation: ours.id });
  }));

test('ignores videos of other programs when references are repeated', () =>
  withFake({ dialect: 'sglang', ...settle }, async (fake, provider) => {
    await startAccepted(provider);
    add(fake, servedModel);
    assert.deepEqual(await find(provider), { outcome: 'absent' });
  }));

test('reports unknown on a server that does not repeat references', () =>
  withFake({ dialect: 'sglang', ...settle }, async (fake, provider) => {
    add(fake, servedModel, 500);
    assert.equal((await find(provider)).outcome, 'unknown', 'it may be ours');
    fake.restart();
    add(fake, servedModel, 5_000);
    assert.deepEqual(await find(provider), { outcome: 'absent' }, 'it is older than the start');
  }));

test('reads the whole list of a busy server', () =>
  withFake('sglang', async (fake, provider) => {
    const ours = add(fake, `${servedModel}#${reference}`, 900);
    for (let count = 0; count < 150; count++) add(fake, `${servedModel}#vg_${count}`, 10);
    assert.deepEqual(await find(provider), { outcome: 'found', operation: ours.id });
    const lists = fake.requests.filter(({ operation }) => operation === 'list');
    assert.deepEqual(pluck(lists, 'path'), ['/v1/videos?limit=100&order=desc', '/v1/videos']);
  }));

test('requests the newest videos only when they reach back far enough', () =>
  withFake({ dialect: 'sglang', ...settle }, async (fake, provider) => {
    for (let count = 0; count < 150; count++) add(fake, `${servedModel}#vg_${count}`, 5_000);
    assert.deepEqual(await find(provider), { outcome: 'absent' });
    assert.equal(fake.requests.length, 1);
  }));

test('declares no protection when the server does not repeat the reference', async () => {
  for (const dialect of ['openai', 'vllm', 'gateway'] as const) {
    await withFake(dialect, async (fake, provider) => {
      assert.deepEqual([provider.protection, provider.find], ['none', undefined]);
      if (dialect === 'vllm') {
        await startAccepted(provider);
        assert.equal(fake.started()[0]!.create.fields.model, servedModel, 'and marks nothing');
      }
    });
  }
  const unmarked = { dialect: 'sglang', adapter: { markModel: false } } as const;
  await withFake(unmarked, async (_, provider) => assert.equal(provider.protection, 'none'));
});
