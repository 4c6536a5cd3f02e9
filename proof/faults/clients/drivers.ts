/**
 * The clients that the fault test clients drives: one of each way to repeat a request. The guides'
 * examples of the other clients lose a response in `journeys/guides.test.ts`.
 */
import assert from 'node:assert/strict';
import { createByteDance } from '@ai-sdk/bytedance';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { experimental_generateVideo as generateVideo } from 'ai';
import { createVidgen } from '../../../ai-sdk/vidgen-ai-sdk.mjs';
import { sleep } from '../../../server/process/clock.ts';

/** One video that a person wants. */
type Intent = {
  /** The base URL to give to the client: the service behind a cutting proxy. */
  readonly url: string;
  readonly key: string;
  readonly prompt: string;
  /** Sent with every create of this intent, as the guide of the client shows. */
  readonly idempotencyKey: string;
};

export type ClientDriver = {
  /** As it is shown in the table, with its version. */
  readonly name: string;
  /**
   * The requests whose connection is cut. Those of a client whose status requests are repeated by
   * the client itself, or start a new task, include `GET`.
   */
  readonly cutMethods: readonly ('GET' | 'POST')[];
  /** What the head of a create has, if not every POST is one. */
  readonly createHead?: RegExp;
  /**
   * Does what its user does for one video, until the task has completed, with the retries that the
   * client makes by itself. Throws if they were in vain; the user then starts again.
   */
  create(intent: Intent): Promise<void>;
};

/** What every client asks for. */
const model = 'vidgen-2-0-mini';
const seconds = 5;

const pollMs = 50;

const fetchDriver: ClientDriver = {
  name: 'fetch, repeated by its user',
  cutMethods: ['POST'],
  async create(intent) {
    const body = { model, input: { prompt: intent.prompt, duration: seconds, resolution: '480p' } };
    const { taskId } = await send(intent, '/v1/videos/generations', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'idempotency-key': intent.idempotencyKey },
    });
    await waitForTask(intent, String(taskId));
  },
};

/** Polls until the task has completed. */
async function waitForTask(intent: Intent, taskId: string): Promise<void> {
  for (;;) {
    const { status } = await send(intent, `/v1/tasks/${taskId}`);
    if (status === 'completed') return;
    assert.notEqual(status, 'failed');
    await sleep(pollMs);
  }
}

async function send(
  { url, key }: Intent,
  path: string,
  init: RequestInit = {},
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: { ...headers, ...init.headers },
  });
  assert.equal(response.status, 200);
  return (await response.json()) as Record<string, unknown>;
}

const aiSdkDriver: ClientDriver = {
  name: 'ai 7 with the provider of vidgen',
  cutMethods: ['POST', 'GET'],
  async create({ url, key, prompt, idempotencyKey }) {
    const provider = createVidgen({ baseURL: url, apiKey: key });
    await generateVideo({
      model: provider.video(model),
      prompt,
      duration: seconds,
      resolution: '854x480',
      headers: { 'Idempotency-Key': idempotencyKey },
      poll: { intervalMs: 50 },
    });
  },
};

/**
 * The AI SDK's ByteDance provider at ModelArk's endpoints. It starts a new
 * task when a status request fails.
 */
const byteDanceDriver: ClientDriver = {
  name: 'ai 7 with @ai-sdk/bytedance 1.0.29',
  cutMethods: ['POST', 'GET'],
  async create({ url, key, prompt, idempotencyKey }) {
    const provider = createByteDance({ baseURL: `${url}/api/v3`, apiKey: key });
    await generateVideo({
      model: provider.video(model),
      prompt,
      duration: seconds,
      resolution: '864x496',
      providerOptions: { bytedance: { pollIntervalMs: 50 } },
      headers: { 'Idempotency-Key': idempotencyKey },
      // The SDK does not download from private networks, and the file is not the point here.
      download: async () => ({ data: new Uint8Array([0]), mediaType: 'video/mp4' }),
    });
  },
};

type ToolResult = {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
};

const mcpDriver: ClientDriver = {
  name: '@modelcontextprotocol/client 2.4',
  cutMethods: ['POST'],
  createHead: /\r\nmcp-name: create_video\r\n/i,
  async create({ url, key, prompt, idempotencyKey: idempotency_key }) {
    const client = new Client(
      { name: 'fault-test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const call = async (name: string, input: Readonly<Record<string, unknown>>) => {
      const called = (await client.callTool({ name, arguments: { ...input } })) as ToolResult;
      assert.ok(!called.isError && called.structuredContent, JSON.stringify(called));
      return called.structuredContent;
    };
    try {
      const input = { model, prompt, duration: seconds, resolution: '480p', idempotency_key };
      const { taskId: task_id } = await call('create_video', input);
      for (let status: unknown; status !== 'completed'; ) {
        ({ status } = await call('wait_for_video', { task_id }));
        assert.notEqual(status, 'failed');
      }
    } finally {
      await client.close();
    }
  },
};

export const drivers: readonly ClientDriver[] = [
  aiSdkDriver,
  byteDanceDriver,
  mcpDriver,
  fetchDriver,
];
