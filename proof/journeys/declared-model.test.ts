/**
 * A declared model through every client format, with the vendors' own clients: it is answered by
 * its name, with its own defaults, and charged what the estimate says.
 * Thorough: starts many clients; each format is tested in every run (`dialects`).
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { createByteDance } from '@ai-sdk/bytedance';
import { createLLMGateway } from '@llmgateway/ai-sdk-provider';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { OpenRouter } from '@openrouter/sdk';
import {
  APICallError,
  experimental_generateVideo as generateVideo,
  experimental_startVideo as startVideo,
} from 'ai';
import OpenAI, { toFile } from 'openai';
import { createVidgen } from '../../ai-sdk/vidgen-ai-sdk.mjs';
import { findTask } from '../../server/tasks/store.ts';
import { runCommandLine } from '../kit/command-line.ts';
import { useJourney } from '../kit/journey.ts';
import { resultFramePath, resultVideoPath } from '../kit/result-server.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { unmarkedVideo } from '../kit/unmarked.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const model = 'kling-3';
const { service } = await useJourney({
  file: {
    routes: { [model]: ['scripted'] },
    models: {
      [model]: {
        generationTypes: ['text-to-video', 'image-to-video', 'reference-to-video'],
        seconds: { min: 3, max: 15, default: 6 },
        resolutions: {
          '720p': { perSecond: 16.8, perSecondSilent: 11.2 },
          '1080p': { perSecond: 22.4, perSecondSilent: 16.8 },
        },
        defaultResolution: '1080p',
        aspectRatios: ['16:9', '9:16', '1:1'],
        frames: { last: true },
        references: { images: 4 },
        seed: true,
        options: {
          negative_prompt: { type: 'text', max: 500 },
          cfg_scale: { type: 'number', min: 0, max: 1 },
        },
      },
    },
  },
});
const folder = makeTemporaryFolder('declared-model');

const prompt = 'A paper boat';
const newAccount = () => service.account({ live: 1000 });
type Account = Awaited<ReturnType<typeof newAccount>>;
type Created = { readonly id: unknown; readonly model: unknown };

const openAi = ({ key }: Account) => new OpenAI({ baseURL: `${service.url}/v1`, apiKey: key });
const llmGateway = ({ key: apiKey }: Account) =>
  createLLMGateway({ baseURL: `${service.url}/v1`, apiKey }).videoModel(model);

/** Each creates a task of the model with nothing but a prompt. */
const clients: Readonly<Record<string, (account: Account) => Promise<Created>>> = {
  async native({ client }) {
    const { body } = await client.create({ model, input: { prompt } });
    return { id: body.taskId, model: (await client.task(String(body.taskId))).model };
  },
  openai: async (account) => await openAi(account).videos.create({ model: model as never, prompt }),
  async '@ai-sdk/bytedance'({ key: apiKey, client }) {
    const provider = createByteDance({ baseURL: `${service.url}/api/v3`, apiKey });
    const bytedance = { pollIntervalMs: 1, pollTimeoutMs: 60_000 };
    const { providerMetadata } = await generateVideo({
      model: provider.video(model),
      prompt,
      providerOptions: { bytedance },
      download: async () => ({ data: await readFile(resultVideoPath), mediaType: 'video/mp4' }),
    });
    const { taskId } = providerMetadata.bytedance as { taskId: string };
    const { body } = await client.get(`/api/v3/contents/generations/tasks/${taskId}`);
    assert.deepEqual([body.resolution, body.duration], ['1080p', 6]);
    return { id: body.id, model: body.model };
  },
  async '@openrouter/sdk'({ key: apiKey }) {
    const sdk = new OpenRouter({ serverURL: `${service.url}/api/v1`, apiKey });
    const { data } = await sdk.videoGeneration.listVideosModels();
    const listed = data.find(({ id }) => id === model);
    assert.deepEqual(listed?.supportedResolutions, ['720p', '1080p']);
    const created = await sdk.videoGeneration.generate({
      videoGenerationRequest: { model, prompt },
    });
    return { id: created.id, model: listed?.canonicalSlug };
  },
  async '@modelcontextprotocol/client'({ key }) {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const headers = { authorization: `Bearer ${key}` };
    const url = new URL(`${service.url}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    await using _closed = { [Symbol.asyncDispose]: () => client.close() };
    const call = async (name: string, input: object) =>
      (await client.callTool({ name, arguments: { ...input } })).structuredContent as object;
    const created = (await call('create_video', { model, prompt })) as { taskId: string };
    return (await call('get_task', { task_id: created.taskId })) as Created;
  },
  async 'the command line'({ key }) {
    const run = async (...args: string[]) => {
      const options = { url: service.url, key, settings: folder };
      return JSON.parse((await runCommandLine([...args, '--json'], options)).stdout);
    };
    const { taskId } = await run('create', '--model', model, '--prompt', prompt);
    return await run('get', taskId);
  },
  async 'the AI SDK provider'({ key: apiKey }) {
    const provider = createVidgen({ baseURL: service.url, apiKey });
    const { operation, response } = await startVideo({ model: provider.video(model), prompt });
    return { id: (operation as { taskId: string }).taskId, model: response.modelId };
  },
};

for (const [name, create] of Object.entries(clients)) {
  test(`${name} creates it with its own defaults, at the price of the estimate`, async () => {
    const account = await newAccount();
    const request = { model, input: { prompt } };
    const { body: estimate } = await account.client.post(
      '/v1/videos/generations/estimate',
      request,
    );
    assert.deepEqual(estimate, { credits: 135 });
    const created = await create(account);
    assert.equal(created.model, model);
    const task = await account.client.final(String(created.id));
    assert.deepEqual([task.status, task.model, task.credits], ['completed', model, 135]);
    assert.equal((await account.client.get('/v1/credits')).body.available, 865);
    assert.partialDeepStrictEqual((await findTask(service.db, task.id))?.generation, {
      duration: 6,
      resolution: '1080p',
      aspectRatio: '16:9',
      generateAudio: true,
    });
  });
}

test('the command line sends options', async () => {
  const { key } = await newAccount();
  const options = ['--option', 'cfg_scale=0.5', '--option', 'negative_prompt=blur'];
  const args = ['create', '--model', model, '--prompt', prompt, ...options, '--json'];
  const { stdout } = await runCommandLine(args, { url: service.url, key, settings: folder });
  const task = await findTask(service.db, JSON.parse(stdout).taskId);
  assert.deepEqual(task?.generation.options, { cfg_scale: 0.5, negative_prompt: 'blur' });
});

describe('OpenAI’s client', () => {
  test('sends what others have added to the format, in a form with a file', async () => {
    const account = await newAccount();
    const file = await toFile(await readFile(resultFramePath), 'a.jpg', { type: 'image/jpeg' });
    const added = {
      duration: 3,
      resolution: '720p',
      aspect_ratio: '9:16',
      audio: false,
      seed: 7,
      image: file,
      last_frame: { image_url: 'https://a.example/end.png' },
      negative_prompt: 'blur',
      options: { cfg_scale: 0.5 },
      metadata: { 'order-id': '42' },
    };
    const videos = openAi(account).videos;
    const created = await videos.create({ model, prompt, ...added } as never);
    assert.partialDeepStrictEqual(created, { size: '720x1280', seconds: '3', model });
    const { metadata } = (await videos.retrieve(created.id)) as { metadata?: object };
    assert.deepEqual(metadata, { 'order-id': '42' });
    const task = await findTask(service.db, created.id);
    assert.partialDeepStrictEqual(task?.generation, {
      generationType: 'image-to-video',
      generateAudio: false,
      seed: 7,
      options: { cfg_scale: 0.5, negative_prompt: 'blur' },
    });
    assert.equal(task?.generation.imageUrls[1], added.last_frame.image_url);
    assert.equal(task?.credits, 34);
  });
});

describe('LLM Gateway’s AI SDK package', () => {
  test('makes a video from frames as bytes, without sound', async () => {
    const account = await newAccount();
    const image = await readFile(resultFramePath);
    const { video, responses } = await generateVideo({
      model: llmGateway(account),
      prompt,
      duration: 3,
      resolution: '1280x720',
      generateAudio: false,
      frameImages: [
        { image, frameType: 'first_frame' },
        { image, frameType: 'last_frame' },
      ],
      poll: { intervalMs: 1 },
    });
    const bytes = Buffer.from(video.uint8Array);
    assert.deepEqual(unmarkedVideo(bytes), await readFile(resultVideoPath));
    assert.equal(responses[0]?.modelId, model);
    assert.equal((await account.client.get('/v1/credits')).body.available, 1000 - 34);
  });

  test('sends references, and gets our message', async () => {
    const account = await newAccount();
    const request = { model: llmGateway(account), prompt, duration: 3 };
    const inputReferences = ['https://a.example/1.png', 'https://a.example/2.png'];
    const { operation } = await startVideo({ ...request, inputReferences });
    const task = await findTask(service.db, String(operation));
    assert.deepEqual(task?.generation.imageUrls, inputReferences);
    const clip = { data: 'https://a.example/clip.mp4', mediaType: 'video/mp4' };
    await assert.rejects(startVideo({ ...request, inputReferences: [clip] }), (error) => {
      assert(APICallError.isInstance(error));
      assert.match(error.message, /^reference_videos must contain at most 0 videos for kling-3/);
      return true;
    });
  });
});
