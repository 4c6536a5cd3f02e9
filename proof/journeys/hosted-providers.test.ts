/** Tasks from the API to Replicate and fal and back, also when responses are lost. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { unixSeconds } from '../../server/clock.ts';
import { FakeFal, fakeModels as falModels } from '../kit/fal/fake.ts';
import { keyFromSeed, signWebhook as signFalWebhook } from '../kit/fal/webhooks.ts';
import { createTask, startJourney } from '../kit/journey.ts';
import { FakeReplicate, fakeModels as replicateModels } from '../kit/replicate/fake.ts';
import { signWebhook as signReplicateWebhook } from '../kit/replicate/webhooks.ts';
import { startResultServer } from '../kit/result-server.ts';
import type { SignedWebhook } from '../kit/signed-webhook.ts';
import { waitUntil } from '../kit/wait-until.ts';

const publicUrl = 'https://svc.example.test';
const keyNames = { fal: 'VIDGEN_TEST_FAL_KEY', replicate: 'VIDGEN_TEST_REPLICATE_KEY' };

const results = await startResultServer();
const fal = await FakeFal.start({ outputUrl: results.videoUrl });
const replicate = await FakeReplicate.start({ outputUrl: results.videoUrl });
process.env[keyNames.fal] = fal.apiKey;
process.env[keyNames.replicate] = replicate.apiKey;
const journey = await startJourney({
  environment: { VIDGEN_PUBLIC_URL: publicUrl },
  file: {
    providers: {
      fal: {
        ...{ kind: 'fal', baseUrl: fal.baseUrl, keySetUrl: fal.keySetUrl },
        ...{ apiKey: { env: keyNames.fal }, models: falModels, usualSeconds: 1 },
      },
      replicate: {
        ...{ kind: 'replicate', baseUrl: replicate.baseUrl },
        ...{ apiKey: { env: keyNames.replicate }, models: replicateModels, usualSeconds: 1 },
      },
    },
    routes: { 'vidgen-2-0': ['fal'], 'vidgen-2-0-mini': ['replicate'] },
  },
});
after(async () => {
  await journey.service.assertInvariants();
  await journey.close();
  await fal.close();
  await replicate.close();
  await results.close();
  for (const name of Object.values(keyNames)) delete process.env[name];
});

const run = (model: 'vidgen-2-0' | 'vidgen-2-0-mini', prompt: string) =>
  createTask(journey.service, { model, input: { prompt } });

/** Sends a webhook to the callback URL, at the URL of the test service. */
async function sendWebhook(webhook: string, { headers, body }: SignedWebhook): Promise<void> {
  const url = webhook.replace(publicUrl, journey.service.url);
  const response = await fetch(url, { method: 'POST', headers, body });
  assert.equal(response.status, 204);
}

const requestOf = (prompt: string) =>
  waitUntil(() => fal.queued().find(({ input }) => input.prompt === prompt));
const predictionOf = (prompt: string) =>
  waitUntil(() => replicate.predictions().find(({ input }) => input.prompt === prompt));

describe('fal', () => {
  test('a lost response is recovered by the signed webhook alone, and charged once', async () => {
    fal.next('submit', { work: 'done', response: 'lose' });
    const { client, taskId, credits, available } = await run('vidgen-2-0', 'a lost response');
    const { id: requestId, webhook } = await requestOf('a lost response');
    fal.complete(requestId);
    const payload = { status: 'OK', payload: {} };
    await sendWebhook(webhook!, signFalWebhook(payload, { requestId, key: keyFromSeed(8) }));
    await sendWebhook(
      webhook!,
      signFalWebhook(payload, { requestId, atSeconds: unixSeconds() - 301 }),
    );
    await sendWebhook(webhook!, { headers: {}, body: JSON.stringify({ request_id: requestId }) });
    assert.notEqual((await client.task(taskId)).status, 'completed', 'forged webhooks do nothing');
    const signed = signFalWebhook(payload, { requestId });
    await sendWebhook(webhook!, signed);
    await sendWebhook(webhook!, signed);
    const final = await client.final(taskId);
    assert.equal(final.status, 'completed', JSON.stringify(final));
    await sendWebhook(webhook!, signed);
    assert.equal(fal.queued().filter(({ input }) => input.prompt === 'a lost response').length, 1);
    assert.equal(await available(), 100 - credits);
    assert.ok(!JSON.stringify(final).includes(requestId), 'the id of the upstream is not shown');
  });

  test('a queued request can be cancelled, and is refunded', async () => {
    const { client, taskId, available } = await run('vidgen-2-0', 'a second thought');
    await requestOf('a second thought');
    await waitUntil(async () => (await client.task(taskId)).status === 'generating');
    const { status, body } = await client.post(`/v1/tasks/${taskId}/cancel`);
    assert.deepEqual([status, body.failed_reason], [200, 'cancelled'], JSON.stringify(body));
    assert.ok(!fal.queued().some(({ input }) => input.prompt === 'a second thought'));
    assert.equal(await available(), 100);
  });
});

describe('replicate', () => {
  test('a lost response is found in the list, and charged once', async () => {
    replicate.next('create', { work: 'done', response: 'lose' });
    const { client, taskId, credits, available } = await run('vidgen-2-0-mini', 'a lost response');
    const { id } = await predictionOf('a lost response');
    replicate.advance(id, 'succeeded');
    const final = await client.final(taskId);
    assert.equal(final.status, 'completed', JSON.stringify(final));
    assert.equal(replicate.predictions().length, 1);
    assert.equal(await available(), 100 - credits);
  });

  test('a signed webhook triggers a poll', async () => {
    const { client, taskId } = await run('vidgen-2-0-mini', 'a harbour');
    const { id, webhook } = await predictionOf('a harbour');
    replicate.advance(id, 'succeeded');
    await sendWebhook(webhook!, signReplicateWebhook(replicate.shown(id)));
    assert.equal((await client.final(taskId)).status, 'completed');
  });

  test('a running prediction is not cancelled, because it would be billed', async () => {
    const { client, taskId } = await run('vidgen-2-0-mini', 'a long video');
    const { id } = await predictionOf('a long video');
    await waitUntil(async () => (await client.task(taskId)).status === 'generating');
    replicate.advance(id, 'processing');
    const { status } = await client.post(`/v1/tasks/${taskId}/cancel`);
    assert.equal(status, 400);
    assert.equal(replicate.prediction(id).status, 'processing');
    replicate.advance(id, 'failed', { error: 'Input flagged as sensitive (E005)' });
    assert.equal((await client.final(taskId)).failed_reason, 'provider_rejected');
  });
});
