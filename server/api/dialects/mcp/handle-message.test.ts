/** Messages of the protocol whose tool has taken effect do not fail afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCatalog } from '../../../catalog/catalog.ts';
import { newTaskId } from '../../../tasks/task-id.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';
import { currentVersion, tasksExtension } from './json-rpc.ts';
import { handleMessage } from './mcp-endpoint.ts';

const taskId = newTaskId();
const unlimited = { allowed: true, limit: 0, remaining: 0, resetSeconds: 0 };
const limiter = { consume: () => unlimited, peek: () => unlimited };

test('a task that was accepted is returned although the database fails', async () => {
  const services = {
    lifecycle: {
      catalog: createCatalog(),
      providers: { routeFor: () => [{}], unsupportedReason: () => null },
      settings: { taskTimeoutSeconds: 60 },
    },
    uploads: { contentName: (url: string) => url },
    undelivered: { waitUntilRecorded: async () => {} },
    accept: async () => ({ outcome: 'accepted', taskId, credits: 5 }),
    tasks: { find: () => Promise.reject(new Error('the database is gone')) },
    createLimiter: limiter,
    statusLimiter: limiter,
    accountLimits: { create: 0, status: 0 },
  } as unknown as ApiServices;
  const request = {
    headers: {
      'mcp-protocol-version': currentVersion,
      'mcp-method': 'tools/call',
      'mcp-name': 'create_video',
    },
    identity: { keyId: 'key', accountId: 'account', mode: 'live', permissions: ['videos:create'] },
    files: { store: async () => {}, keep: () => {} },
    onUndelivered: () => {},
    setHeaders: () => {},
  } as unknown as ApiRequest;
  const capabilities = { extensions: { [tasksExtension]: {} } };
  const result = await handleMessage(services, request, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'create_video',
      arguments: { model: 'vidgen-2-0-mini', prompt: 'A paper boat' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': currentVersion,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
    },
  });
  const { resultType, taskId: returnedId, status } = result as Record<string, unknown>;
  assert.deepEqual([resultType, returnedId, status], ['task', taskId, 'working']);
});
