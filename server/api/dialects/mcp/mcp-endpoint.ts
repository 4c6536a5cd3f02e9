/**
 * The MCP server at `/mcp`, with the methods of both kinds of revisions: the current one without a
 * session, and those of 2024 and 2025, which begin with `initialize`. No state is kept between
 * messages.
 */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { waitSecondsMax } from '@vidgen/contract/list-tasks.ts';
import { McpMessage, McpResponse } from '@vidgen/contract/mcp.ts';
import { formatProblems, problemsOf } from '@vidgen/contract/problem.ts';
import { z } from 'zod';
import { version } from '../../../config/version.ts';
import { createdAtOf } from '../../../tasks/task-id.ts';
import { endpoint, jsonResponse } from '../../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';
import {
  currentVersion,
  type Envelope,
  earlierVersions,
  formatMcpError,
  RpcError,
  readEnvelope,
  rpcError,
  rpcResult,
  tasksExtension,
  toRpcError,
} from './json-rpc.ts';
import { cancelMcpTask, getMcpTask, startedTask, updateMcpTask } from './tasks.ts';
import { callTool, findTool, toolsOf } from './tools.ts';

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

/**
 * The Model Context Protocol over HTTP, for hosts such as Claude, Cursor and VS Code. One message
 * per request, one JSON response, no session: any process can answer any message.
 */
const postMcp = endpoint({
  parsesItself: true,
  operationId: 'postMcp',
  method: 'POST',
  path: '/mcp',
  summary: 'Model Context Protocol',
  description:
    'Streamable HTTP without sessions, revision 2026-07-28 with the Tasks extension, and those ' +
    'of 2024 and 2025. The tools do what the endpoints of `/v1` do, with their permissions and ' +
    'rate limits; a key sees only tools that it may call. Every message counts as a status ' +
    'query, and a create as a create as well.',
  auth: 'key',
  secondsMax: waitSecondsMax + 30,
  body: McpMessage,
  requestExamples: {
    list: ['List the tools', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    create: [
      'Create a video',
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: {
          name: 'create_video',
          arguments: { model: 'vidgen-2-5', prompt: 'A paper boat', max_credits: 50 },
        },
      },
    ],
  },
  responses: {
    200: jsonResponse('The response to a request.', McpResponse, {
      pong: ['The response to a ping', { jsonrpc: '2.0', id: 1, result: {} }],
    }),
    202: { description: 'A notification was received.' },
  },
  errors: { forbidden: 'Requests from pages of another origin are not allowed.' },
  formatError: formatMcpError,
  errorSchema: McpResponse,
  async handler(services, request) {
    requireOwnOrigin(services, request);
    const { body } = request;
    if (isResponse(body)) return { status: 202 };
    const problems = problemsOf(McpMessage, body);
    if (problems.length > 0) {
      const options = { status: 400 };
      return rpcError(null, new RpcError('invalidRequest', formatProblems(problems), options));
    }
    const message = body as McpMessage;
    const { id } = message;
    if (id === undefined) return { status: 202 };
    try {
      return rpcResult(id, await handleMessage(services, request, message));
    } catch (error) {
      if (error instanceof RpcError) return rpcError(id, error);
      if (!(error instanceof ApiError) || error.code === 'invalid_api_key') throw error;
      return rpcError(id, toRpcError(error));
    }
  },
});

const notOffered = {
  path: '/mcp',
  auth: 'none',
  hidden: true,
  responses: { 405: { description: 'Send messages with POST.' } },
  async handler() {
    const message = 'There is no stream of messages and no session; send messages with POST.';
    const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
    return { status: 405, headers: { allow: 'POST' }, body };
  },
} as const;

/** Clients of 2025 ask for a stream of messages, and take 405 for "there is none". */
const getMcp = endpoint({
  ...notOffered,
  operationId: 'getMcp',
  method: 'GET',
  summary: 'Reject a stream of messages',
});

/** They end their session, and take 405 for "there are none". */
const deleteMcp = endpoint({
  ...notOffered,
  operationId: 'deleteMcp',
  method: 'DELETE',
  summary: 'Reject the end of a session',
});

const isResponse = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && ('result' in body || 'error' in body);

/** The specification requires it: a page of another site must not reach a local server. */
function requireOwnOrigin({ publicUrl }: ApiServices, { headers }: ApiRequest): void {
  const { origin, host } = headers;
  if (origin === undefined) return;
  const isOwn = URL.canParse(String(origin)) && new URL(String(origin)).host === host;
  if (isOwn || origin === new URL(publicUrl()).origin) return;
  throw new ApiError('forbidden', 'Requests from pages of another origin are not allowed.');
}

export const mcpEndpoints = [postMcp, getMcp, deleteMcp];
