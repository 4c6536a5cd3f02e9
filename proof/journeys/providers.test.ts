/**
 * Tasks from the API to providers of the configuration file and back: ComfyUI, a declared HTTP
 * API, fal and OpenAI.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { unixSeconds } from '../../server/process/clock.ts';
import { DeclaredSettings } from '../../server/providers/declared/settings.ts';
import { FakeComfyUi } from '../kit/comfyui/fake.ts';
import { writeWorkflows } from '../kit/comfyui/workflows.ts';
import { FakeLumen, phases } from '../kit/declared/fake-lumen.ts';
import { declaredLumen } from '../kit/declared/fixture.ts';
import { FakeFal, fakeModels as falModels } from '../kit/fal/fake.ts';
import { errorResponses } from '../kit/fal/rules.ts';
import { keyFromSeed, signWebhook } from '../kit/fal/webhooks.ts';
import { createTask, startJourney } from '../kit/journey.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { FakeOpenAiVideos } from '../kit/openai-videos/fake.ts';
import { signEvent } from '../kit/openai-videos/webhooks.ts';
import { resultFramePath, resultVideoPath } from '../kit/result-server.ts';
import { type SignedWebhook, webhookSecret } from '../kit/signed-webhook.ts';
import { unmarkedVideo } from '../kit/unmarked.ts';
import { waitUntil } from '../kit/wait-until.ts';

const publicUrl = 'https://svc.example.test';
const media = await startMediaServer();
const workflows = await writeWorkflows();
const comfy = await FakeComfyUi.start({ onQueued: (id) => comfy.finish(id) });
const lumen = await FakeLumen.start();
const fal = await FakeFal.start();
const sora = await FakeOpenAiVideos.start({ dialect: 'openai' });
Object.assign(process.env, {
  LUMEN_KEY: lumen.apiKey,
  FAL_KEY: fal.apiKey,
  SORA_KEY: sora.apiKey,
  SORA_SECRET: webhookSecret,
});
const journey = await startJourney({
  environment: { VIDGEN_PUBLIC_URL: publicUrl },
  file: {
    providers: {
      comfy: {
        kind: 'comfyui',
        baseUrl: comfy.baseUrl,
        usualSeconds: 1,
        workflows: { 'vidgen-2-0-mini': workflows },
      },
      lumen: DeclaredSettings.parse({
        ...declaredLumen,
        baseUrl: lumen.baseUrl,
        askAgainSeconds: 0.1,
        usualSeconds: 1,
      }),
      fal: {
        kind: 'fal',
        baseUrl: fal.baseUrl,
        keySetUrl: fal.keySetUrl,
        apiKey: { env: 'FAL_KEY' },
        models: falModels,
        usualSeconds: 1,
      },
      second: DeclaredSettings.parse({
        ...declaredLumen,
        baseUrl: lumen.baseUrl,
        models: { 'vidgen-2-0-fast': 'lumen-s' },
        askAgainSeconds: 0.1,
        usualSeconds: 1,
      }),
      sora: {
        kind: 'openai-videos',
        dialect: 'openai',
        baseUrl: sora.baseUrl,
        apiKey: { env: 'SORA_KEY' },
        webhookSecret: { env: 'SORA_SECRET' },
        models: { 'vidgen-2-0': 'sora-2' },
      },
    },
    routes: {
      'vidgen-2-0-mini': ['comfy'],
      'vidgen-2-5': ['lumen'],
      'vidgen-2-0-fast': ['fal', 'second'],
      'vidgen-2-0': ['sora'],
    },
  },
});
const { service } = journey;
after(async () => {
  await service.assertInvariants();
  await journey.close();
  for (const server of [media, comfy, lumen, fal, sora]) await server.close();
});

/** The service is not reachable at its public URL in this test. */
const reachable = (url: string) => url.replace(publicUrl, service.url);

async function finishedVideo(task: Awaited<ReturnType<typeof createTask>>): Promise<Buffer> {
  const final = await task.final();
  assert.equal(final.status, 'completed', JSON.stringify(final));
  return Buffer.from(await (await fetch(reachable(final.data!.results[0]!))).arrayBuffer());
}

async function sendWebhook(url: string, { headers, body }: SignedWebhook): Promise<void> {
  const response = await fetch(reachable(url), { method: 'POST', headers, body });
  assert.equal(response.status, 204);
}

test('a first frame is sent to a workflow, and its video is returned', async () => {
  const imageBytes = await readFile(resultFramePath);
  const image_urls = [media.serve('f.jpg', imageBytes)];
  const task = await createTask(service, {
    input: { generation_type: 'image-to-video', image_urls },
  });
  assert.deepEqual(unmarkedVideo(await finishedVideo(task)), await readFile(resultVideoPath));
  const [[name, bytes]] = [...comfy.inputFiles] as [[string, Buffer]];
  assert.deepEqual(bytes, imageBytes);
  const shown = JSON.stringify(await task.client.task(task.taskId));
  for (const privateText of [comfy.baseUrl, name]) assert.ok(!shown.includes(privateText));
});

test('a declared provider returns a video that requires the provider’s key', async () => {
  const task = await createTask(service, { model: 'vidgen-2-5' });
  const render = await waitUntil(() => lumen.renders[0]);
  Object.assign(render, { phase: phases.done, hasFile: true });
  assert.deepEqual(unmarkedVideo(await finishedVideo(task)), await readFile(resultVideoPath));
});

test('fal: a lost response is recovered by the signed webhook alone, charged once', async () => {
  fal.next('submit', { work: 'done', response: 'lose' });
  const { client, taskId, credits, available } = await createTask(service, {
    model: 'vidgen-2-0-fast',
  });
  const { id: requestId, webhook } = await waitUntil(() => fal.started()[0]);
  fal.complete(requestId);
  const payload = { status: 'OK', payload: {} };
  const sign = (options: object = {}) => signWebhook(payload, { requestId, ...options });
  await sendWebhook(webhook!, sign({ key: keyFromSeed(8) }));
  await sendWebhook(webhook!, sign({ atSeconds: unixSeconds() - 301 }));
  await sendWebhook(webhook!, { headers: {}, body: JSON.stringify({ request_id: requestId }) });
  assert.notEqual((await client.task(taskId)).status, 'completed', 'forged webhooks do nothing');
  await sendWebhook(webhook!, sign());
  await sendWebhook(webhook!, sign());
  const final = await client.final(taskId);
  assert.equal(final.status, 'completed', JSON.stringify(final));
  await sendWebhook(webhook!, sign());
  assert.equal(fal.started().length, 1);
  assert.equal(await available(), 100 - credits);
  assert.ok(!JSON.stringify(final).includes(requestId), 'the id of the upstream is not shown');
});

test('fal: an input that is refused after it was queued goes to the next provider', async () => {
  const task = await createTask(service, { model: 'vidgen-2-0-fast' });
  const { id: requestId, webhook } = await waitUntil(() => fal.started()[1]);
  await waitUntil(() => isWaiting(task.taskId));
  fal.complete(requestId, errorResponses['input refused']);
  await sendWebhook(webhook!, signWebhook({ status: 'ERROR', payload: {} }, { requestId }));
  const render = await waitUntil(() => lumen.renders[1]);
  Object.assign(render, { phase: phases.done, hasFile: true });
  assert.deepEqual(unmarkedVideo(await finishedVideo(task)), await readFile(resultVideoPath));
  assert.equal(await task.available(), 100 - task.credits);
});

test('a signed event triggers a poll of the task it names; any other does nothing', async () => {
  const { taskId, final } = await createTask(service, {
    model: 'vidgen-2-0',
    input: { duration: 4, resolution: '720p' },
  });
  await waitUntil(() => isWaiting(taskId));
  const [video] = sora.started();
  sora.advance(video!.id, 'completed');
  const post = (event: SignedWebhook, name = 'sora') =>
    sendWebhook(`${publicUrl}/callbacks/${name}`, event);
  const event = signEvent(video!);
  await post({ ...event, body: event.body.replace('completed', 'failed') });
  await post(signEvent(video!, { secret: `whsec_${Buffer.alloc(24).toString('base64')}` }));
  await post(signEvent(video!, { atSeconds: unixSeconds() - 301 }));
  await post(signEvent({ id: 'video_of_another', status: 'completed' }));
  await post(event, 'comfy');
  assert.ok(await isWaiting(taskId), 'no other event triggers a poll');
  await post(event);
  await post(event);
  assert.equal((await final()).status, 'completed');
  await post(event);
});

/** Whether the next poll is scheduled for later. */
async function isWaiting(taskId: string): Promise<boolean> {
  const { rows } = await service.db.query<{ waiting: boolean }>(
    `select not ready and lease_until is null as waiting from jobs
     where task_id = $1 and kind = 'poll'`,
    [taskId],
  );
  return rows[0]?.waiting ?? false;
}
