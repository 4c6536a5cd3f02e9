/**
 * Replicate's own client and the AI SDK's, with another base URL and key, and a declared model.
 * Thorough: waits for the polls of both clients; the format has tests of its own.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createReplicate } from '@ai-sdk/replicate';
import { APICallError, experimental_generateVideo as generateVideo } from 'ai';
import Replicate, { type Prediction, validateWebhook } from 'replicate';
import { balanceOf, useJourney } from '../kit/journey.ts';
import { resultVideoPath } from '../kit/result-server.ts';
import type { Script } from '../kit/scripted-provider.ts';
import { unmarkedVideo } from '../kit/unmarked.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** The script of a task by the first word of its prompt. */
const scripts: Readonly<Record<string, Script>> = {
  Refused: { status: ['rejected'] },
  Endless: { status: ['pending'], cancel: ['running', 'stopped'] },
};
const model = 'acme/tiny';
const journey = await useJourney({
  script: ({ generation }) =>
    scripts[generation.prompt.split(' ')[0]!] ?? { status: ['completed'] },
  file: {
    models: {
      [model]: {
        generationTypes: ['text-to-video', 'image-to-video'],
        seconds: { min: 2, max: 10 },
        resolutions: { '480p': { perSecond: 1 } },
        options: { negative_prompt: { type: 'text', max: 100 } },
      },
    },
    routes: { [model]: ['scripted'], 'vidgen-2-0': ['scripted'] },
  },
});
const { service, receiver, provider } = journey;
const baseUrl = `${service.url}/v1`;
const video = await readFile(resultVideoPath);

async function newClient({ live = 100 } = {}) {
  const account = await service.account({ live });
  const requests: string[] = [];
  const replicate = new Replicate({
    auth: account.key,
    baseUrl,
    fetch: async (url, init) => {
      requests.push(init?.method ?? 'GET');
      return await fetch(url, init);
    },
  });
  const ai = createReplicate({ apiToken: account.key, baseURL: baseUrl });
  const available = async () => (await balanceOf(service, account.id)).live.available;
  return { ...account, replicate, ai, requests, available };
}

const lastStart = () => provider.calls.findLast(({ kind }) => kind === 'start')!.start!.generation;
const bytesAt = async (url: unknown) => Buffer.from(await (await fetch(String(url))).bytes());

test('replicate.run waits with its create, and returns the URL of a file that plays', async () => {
  const { replicate, requests, available } = await newClient();
  const statuses: string[] = [];
  const image = `data:image/jpeg;base64,${(await readFile(imagePath)).toString('base64')}`;
  const input = { prompt: 'A boat', duration: 3, negative_prompt: 'rain', image };
  const output = await replicate.run(model, { input }, ({ status }) => statuses.push(status));
  assert.deepEqual(unmarkedVideo(await bytesAt(output)), video);
  assert.deepEqual([requests, statuses], [['POST'], ['succeeded', 'succeeded']]);
  assert.equal(await available(), 97);
  const { options, imageUrls } = lastStart();
  assert.deepEqual(options, { negative_prompt: 'rain' });
  assert.deepEqual(await bytesAt(imageUrls[0]), await readFile(imagePath));
});

const imagePath = new URL('../../examples/picture.jpg', import.meta.url);

test('replicate.run polls a create that does not wait, and reports a failure', async () => {
  const { replicate, available } = await newClient();
  const wait = { mode: 'poll', interval: 10 } as const;
  const run = (prompt: string) => replicate.run(model, { input: { prompt, duration: 2 }, wait });
  assert.deepEqual(unmarkedVideo(await bytesAt(await run('A boat'))), video);
  await assert.rejects(run('Refused boat'), /^Error: Prediction failed: .*refunded/);
  assert.equal(await available(), 98);
});

test('predictions are created, read, canceled, and refunded', async () => {
  const { replicate, client, available } = await newClient();
  const { predictions } = replicate;
  const input = { prompt: 'Endless boat', duration: 2 };
  const created = await predictions.create({ model, input, wait: 1 });
  const { id } = created;
  // `run` would take any other status for the end.
  assert.partialDeepStrictEqual(created, { status: 'starting', model, input, output: null });
  while ((await predictions.get(id)).status !== 'processing');
  await assert.rejects(predictions.cancel(id), /status 400 .*cannot stop it/);
  const canceled = await predictions.cancel(id);
  assert.partialDeepStrictEqual(canceled, { id, status: 'canceled', error: null });
  assert.deepEqual(await predictions.cancel(id), canceled);
  assert.equal(canceled.urls.get, `${baseUrl}/predictions/${id}`);
  assert.equal(await available(), 100);
  const { body } = await client.create({ model: 'vidgen-2-0', input: { prompt: 'A boat' } });
  await client.final(body.taskId as string);
  const own = await predictions.get(body.taskId as string);
  assert.partialDeepStrictEqual(own, { status: 'succeeded', model: 'vidgen/vidgen-2-0' });
});

test('a webhook is the prediction, and the client verifies it', async () => {
  const { replicate, client, webhookSecret } = await newClient();
  const webhook = { webhook: receiver.url, webhook_events_filter: ['completed' as const] };
  const input = { prompt: 'A boat', duration: 2 };
  const { id } = await replicate.predictions.create({ model, input, ...webhook });
  await client.final(id);
  const [received] = await receiver.waitForWebhooks(1);
  const { headers, raw, body } = received!;
  assert.deepEqual(body, { ...(await replicate.predictions.get(id)) });
  assert.equal((body as unknown as Prediction).status, 'succeeded');
  const signed = {
    id: String(headers['webhook-id']),
    timestamp: String(headers['webhook-timestamp']),
    signature: String(headers['webhook-signature']),
    body: raw,
    secret: webhookSecret,
  };
  assert.equal(await validateWebhook(signed), true);
});

test('errors have Replicate’s shape, and say what to do', async () => {
  const { replicate } = await newClient({ live: 1 });
  const input = { prompt: 'A boat' };
  const stranger = new Replicate({ auth: 'r8_x', baseUrl });
  const run = (ref: `${string}/${string}`, change = {}, client = replicate) =>
    client.run(ref, { input: { ...input, ...change } });
  for (const [status, title, detail, send] of [
    [402, 'insufficient_credits', /credits/, () => run(model)],
    [404, 'not_found', /no versions here/, () => run(`${model}:1`)],
    [404, 'not_found', /"acme\/large" is not served/, () => run('acme/large')],
    [400, 'invalid_request', /^input\.fps /, () => run(model, { fps: 24 })],
    [404, 'not_found', /No task found/, () => replicate.predictions.get('x')],
    [401, 'invalid_api_key', /key/, () => run(model, {}, stranger)],
  ] as const) {
    await assert.rejects(send, ({ message }: Error) => {
      const [, body] = /failed with status \d+ [\w ]+: (\{.*\})\.$/.exec(message)!;
      const error = JSON.parse(body!);
      assert.deepEqual([error.status, error.title], [status, title]);
      assert.match(error.detail, detail);
      return true;
    });
  }
});

test('the AI SDK sends one key for a create, and gets a file, a failure and an error', async () => {
  const { ai, client } = await newClient();
  const download = async ({ url }: { url: URL }) => ({
    data: await bytesAt(url),
    mediaType: 'video/mp4',
  });
  const generate = (prompt: string, resolution: `${number}x${number}` = '854x480') =>
    generateVideo({
      model: ai.video(model),
      prompt,
      resolution,
      duration: 2,
      download,
      maxRetries: 0,
      providerOptions: { replicate: { negative_prompt: 'rain', pollIntervalMs: 10 } },
    });
  const { video: generated } = await generate('A boat');
  assert.deepEqual(unmarkedVideo(Buffer.from(generated.uint8Array)), video);
  assert.deepEqual(lastStart().options, { negative_prompt: 'rain' });
  await assert.rejects(generate('Refused boat'), /generation failed: .*refunded/);
  await assert.rejects(generate('A boat', '1920x1080'), (error) => {
    assert(APICallError.isInstance(error));
    assert.match(error.message, /^input\.size must be 480p for acme\/tiny/);
    return error.statusCode === 400 && !error.isRetryable;
  });
  const { rows } = await service.db.query('select key from idempotency_keys order by key');
  assert.equal(rows.filter(({ key }) => String(key).startsWith('aisdk_vid_')).length, 2);
  assert.equal(((await client.get('/v1/tasks')).body.items as unknown[]).length, 2);
});
