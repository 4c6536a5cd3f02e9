/** Tasks from the API to `/v1/videos` servers and back: a self-hosted engine, and OpenAI's. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { unixSeconds } from '../../server/clock.ts';
import { balanceOf, createTask, startJourney } from '../kit/journey.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { FakeOpenAiVideos, servedModel } from '../kit/openai-videos/fake.ts';
import { signEvent } from '../kit/openai-videos/webhooks.ts';
import { resultFramePath, resultVideoPath } from '../kit/result-server.ts';
import { type SignedWebhook, webhookSecret } from '../kit/signed-webhook.ts';
import { waitUntil } from '../kit/wait-until.ts';

const secretName = 'VIDGEN_TEST_WEBHOOK_SECRET';
const keyName = 'VIDGEN_TEST_OPENAI_KEY';

const media = await startMediaServer();
const engine = await FakeOpenAiVideos.start({
  dialect: 'vllm',
  onCreate: ({ id }) => engine.advance(id, 'completed'),
});
const openai = await FakeOpenAiVideos.start({ dialect: 'openai' });
process.env[secretName] = webhookSecret;
process.env[keyName] = openai.apiKey!;
const journey = await startJourney({
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
after(async () => {
  await journey.service.assertInvariants();
  await journey.close();
  await media.close();
  await engine.close();
  await openai.close();
  delete process.env[secretName];
  delete process.env[keyName];
});

test('a first frame is sent to a self-hosted engine, and its video is returned', async () => {
  const imageBytes = await readFile(resultFramePath);
  const image = media.serve('frame.jpg', imageBytes);
  const input = { generation_type: 'image-to-video', image_urls: [image] };
  const { account, credits, ...task } = await createTask(journey.service, { input });
  const final = await task.final();
  assert.equal(final.status, 'completed', JSON.stringify(final));
  const [url] = final.data!.results;
  const video = Buffer.from(await (await fetch(url!)).arrayBuffer());
  assert.ok(video.equals(await readFile(resultVideoPath)));
  assert.equal(final.data!.last_frame_url, null);

  const { file, fields } = engine.videos()[0]!.create;
  assert.ok(file?.bytes.equals(imageBytes));
  assert.equal(fields.size, '864x496');
  for (const privateText of [engine.baseUrl, engine.videos()[0]!.id, servedModel]) {
    assert.ok(!JSON.stringify(final).includes(privateText), `${privateText} is shown`);
  }
  const { live } = await balanceOf(journey.service, account.id);
  assert.deepEqual([live.available, live.reserved], [100 - credits, 0]);
});

test('an unsupported request is rejected before anything is reserved', async () => {
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

test('a signed event triggers a poll of the task it names; any other does nothing', async () => {
  const request = { model: 'vidgen-2-0', input: { duration: 4, resolution: '720p' } };
  const { taskId, final } = await createTask(journey.service, request);
  await waitUntil(() => isWaiting(taskId));
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
  assert.ok(await isWaiting(taskId), 'no other event triggers a poll');
  await post(event);
  await post(event);
  assert.equal((await final()).status, 'completed');
  await post(event);
});

/** Whether the next poll is scheduled for later. */
async function isWaiting(taskId: string): Promise<boolean> {
  const { rows } = await journey.service.db.query<{ waiting: boolean }>(
    `select not ready and lease_until is null as waiting from jobs
     where task_id = $1 and kind = 'poll'`,
    [taskId],
  );
  return rows[0]?.waiting ?? false;
}
