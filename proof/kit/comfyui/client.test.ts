/** The ComfyUI client of StableCanvas works with the fake, over HTTP and over its WebSocket. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Client } from '@stable-canvas/comfyui-client';
import { resultVideoPath } from '../result-server.ts';
import { waitUntil } from '../wait-until.ts';
import { FakeComfyUi, type FakeComfyUiOptions } from './fake.ts';
import type { Graph } from './rules.ts';
import { graphOf } from './workflows.ts';

/** A workflow as the editor exports it, without our placeholders. */
function exportedGraph(change: Graph = {}): Graph {
  const values = { seed: 7, width: 832, height: 480, frames: 81, prompt: 'fox', operation: 'fox' };
  let text = JSON.stringify(graphOf());
  for (const [name, value] of Object.entries(values)) {
    text = text.replaceAll(`"{{${name}}}"`, JSON.stringify(value));
    text = text.replaceAll(`{{${name}}}`, String(value));
  }
  return { ...JSON.parse(text), ...change };
}

async function withClient(
  run: (client: Client, fake: FakeComfyUi, queued: readonly string[]) => Promise<void>,
  options: FakeComfyUiOptions = {},
): Promise<void> {
  const queued: string[] = [];
  await using fake = await FakeComfyUi.start({ ...options, onQueued: (id) => queued.push(id) });
  const client = new Client({ api_host: new URL(fake.baseUrl).host, clientId: 'vidgen-test' });
  try {
    await run(client, fake, queued);
  } finally {
    client.close();
  }
}

const download = async (url: unknown) => {
  const response = await fetch(String(url));
  return Buffer.from(await response.arrayBuffer());
};

test('follows a prompt over the WebSocket to a video that can be downloaded', () =>
  withClient(async (client, fake, queued) => {
    await client.connect();
    const seen: string[] = [];
    for (const event of ['execution_start', 'execution_cached', 'execution_success'] as const) {
      client.on(event, ({ prompt_id }) => seen.push(`${event} ${prompt_id === queued[0]}`));
    }
    client.on('executing', ({ node }) => seen.push(`executing ${node}`));
    const steps: number[] = [];
    const finished = new Promise((resolve) => client.once('execution_success', resolve));
    const result = client.enqueue(exportedGraph(), { progress: ({ value }) => steps.push(value) });
    await waitUntil(() => queued.length === 1 && client.registered.includes('executed'));
    fake.finish(queued[0]!);
    const { images, prompt_id } = await result;
    await finished;
    assert.equal(prompt_id, queued[0]);
    assert.deepEqual(steps, [1]);
    assert.deepEqual(seen.slice(0, 4), [
      'execution_start true',
      'execution_cached true',
      'executing 3',
      'execution_success true',
    ]);
    assert.deepEqual(await download(images[0]?.data), await readFile(resultVideoPath));
  }));

test('removes a waiting prompt, and interrupts the running one', () =>
  withClient(async (client, fake, queued) => {
    await client.connect();
    const interrupted = new Promise((resolve) => client.once('execution_interrupted', resolve));
    for (let count = 0; count < 2; count++) await client._enqueue_prompt(exportedGraph());
    await client.queuePrompt(-1, { prompt: exportedGraph(), workflow: {} });
    const [running, waiting, inFront] = queued;
    const pending = async () => (await client.getQueue()).Pending.map(([, id]) => id);
    assert.deepEqual(await pending(), [inFront, running, waiting]);
    fake.run(running!);
    await client.deleteItem('queue', waiting);
    await client.interrupt(inFront);
    assert.deepEqual(
      (await client.getQueue()).Running.map(([, id]) => id),
      [running],
    );
    await client.interrupt(running);
    assert.partialDeepStrictEqual(await interrupted, { prompt_id: running });
    await assert.rejects(client.getPromptResult(running!), /execution failed with status: error/);
    await client.clearItems('queue');
    assert.deepEqual(await pending(), []);
  }));

test('receives what the nodes take, and which input of which node is wrong', () =>
  withClient(async (client, fake) => {
    assert.deepEqual(await client.getVAEs(), ['wan_2.1_vae.safetensors']);
    const { '3': sampler, '9': save, '10': video } = exportedGraph();
    type Inputs = Record<string, unknown>;
    const table: readonly (readonly [Graph, string, string])[] = [
      [withInputs('3', sampler!, { seed: 'any' }), '3', 'invalid_input_type'],
      [withInputs('3', sampler!, { steps: 0 }), '3', 'value_smaller_than_min'],
      [withInputs('3', sampler!, { sampler_name: 'none' }), '3', 'value_not_in_list'],
      [withInputs('3', sampler!, { model: undefined }), '3', 'required_input_missing'],
      [withInputs('9', save!, { video: ['4', 0] }), '9', 'return_type_mismatch'],
      [withInputs('10', video!, { images: ['4', 7] }), '10', 'exception_during_validation'],
    ];
    function withInputs(id: string, node: Graph[string], inputs: Inputs): Graph {
      return exportedGraph({ [id]: { ...node, inputs: { ...node.inputs, ...inputs } } });
    }
    for (const [prompt, id, type] of table) {
      await assert.rejects(client.queuePrompt(0, { prompt, workflow: {} }), (error: unknown) => {
        const { json } = error as { json: { node_errors: Record<string, object> } };
        assert.deepEqual(Object.keys(json.node_errors), [id]);
        assert.partialDeepStrictEqual(json.node_errors[id], {
          errors: [{ type }],
          dependent_outputs: ['9'],
        });
        return true;
      });
    }
    const unused = { '99': { class_type: 'LoadImage', inputs: { image: 'gone.png' } } };
    await client.queuePrompt(0, { prompt: exportedGraph(unused), workflow: {} });
    assert.equal(fake.requests.filter(({ operation }) => operation === 'prompt').length, 7);
  }));
