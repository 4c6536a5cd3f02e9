/** `absent` allows a second start, so it is reported only when it is certain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { declined } from '../../../proof/kit/fake-upstream.ts';
import type { FakeReplicate } from '../../../proof/kit/replicate/fake.ts';
import { callbackUrlOf, withFake } from '../../../proof/kit/replicate/fixture.ts';
import { nowMs } from '../../process/clock.ts';
import type { FindResult, Provider } from '../provider.ts';

const reference = 'vg_of_this_test';
const settle = { settleSeconds: 100 };
const ourPrompt = sampleGeneration().prompt;

const find = (provider: Provider, secondsSinceStart = 1_000): Promise<FindResult> =>
  provider.find!(reference, sampleGeneration(), secondsSinceStart);

/** Adds a prediction to the account; ours would be 1,000 seconds old. */
const add = (
  fake: FakeReplicate,
  change: Parameters<FakeReplicate['add']>[0] | object,
  ageSeconds = 1_000,
) =>
  fake.add({
    model: 'bytedance/seedance-2.0',
    input: { prompt: 'a red door' },
    createdMs: nowMs() - ageSeconds * 1_000,
    ...change,
  });

test('reads a prediction by itself when the list omits the callback URL', () =>
  withFake({ fake: { listsWebhooks: false } }, async (fake, provider) => {
    const webhook = callbackUrlOf(reference);
    const ours = add(fake, { webhook, input: { prompt: ourPrompt } });
    assert.deepEqual(await find(provider), { outcome: 'found', operation: ours.id });
  }));

test('ignores predictions with another callback URL, prompt or time', () =>
  withFake({ adapter: settle }, async (fake, provider) => {
    add(fake, { webhook: callbackUrlOf('vg_another'), input: { prompt: ourPrompt } });
    add(fake, {});
    add(fake, { input: { prompt: ourPrompt } }, 5_000);
    add(fake, { input: { prompt: ourPrompt } }, 10);
    assert.deepEqual(await find(provider), { outcome: 'absent' });
  }));

test('reports unknown when a prediction with our prompt has no callback URL', () =>
  withFake({ adapter: settle }, async (fake, provider) => {
    add(fake, { input: { prompt: ourPrompt } });
    assert.equal((await find(provider)).outcome, 'unknown');
  }));

test('reports unknown when the data of a prediction of that time was deleted', () =>
  withFake({ adapter: settle }, async (fake, provider) => {
    add(fake, { dataRemoved: true });
    assert.equal((await find(provider)).outcome, 'unknown');
  }));

test('reads pages until it is past the start and no further', () =>
  withFake({ adapter: settle, fake: { pageSize: 10 } }, async (fake, provider) => {
    for (let count = 0; count < 25; count++) add(fake, {}, 100);
    const ours = add(fake, { webhook: callbackUrlOf(reference) });
    for (let count = 0; count < 30; count++) add(fake, {}, 9_000 + count);
    assert.deepEqual(await find(provider), { outcome: 'found', operation: ours.id });
    fake.vanish(ours.id);
    const before = fake.requests.length;
    assert.deepEqual(await find(provider), { outcome: 'absent' });
    assert.equal(fake.requests.length - before, 3);
  }));

test('uses only the cursor of a URL that leads elsewhere', () =>
  withFake({ adapter: settle }, async (fake, provider) => {
    const page = { next: 'https://evil.example.test/?cursor=none', previous: null, results: [] };
    fake.next('list', declined({ status: 200, body: JSON.stringify(page) }));
    assert.equal((await find(provider)).outcome, 'unknown');
    assert.equal(fake.requests.at(-1)?.path, '/v1/predictions?cursor=none');
  }));

test('never reports absent for a start without a callback URL', () =>
  withFake({ adapter: settle }, async (fake, provider) => {
    fake.next('create', { work: 'done', response: 'lose' });
    const providerCallbackUrl = 'http://127.0.0.1:3000/not-https';
    await provider.start(sampleStart({}, { reference, providerCallbackUrl }));
    assert.equal((await find(provider, 110)).outcome, 'unknown');
  }));
