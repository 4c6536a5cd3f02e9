/**
 * The requests of n8n's OpenAI node and of LiteLLM, in the form that their sources send them
 * (n8n: nodes-langchain `OpenAi/v2/actions/video`; LiteLLM: `llms/openai/videos`).
 * Thorough: repeats what the official clients show, in the forms of n8n and LiteLLM.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { Video } from '@vidgen/contract/openai-videos.ts';
import { startJourney } from '../kit/journey.ts';
import { resultFramePath } from '../kit/result-server.ts';

const journey = await startJourney({
  script: ({ generation }) => (generation.prompt.includes('fails') ? { status: ['failed'] } : {}),
  file: { aliases: { 'sora-2': 'vidgen-2-0-fast', 'sora-2-pro': 'vidgen-2-5' } },
});
const { service } = journey;
after(() => journey.close());

const image = new Blob([await readFile(resultFramePath)], { type: 'image/jpeg' });

async function newCaller(headers: Record<string, string>, mode: 'live' | 'test' = 'live') {
  const { key, client } = await service.account({ mode, [mode]: 1000 });
  const send = async (method: string, path: string, init: RequestInit = {}) => {
    const all = { authorization: `Bearer ${key}`, ...headers, ...init.headers };
    return await fetch(`${service.url}/v1${path}`, { method, ...init, headers: all });
  };
  /** Polls as the client does, until it stops. */
  const finished = async (id: string) => {
    await client.final(id);
    return Video.parse(await (await send('GET', `/videos/${id}`)).json());
  };
  return { send, finished };
}

function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'input_reference.png');
  }
  return form;
}

describe('n8n', () => {
  const node = { 'OpenAI-Organization': '', accept: 'application/json,text/*;q=0.99' };
  const fields = { model: 'sora-2', prompt: 'A cat plays', seconds: '4', size: '1280x720' };

  test('its credential test reads the models', async () => {
    const { send } = await newCaller(node);
    const body = await (await send('GET', '/models')).json();
    assert.equal(body.object, 'list');
    const ids = (body.data as { id: string }[]).map(({ id }) => id);
    assert(ids.includes('sora-2') && ids.includes('sora-2-pro'), ids.join());
    assert.equal(body.items.length, 4, 'our own shape is there too');
  });

  for (const [what, extra] of [
    ['of text', {}],
    ['with a reference', { input_reference: image }],
  ] as const) {
    test(`generates a video ${what} and downloads it`, async () => {
      const { send, finished } = await newCaller(node);
      const created = await send('POST', '/videos', { body: formOf({ ...fields, ...extra }) });
      assert.equal(created.status, 200);
      const { id } = Video.parse(await created.json());
      assert.deepEqual((await finished(id)).status, 'completed');
      const content = await send('GET', `/videos/${id}/content`);
      assert.equal(content.headers.get('content-type'), 'video/mp4');
      assert((await content.arrayBuffer()).byteLength > 1000);
    });
  }

  test('stops at the error of a failed video', async () => {
    const { send, finished } = await newCaller(node);
    const body = formOf({ ...fields, prompt: 'This one fails' });
    const { id } = await (await send('POST', '/videos', { body })).json();
    assert.match((await finished(id)).error?.message ?? '', /couldn’t generate/);
  });

  test('gets the size that no model renders refused by name', async () => {
    const { send } = await newCaller(node);
    const body = formOf({ ...fields, size: '1792x1024' });
    const refused = await send('POST', '/videos', { body });
    assert.equal(refused.status, 400);
    assert.match((await refused.json()).error.message, /^size must be one of 480p, 720p/);
  });
});

describe('LiteLLM', () => {
  const fields = { model: 'vidgen-2-5', prompt: 'A paper boat', seconds: '8', size: '720x1280' };
  const json = (body: object) => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

  test('creates by JSON without a file, and reads its content', async () => {
    const { send, finished } = await newCaller({});
    const created = await send('POST', '/videos', json({ ...fields, user: 'someone' }));
    const { id, seconds, size } = Video.parse(await created.json());
    assert.deepEqual([seconds, size], ['8', '720x1280']);
    assert.equal((await finished(id)).status, 'completed');
    const content = await send('GET', `/videos/${id}/content?video_id=${id}`);
    assert.equal(content.status, 200);
    const listed = await (await send('GET', '/videos?limit=1&order=desc')).json();
    assert.deepEqual([listed.data[0].id, listed.has_more], [id, false]);
  });

  test('creates by a form with a file', async () => {
    const { send, finished } = await newCaller({});
    const body = formOf({ ...fields, input_reference: image });
    const { id } = await (await send('POST', '/videos', { body })).json();
    assert.equal((await finished(id)).status, 'completed');
  });

  test('sends an image as a data URI, in JSON and in a form', async () => {
    const { send, finished } = await newCaller({});
    const data = Buffer.from(await image.arrayBuffer()).toString('base64');
    const dataUri = `data:image/jpeg;base64,${data}`;
    for (const init of [
      json({ ...fields, input_reference: { image_url: dataUri } }),
      { body: formOf({ ...fields, input_reference: dataUri }) },
      { body: formOf({ ...fields, 'input_reference[image_url]': dataUri }) },
    ]) {
      const created = await send('POST', '/videos', init);
      const { id } = Video.parse(await created.json());
      assert.equal((await finished(id)).status, 'completed');
    }
  });

  test('cancels by delete', async () => {
    const { send } = await newCaller({}, 'test');
    const slow = json({ ...fields, prompt: '[test:slow] A paper boat' });
    const { id } = await (await send('POST', '/videos', slow)).json();
    const deleted = await send('DELETE', `/videos/${id}`, json({}));
    assert.deepEqual(await deleted.json(), { id, object: 'video.deleted', deleted: true });
  });
});
