/** An MCP host at `/mcp`. Its client repeats nothing by itself. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type ClientDriver, model, seconds } from '../driver.ts';

type ToolResult = {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
};

export const mcpDriver: ClientDriver = {
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
