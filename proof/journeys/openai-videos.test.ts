/**
 * A task from our API to a `/v1/videos` server and back: a server of one's own, and OpenAI's.
 * One engine: the subject is what travels between us and an upstream.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { sleep, unixSeconds } from '../../server/clock.ts';
import { balanceOf, type Journey, startJourney } from '../kit/journey.ts';
import { type MediaServer, startMediaServer } from '../kit/media-server.ts';
import { FakeOpenAiVideos, servedModel } from '../kit/openai-videos/fake.ts';
import type { FakeVideo } from '../kit/openai-videos/videos.ts';
import { signEvent } from '../kit/openai-videos/webhooks.ts';
import { resultFramePath, resultVideoPath } from '../kit/result-server.ts';
import { type SignedWebhook, webhookSecret } from '../kit/signed-webhook.ts';

const secretName = 'VIDGEN_TEST_WEBHOOK_SECRET';
const keyName = 'VIDGEN_TEST_OPENAI_KEY';
/** What the engine does with its next videos, by their prompt. */
const script: Record<string, (video: FakeVideo) => void> = {};

let journey: Journey;
let media: MediaServer;
let engine: FakeOpenAiVideos;
let openai: FakeOpenAiVideos;

before(async () => {
  media = await startMediaServer();
  engine = await FakeOpenAiVideos.start({
    dialect: 'vllm',
    onCreate: (video) => script[String(video.create.fields.prompt)]?.(video),
  });
  openai = await FakeOpenAiVideos.start({ dialect: 'openai' });
  process.env[secretName] = webhookSecret;
  process.env[keyName] = openai.apiKey!;
  journey = await startJourney({
    file: {
      providers: {
        gpu: {
          ...{ kind: 'openai-videos', dialect: 'vllm', baseUrl: engine.baseUrl },
          models: { 'vidgen-2-0-mini': servedModel },
          usualSeconds: 1,
        },
        sora: {
          ...{ kind: 'openai-videos', dialect: 'openai', baseUrl: openai.baseUrl },
          apiKey: { env: keyName },
          webhookSecret: { env: secretName },
          models: { 'vidgen-2-0': 'sora-2' },
        },
      },
      routes: { 'vidgen-2-0-mini': ['gpu'], 'vidgen-2-0': ['sora'] },
    },
  });
});
after(async () => {
  await journey.service.assertInvariants();
  await journey.close();
  await media.close();
  await engine.close();
  await openai.close();
  delete process.env[secretName];
  delete process.env[keyName];
});

async function run(prompt: string, input: object, model = 'vidgen-2-0-mini') {
  const account = await journey.service.account({ live: 100 });
  const { status, body } = await account.client.create({ model, input: { prompt, ...input } });
  assert.equal(status, 200, JSON.stringify(body));
  return { account, taskId: body.taskId as string, credits: body.credits as number };
}

test('a first frame goes to a server of one’s own, and its video comes back', async () => {
  const imageBytes = await readFile(resultFramePath);
  const image = media.serve('frame.jpg', imageBytes);
  script['a boat'] = ({ id }) => engine.advance(id, 'completed');
  const input = { generation_type: 'image-to-video', image_urls: [image], resolution: '480p' };
  const { account, taskId, credits } = await run('a boat', input);
  const final = await account.client.final(taskId);
  assert.equal(final.status, 'completed', JSON.stringify(final));
  const [url] = final.data!.results;
  const video = Buffer.from(await (await fetch(url!)).arrayBuffer());
  assert.ok(video.equals(await readFile(resultVideoPath)));
  assert.equal(final.data!.last_frame_url, null);

  const { file, fields } = engine.videos()[0]!.create;
  assert.ok(file?.bytes.equals(imageBytes));
  assert.equal(fields.size, '864x496');
  for (const privateText of [engine.baseUrl, engine.videos()[0]!.id, servedModel]) {
    assert.ok(!JSON.stringify(final).includes(privateText), `${privateText} is nobody's business`);
  }
  const { live } = await balanceOf(journey.service, account.id);
  assert.deepEqual([live.available, live.reserved], [100 - credits, 0]);
});

test('a server that was started again has lost the task, which is refunded', async () => {
  script['a storm'] = () => engine.restart();
  const { account, taskId } = await run('a storm', { resolution: '480p' });
  const final = await account.client.final(taskId);
  assert.deepEqual([final.status, final.failed_reason], ['failed', 'provider_failed']);
  assert.equal((await balanceOf(journey.service, account.id)).live.available, 100);
});

test('content that an engine refuses is the customer’s to change', async () => {
  const error = { code: 400, message: 'Guardrail blocked the generated video' };
  script['a fight'] = ({ id }) => engine.advance(id, 'failed', { error });
  const { account, taskId } = await run('a fight', { resolution: '480p' });
  assert.equal((await account.client.final(taskId)).failed_reason, 'provider_rejected');
});

test('what the server cannot make is refused before anything is reserved', async () => {
  const account = await journey.service.account({ live: 100 });
  const { client } = account;
  const errorOf = async (input: object) => {
    const { status, body } = await client.create({
      model: 'vidgen-2-0',
      input: { prompt: 'x', ...input },
    });
    assert.equal(status, 400, JSON.stringify(body));
    return (body.error as { message: string }).message;
  };
  assert.match(await errorOf({ duration: 5 }), /^input\.duration 5 cannot be made, only 4, 8/);
  assert.match(await errorOf({ duration: 4, watermark: true }), /^input\.watermark true/);
  assert.equal((await balanceOf(journey.service, account.id)).live.available, 100);
});

test('a running task can be cancelled at a server that stops', async () => {
  const { account, taskId } = await run('a long film', { resolution: '480p' });
  while ((await account.client.task(taskId)).status !== 'generating') await sleep(20);
  const { status, body } = await account.client.post(`/v1/tasks/${taskId}/cancel`);
  assert.deepEqual([status, body.failed_reason], [200, 'cancelled'], JSON.stringify(body));
  assert.ok(!engine.videos().some(({ create }) => create.fields.prompt === 'a long film'));
});

test('a signed event hurries the task it names; any other does nothing', async () => {
  const { account, taskId } = await run('a harbour', { duration: 4 }, 'vidgen-2-0');
  await untilWaiting(taskId);
  const [video] = openai.videos();
  openai.advance(video!.id, 'completed');
  const post = async ({ headers, body }: SignedWebhook, path = '/callbacks/sora') => {
    const response = await fetch(`${journey.service.url}${path}`, {
      method: 'POST',
      headers,
      body,
    });
    assert.equal(response.status, 204);
  };
  const event = signEvent(video!);
  await post({ ...event, body: event.body.replace('completed', 'failed') });
  await post(signEvent(video!, { secret: `whsec_${Buffer.alloc(24).toString('base64')}` }));
  await post(signEvent(video!, { atSeconds: unixSeconds() - 301 }));
  await post(signEvent({ id: 'video_of_another', status: 'completed' }));
  await post(event, '/callbacks/gpu');
  assert.ok(await isWaiting(taskId), 'not one of them counted');
  await post(event);
  await post(event);
  assert.equal((await account.client.final(taskId)).status, 'completed');
  await post(event);
});

/** Whether its next look at the provider is some time off. */
async function isWaiting(taskId: string): Promise<boolean> {
  const { rows } = await journey.service.db.query<{ waiting: boolean }>(
    `select not ready and lease_until is null as waiting from jobs
     where task_id = $1 and kind = 'poll'`,
    [taskId],
  );
  return rows[0]?.waiting ?? false;
}

async function untilWaiting(taskId: string): Promise<void> {
  while (!(await isWaiting(taskId))) await sleep(20);
}
