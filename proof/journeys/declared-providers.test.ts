/**
 * Tasks from our API to generators that an operator describes: ComfyUI's workflows, and JSON.
 * One engine: the subject is what travels between us and an upstream.
 */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { sleep } from '../../server/clock.ts';
import { DeclaredSettings } from '../../server/providers/declared/settings.ts';
import { FakeComfyUi } from '../kit/comfyui/fake.ts';
import { writeWorkflows } from '../kit/comfyui/workflows.ts';
import { FakeLumen, phases } from '../kit/declared/fake-lumen.ts';
import { declaredLumen } from '../kit/declared/fixture.ts';
import { balanceOf, type Journey, startJourney } from '../kit/journey.ts';
import { type MediaServer, startMediaServer } from '../kit/media-server.ts';
import { resultFramePath, resultVideoPath } from '../kit/result-server.ts';

const keyName = 'VIDGEN_TEST_LUMEN_KEY';
/** What ComfyUI does with its next prompts, by their text. */
const script: Record<string, (id: string) => void> = {};

let journey: Journey;
let media: MediaServer;
let comfy: FakeComfyUi;
let lumen: FakeLumen;
let workflowFolder: string;

before(async () => {
  media = await startMediaServer();
  const { folder, workflows } = await writeWorkflows();
  workflowFolder = folder;
  comfy = await FakeComfyUi.start({
    onQueued: (id) => script[String(comfy.lastGraph()['6']!.inputs.text)]?.(id),
  });
  lumen = await FakeLumen.start();
  process.env[keyName] = lumen.apiKey;
  journey = await startJourney({
    file: {
      providers: {
        comfy: {
          ...{ kind: 'comfyui', baseUrl: comfy.baseUrl, usualSeconds: 1 },
          workflows: { 'vidgen-2-0-mini': workflows },
        },
        lumen: DeclaredSettings.parse({
          ...declaredLumen,
          baseUrl: lumen.baseUrl,
          apiKey: { env: keyName },
          ...{ askAgainSeconds: 0.1, usualSeconds: 1 },
        }),
      },
      routes: { 'vidgen-2-0-mini': ['comfy'], 'vidgen-2-0': ['lumen'] },
    },
  });
});
after(async () => {
  await journey.service.assertInvariants();
  await journey.close();
  await media.close();
  await comfy.close();
  await lumen.close();
  await rm(workflowFolder, { recursive: true });
  delete process.env[keyName];
});

async function run(prompt: string, input: object = {}, model = 'vidgen-2-0-mini') {
  const account = await journey.service.account({ live: 100 });
  const fullInput = { prompt, resolution: '480p', ...input };
  const { status, body } = await account.client.create({ model, input: fullInput });
  assert.equal(status, 200, JSON.stringify(body));
  return { account, taskId: body.taskId as string };
}

async function assertVideo(url: string | undefined): Promise<void> {
  const video = Buffer.from(await (await fetch(url!)).arrayBuffer());
  assert.ok(video.equals(await readFile(resultVideoPath)));
}

test('a first frame goes through a workflow, and its video comes back', async () => {
  const imageBytes = await readFile(resultFramePath);
  script['a boat'] = (id) => comfy.finish(id);
  const frames = {
    generation_type: 'image-to-video',
    image_urls: [media.serve('f.jpg', imageBytes)],
  };
  const { account, taskId } = await run('a boat', frames);
  const final = await account.client.final(taskId);
  assert.equal(final.status, 'completed', JSON.stringify(final));
  await assertVideo(final.data!.results[0]);
  const [[name, bytes]] = [...comfy.inputFiles] as [[string, Buffer]];
  assert.ok(bytes.equals(imageBytes));
  for (const privateText of [comfy.baseUrl, name])
    assert.ok(!JSON.stringify(final).includes(privateText));
});

test('a ComfyUI that was started again has lost the task, which is refunded', async () => {
  script['a storm'] = () => comfy.restart();
  const { account, taskId } = await run('a storm');
  const final = await account.client.final(taskId);
  assert.deepEqual([final.status, final.failed_reason], ['failed', 'provider_failed']);
  assert.equal((await balanceOf(journey.service, account.id)).live.available, 100);
});

test('a lost answer is looked up, and nothing runs twice', async () => {
  let prompts = 0;
  script['a harbour'] = (id) => {
    prompts += 1;
    comfy.finish(id);
  };
  comfy.next('prompt', { work: 'done', response: 'lose' });
  const { account, taskId } = await run('a harbour');
  assert.equal((await account.client.final(taskId)).status, 'completed');
  assert.equal(prompts, 1);
});

test('a running workflow can be cancelled', async () => {
  script['a long film'] = (id) => comfy.run(id);
  const { account, taskId } = await run('a long film');
  while ((await account.client.task(taskId)).status !== 'generating') await sleep(20);
  const { status, body } = await account.client.post(`/v1/tasks/${taskId}/cancel`);
  assert.deepEqual([status, body.failed_reason], [200, 'cancelled'], JSON.stringify(body));
});

test('what no workflow takes is refused before anything is reserved', async () => {
  const { client } = await journey.service.account({ live: 100 });
  const input = { prompt: 'x', resolution: '480p', watermark: true };
  const { status, body } = await client.create({ model: 'vidgen-2-0-mini', input });
  assert.equal(status, 400);
  assert.match((body.error as { message: string }).message, /^input\.watermark true cannot/);
});

test('an upstream that is only described makes a video, behind its own door', async () => {
  const { account, taskId } = await run('a lamp', {}, 'vidgen-2-0');
  while (lumen.renders.length === 0) await sleep(20);
  Object.assign(lumen.renders[0]!, { phase: phases.done, hasFile: true });
  const final = await account.client.final(taskId);
  assert.equal(final.status, 'completed', JSON.stringify(final));
  await assertVideo(final.data!.results[0]);
});
