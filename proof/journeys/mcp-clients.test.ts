/**
 * MCP clients as hosts use them: the official client of the current revision and the one of 2025,
 * over HTTP and over the stdio of `vidgen mcp`, and the official conformance suite.
 * Thorough: starts many processes; the endpoint has tests of its own.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
} from '@modelcontextprotocol/ext-tasks/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as earlierHttp from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { balanceOf, startJourney, useJourney } from '../kit/journey.ts';
import { startLocalServer, startLosingProxy } from '../kit/local-server.ts';
import { resultVideoPath } from '../kit/result-server.ts';
import type { Script } from '../kit/scripted-provider.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { unmarkedVideo } from '../kit/unmarked.ts';

const { StreamableHTTPClientTransport: EarlierHttp } = earlierHttp;

const scripts: Readonly<Record<string, Script>> = {
  Refused: { status: ['rejected'] },
  Stoppable: { status: ['pending'], cancel: ['stopped'] },
};
const { service } = await useJourney({
  script: ({ generation }) => scripts[generation.prompt.split(' ')[0]!] ?? {},
});

const program = fileURLToPath(new URL('../../cli/vidgen.mjs', import.meta.url));
const info = { name: 'test', version: '1.0.0' };
const tasksExtension = 'io.modelcontextprotocol/tasks';
const small = { model: 'vidgen-2-0-mini', resolution: '480p', duration: 5 } as const;

type Result = {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content?: readonly { readonly text?: string }[];
};
type Connected = ReturnType<typeof connected>;

const connected = (client: Client | EarlierClient) => ({
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name: string, input: object = {}) =>
    (await client.callTool({ name, arguments: { ...input } })) as Result,
  close: () => client.close(),
});

const http = (key: string) =>
  [
    new URL(`${service.url}/mcp`),
    { requestInit: { headers: { authorization: `Bearer ${key}` } } },
  ] as const;
const stdio = (key: string) => ({
  command: process.execPath,
  args: [program, 'mcp'],
  env: { VIDGEN_URL: service.url, VIDGEN_KEY: key },
});

async function connectCurrent(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  mode: 'legacy' | { pin: string } = { pin: '2026-07-28' },
): Promise<Connected> {
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(transport);
  return connected(client);
}

async function connectEarlier(
  transport: InstanceType<typeof EarlierHttp> | EarlierStdio,
): Promise<Connected> {
  const client = new EarlierClient(info);
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return connected(client);
}

const clients: Readonly<Record<string, (key: string) => Promise<Connected>>> = {
  'the current revision over HTTP': (key) =>
    connectCurrent(new StreamableHTTPClientTransport(...http(key))),
  'the current client in its 2025 mode over HTTP': (key) =>
    connectCurrent(new StreamableHTTPClientTransport(...http(key)), 'legacy'),
  'the current revision over stdio': (key) => connectCurrent(new StdioClientTransport(stdio(key))),
  'the client of 2025 over HTTP': (key) => connectEarlier(new EarlierHttp(...http(key))),
  'the client of 2025 over stdio': (key) => connectEarlier(new EarlierStdio(stdio(key))),
};

for (const [name, connect] of Object.entries(clients)) {
  test(`${name}: from the models to a downloaded video, an error, a 402 and a cancel`, async () => {
    const account = await service.account({ live: 20 });
    const client = await connect(account.key);
    try {
      assert.deepEqual(await client.tools(), [
        ...['list_models', 'estimate_cost', 'create_video', 'get_task', 'wait_for_video'],
        ...['list_tasks', 'cancel_task', 'get_balance'],
      ]);
      const { structuredContent: models } = await client.call('list_models');
      assert.ok((models!.items as { id: string }[]).some(({ id }) => id === small.model));
      const prompt = 'A paper boat';
      const estimate = await client.call('estimate_cost', { ...small, prompt });
      assert.deepEqual(estimate.structuredContent, { credits: 5 });
      const image_urls = ['https://example.com/boat.jpg'];
      const unused = await client.call('estimate_cost', { ...small, prompt, image_urls });
      assert.match(unused.content![1]!.text!, /^Ignored, because .*: image_urls$/);

      const tooMuch = await client.call('create_video', { ...small, prompt, max_credits: 4 });
      assert.equal(tooMuch.isError, true);
      assert.match(tooMuch.content![0]!.text!, /costs 5 credits and max_credits is 4/);
      const created = await client.call('create_video', { ...small, prompt, max_credits: 5 });
      const task_id = created.structuredContent!.taskId;
      let task = await client.call('wait_for_video', { task_id });
      while (/queued|generating/.test(String(task.structuredContent!.status))) {
        task = await client.call('wait_for_video', { task_id });
      }
      const { data } = task.structuredContent as { data: { results: string[] } };
      const video = await (await fetch(data.results[0]!)).arrayBuffer();
      assert.deepEqual(unmarkedVideo(Buffer.from(video)), await readFile(resultVideoPath));

      const wrong = await client.call('create_video', { ...small, prompt, duration: 45 });
      assert.equal(wrong.isError, true);
      assert.match(
        wrong.content![0]!.text!,
        /^duration must be 4 to 15 for vidgen-2-0-mini \(got 45\)/,
      );
      const dear = { prompt, model: 'vidgen-2-5', resolution: '480p', duration: 30 };
      const { structuredContent: poor } = await client.call('create_video', dear);
      assert.equal((poor!.error as { code: string }).code, 'insufficient_credits');

      const stoppable = await client.call('create_video', { ...small, prompt: 'Stoppable' });
      const cancelled = await client.call('cancel_task', {
        task_id: stoppable.structuredContent!.taskId,
      });
      assert.equal(cancelled.structuredContent!.failed_reason, 'cancelled');
      const { structuredContent: list } = await client.call('list_tasks', { limit: 1 });
      assert.equal((list!.items as { id: string }[])[0]!.id, stoppable.structuredContent!.taskId);
      const { structuredContent: balance } = await client.call('get_balance');
      assert.deepEqual(balance, { available: 15, reserved: 0, mode: 'live' });
    } finally {
      await client.close();
    }
  });
}

describe('keys', () => {
  test('without videos:create see and call only the tools that read', async () => {
    const { key, id } = await service.account({ live: 20, permissions: ['tasks:read'] });
    const client = await clients['the client of 2025 over HTTP']!(key);
    const reading = ['list_models', 'get_task', 'wait_for_video', 'list_tasks', 'get_balance'];
    assert.deepEqual(await client.tools(), reading);
    const rejected = await client.call('create_video', { ...small, prompt: 'A boat' });
    assert.equal(rejected.isError, true);
    assert.match(rejected.content![0]!.text!, /needs the videos:create permission/);
    assert.equal((await balanceOf(service, id)).live.available, 20);
    await client.close();
  });

  test('that are wrong get 401, and tasks of another account are unknown', async () => {
    await assert.rejects(clients['the client of 2025 over HTTP']!('vg_live_wrong'), /401|API key/);
    const one = await service.account({ live: 20 });
    const other = await service.account();
    const { body } = await one.client.create({ model: small.model, input: { prompt: 'A boat' } });
    const client = await clients['the current revision over HTTP']!(other.key);
    const found = await client.call('get_task', { task_id: body.taskId });
    assert.match(found.content![0]!.text!, /No task found with this ID/);
    await client.close();
  });

  test('count creates and reads against the limits of /v1', async () => {
    const environment = { VIDGEN_RATE_CREATE: '1', VIDGEN_RATE_STATUS: '5' };
    await using limited = await startJourney({ environment });
    const { key, client } = await limited.service.account({ live: 100 });
    const post = (params: object) =>
      client.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const create = { name: 'create_video', arguments: { ...small, prompt: 'A boat' } };
    const first = await post(create);
    const second = await post(create);
    assert.equal((first.body.result as Result).isError, undefined);
    assert.match((second.body.result as Result).content![0]!.text!, /Rate limit of 1 create/);
    assert.equal(first.headers.get('x-ratelimit-limit'), '1');
    const read = await post({ name: 'get_balance' });
    assert.equal((read.body.result as Result).isError, undefined, key);
    // Messages that run no tool count too, whatever they are.
    for (const body of [
      { jsonrpc: '2.0', result: {} },
      { jsonrpc: '2.0', method: 'x' },
    ]) {
      assert.equal((await client.post('/mcp', body)).status, 202);
    }
    assert.equal((await client.post('/mcp', { jsonrpc: '2.0', result: {} })).status, 429);
  });
});

/** A message of the current revision, as any client of the Tasks extension sends it. */
function currentMessage(method: string, params: Record<string, unknown>, takesTasks = true) {
  const extensions = takesTasks ? { [tasksExtension]: {} } : {};
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  };
  const name = String(params.name ?? params.taskId ?? '');
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name },
  };
}

describe('the Tasks extension', () => {
  const newClient = async () => {
    const { client } = await service.account({ live: 100 });
    const send = async (method: string, params: Record<string, unknown>, takesTasks?: boolean) => {
      const { body, headers } = currentMessage(method, params, takesTasks);
      return await client.post('/mcp', body, headers);
    };
    const create = async (prompt: string) => {
      const params = { name: 'create_video', arguments: { ...small, prompt } };
      const { body } = await send('tools/call', params);
      return body.result as Record<string, unknown> & { taskId: string };
    };
    return { client, send, create };
  };

  test('works with the official package', async () => {
    const { key, client: account } = await service.account({ live: 100 });
    const capabilities = { extensions: { [tasksExtension]: {} } };
    const mode = { pin: '2026-07-28' };
    const client = new Client(info, { capabilities, versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(...http(key)));
    await using _closed = { [Symbol.asyncDispose]: () => client.close() };
    const session = createTaskSessionFromClient(client, {
      endpointId: 'vidgen',
      async rawDispatch(request) {
        const { method, params } = request as { method: string; params: Record<string, unknown> };
        const { headers } = currentMessage(method, params);
        const message = { jsonrpc: '2.0', id: 1, method, params };
        return (await account.post('/mcp', message, headers)).body as never;
      },
      v2RequestFraming: {
        protocolVersion: '2026-07-28',
        clientInfo: info,
        clientCapabilities: capabilities,
      },
    });
    for (const [prompt, isError] of [
      ['A boat', false],
      ['Refused', true],
    ] as const) {
      const execution = await session.callTool('create_video', { ...small, prompt });
      const result = resultFromTaskOutcome((await execution.settle()).outcome) as Result;
      assert.equal(result.isError ?? false, isError, JSON.stringify(result));
    }
    await session.close();
  });

  test('a failed video completes with an error, a cancelled one is cancelled', async () => {
    const { client, send, create } = await newClient();
    const refused = await create('Refused');
    await client.final(refused.taskId);
    const failed = await send('tasks/get', { taskId: refused.taskId });
    const { result } = failed.body as { result: Record<string, unknown> & { result: Result } };
    assert.deepEqual([result.status, result.result.isError], ['completed', true]);
    const stoppable = await create('Stoppable');
    const cancelled = await send('tasks/cancel', { taskId: stoppable.taskId });
    assert.equal((cancelled.body.result as { resultType: string }).resultType, 'complete');
    const { body } = await send('tasks/get', { taskId: stoppable.taskId });
    assert.equal((body.result as { status: string }).status, 'cancelled');
  });

  test('is offered to no client that did not declare it, and knows no other tasks', async () => {
    const { send, create } = await newClient();
    const { taskId } = await create('A boat');
    const undeclared = await send('tasks/get', { taskId }, false);
    assert.equal(undeclared.status, 400);
    assert.equal((undeclared.body.error as { code: number }).code, -32021);
    const call = { name: 'create_video', arguments: { ...small, prompt: 'A boat' } };
    const plain = await send('tools/call', call, false);
    assert.equal((plain.body.result as { resultType: string }).resultType, 'complete');
    const { send: other } = await newClient();
    const unknown = await other('tasks/get', { taskId });
    assert.equal((unknown.body.error as { code: number }).code, -32602);
  });
});

test('messages whose headers, revision or shape are wrong are rejected', async () => {
  const { client, key } = await service.account();
  const { body, headers } = currentMessage('tools/call', { name: 'get_balance' });
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const cases: [body: unknown, headers: Record<string, string>, status: number, code: number][] = [
    [body, { ...headers, 'mcp-name': 'create_video' }, 400, -32020],
    [body, { ...headers, 'mcp-method': 'tools/list' }, 400, -32020],
    [body, {}, 400, -32020],
    [message, { 'mcp-protocol-version': '2026-07-28' }, 400, -32602],
    [message, { 'mcp-protocol-version': '1999-01-01' }, 400, -32022],
    [message, { origin: 'https://evil.example' }, 403, -32000],
    [[message], {}, 400, -32600],
    ['{', {}, 400, -32700],
    [{ ...message, method: 'resources/list' }, {}, 200, -32601],
  ];
  for (const [sent, sentHeaders, status, code] of cases) {
    const response = await client.post('/mcp', sent, sentHeaders);
    const error = response.body.error as { code: number } | undefined;
    assert.deepEqual([response.status, error?.code], [status, code], JSON.stringify(sent));
  }
  const notified = await client.post('/mcp', { jsonrpc: '2.0', method: 'notifications/x' });
  assert.equal(notified.status, 202);
  for (const method of ['GET', 'DELETE']) {
    const sent = { method, headers: { authorization: `Bearer ${key}` } };
    const other = await fetch(`${service.url}/mcp`, sent);
    assert.deepEqual([other.status, other.headers.get('allow')], [405, 'POST']);
  }
});

test('vidgen mcp creates once when the first response is lost', async (t) => {
  const account = await service.account({ live: 20 });
  const proxy = await startLosingProxy(service.url, (body) => body.includes('create_video'));
  t.after(() => proxy.close());
  const options = {
    ...stdio(account.key),
    env: { VIDGEN_URL: proxy.origin, VIDGEN_KEY: account.key },
  };
  const client = await connectEarlier(new EarlierStdio(options));
  const created = await client.call('create_video', { ...small, prompt: 'A boat' });
  assert.equal(created.isError, undefined);
  const { body } = await account.client.get('/v1/tasks');
  assert.equal((body.items as object[]).length, 1);
  await client.close();
});

test('passes the conformance suite where it applies', async (t) => {
  const { key } = await service.account({ live: 20 });
  // The suite sends no key.
  const proxy = await startLocalServer((incoming, response) => {
    const { method, url, headers } = incoming;
    const options = { method, headers: { ...headers, authorization: `Bearer ${key}` } };
    const outgoing = request(`${service.url}${url}`, options, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  const folder = makeTemporaryFolder('conformance');
  t.after(() => proxy.close());
  const suite = fileURLToPath(
    import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'),
  );
  const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];
  for (const scenario of scenarios) {
    const args = [suite, 'server', '--url', `${proxy.origin}/mcp`, '--scenario', scenario];
    await promisify(execFile)(process.execPath, args, { cwd: folder });
  }
});
