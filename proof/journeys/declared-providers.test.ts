/**
 * Tasks from the API to providers that an operator describes: ComfyUI workflows, and a declared
 * HTTP API.
 */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { DeclaredSettings } from '../../server/providers/declared/settings.ts';
import { FakeComfyUi } from '../kit/comfyui/fake.ts';
import { writeWorkflows } from '../kit/comfyui/workflows.ts';
import { FakeLumen, phases } from '../kit/declared/fake-lumen.ts';
import { declaredLumen } from '../kit/declared/fixture.ts';
import { createTask, startJourney } from '../kit/journey.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { resultFramePath, resultVideoPath } from '../kit/result-server.ts';
import { waitUntil } from '../kit/wait-until.ts';

const keyName = 'VIDGEN_TEST_LUMEN_KEY';

const media = await startMediaServer();
const { folder, workflows } = await writeWorkflows();
const workflowFolder = folder;
const comfy = await FakeComfyUi.start({ onQueued: (id) => comfy.finish(id) });
const lumen = await FakeLumen.start();
process.env[keyName] = lumen.apiKey;
const journey = await startJourney({
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
after(async () => {
  await journey.service.assertInvariants();
  await journey.close();
  await media.close();
  await comfy.close();
  await lumen.close();
  await rm(workflowFolder, { recursive: true });
  delete process.env[keyName];
});

async function assertVideo(url: string | undefined): Promise<void> {
  const video = Buffer.from(await (await fetch(url!)).arrayBuffer());
  assert.ok(video.equals(await readFile(resultVideoPath)));
}

test('a first frame is sent to a workflow, and its video is returned', async () => {
  const imageBytes = await readFile(resultFramePath);
  const image_urls = [media.serve('f.jpg', imageBytes)];
  const input = { prompt: 'a boat', generation_type: 'image-to-video', image_urls };
  const task = await createTask(journey.service, { input });
  const final = await task.final();
  assert.equal(final.status, 'completed', JSON.stringify(final));
  await assertVideo(final.data!.results[0]);
  const [[name, bytes]] = [...comfy.inputFiles] as [[string, Buffer]];
  assert.ok(bytes.equals(imageBytes));
  for (const privateText of [comfy.baseUrl, name])
    assert.ok(!JSON.stringify(final).includes(privateText));
});

test('a declared provider returns a video that requires the provider’s key', async () => {
  const task = await createTask(journey.service, { model: 'vidgen-2-0' });
  const render = await waitUntil(() => lumen.renders[0]);
  Object.assign(render, { phase: phases.done, hasFile: true });
  const final = await task.final();
  assert.equal(final.status, 'completed', JSON.stringify(final));
  await assertVideo(final.data!.results[0]);
});
