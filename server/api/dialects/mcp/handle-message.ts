/**
 * The methods of the protocol, of both kinds of revisions: the current one without a session, and
 * those of 2024 and 2025, which begin with `initialize`. No state is kept between messages.
 */
import assert from 'node:assert/strict';
import type { McpMessage } from '@vidgen/contract/mcp.ts';
import { z } from 'zod';
import { version } from '../../../config/version.ts';
import { createdAtOf } from '../../../tasks/task-id.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';
import { callTool, findTool, toolsOf } from './call-tool.ts';
import {
  currentVersion,
  type Envelope,
  earlierVersions,
  readEnvelope,
  tasksExtension,
} from './envelope.ts';
import { RpcError } from './json-rpc.ts';
import { cancelMcpTask, getMcpTask, startedTask, updateMcpTask } from './tasks.ts';

const serverInfo = { name: 'vidgen', title: 'vidgen', version };
const instructions =
  'Creates videos. Ask list_models for models and prices, estimate_cost before spending credits, ' +
  'create_video to start, then wait_for_video until the task is completed or failed.';
/** The tools of a key change with its permissions only. */
const caching = { ttlMs: 60_000, cacheScope: 'private' };

type Call = {
  readonly services: ApiServices;
  readonly request: ApiRequest;
  readonly params: Readonly<Record<string, unknown>>;
  readonly envelope: Envelope;
};
type Method = (call: Call) => Promise<object> | object;

/** Returns the result of a request. Throws `RpcError` or `ApiError`. */
export async function handleMessage(
  services: ApiServices,
  request: ApiRequest,
  message: McpMessage,
): Promise<object> {
  const envelope = readEnvelope(message, request.headers);
  const methods = envelope.isCurrent ? currentMethods : earlierMethods;
  const method = Object.hasOwn(methods, message.method) ? methods[message.method] : undefined;
  if (!method) {
    const status = envelope.isCurrent ? 404 : 200;
    throw new RpcError('methodNotFound', `Unknown method: ${message.method}`, { status });
  }
  const result = await method({ services, request, params: message.params ?? {}, envelope });
  if (!envelope.isCurrent) return result;
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
  return { resultType: 'complete', ...result, _meta };
}

const sharedMethods: Readonly<Record<string, Method>> = {
  'tools/list': ({ request, envelope }) => {
    assert(request.identity);
    const listed = toolsOf(request.identity).map(
      ({ name, title, description, input, annotations }) => {
        const inputSchema = z.toJSONSchema(input, { io: 'input' });
        return { name, title, description, inputSchema, annotations };
      },
    );
    return { tools: listed, ...(envelope.isCurrent ? caching : {}) };
  },
  'tools/call': callNamedTool,
};

const earlierMethods: Readonly<Record<string, Method>> = {
  ...sharedMethods,
  initialize: ({ params: { protocolVersion } }) => ({
    protocolVersion: earlierVersions.find((one) => one === protocolVersion) ?? earlierVersions[0],
    capabilities: { tools: {} },
    serverInfo,
    instructions,
  }),
  ping: () => ({}),
};

const currentMethods: Readonly<Record<string, Method>> = {
  ...sharedMethods,
  'server/discover': () => ({
    supportedVersions: [currentVersion],
    capabilities: { tools: {}, extensions: { [tasksExtension]: {} } },
    instructions,
    ...caching,
  }),
  'tasks/get': withExtension(getMcpTask),
  'tasks/cancel': withExtension(cancelMcpTask),
  'tasks/update': withExtension(updateMcpTask),
};

async function callNamedTool({ services, request, params, envelope }: Call): Promise<object> {
  const tool = findTool(params.name);
  const result = await callTool(services, request, { tool, input: params.arguments });
  if (tool.name !== 'create_video' || !envelope.takesTasks || result.isError) return result;
  // Made of the ID alone: an error after the task was accepted would make the client start again.
  const { taskId: id } = result.structuredContent as { taskId: string };
  return { resultType: 'task', ...startedTask({ id, createdAt: createdAtOf(id) }) };
}

function withExtension(
  method: (services: ApiServices, request: ApiRequest, taskId: unknown) => Promise<object>,
): Method {
  return async ({ services, request, params, envelope }) => {
    if (envelope.takesTasks) return await method(services, request, params.taskId);
    throw new RpcError('missingCapability', 'Missing required client capability', {
      status: 400,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
  };
}
