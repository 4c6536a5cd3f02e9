/** JSON-RPC messages of MCP: their envelope, results and errors. */
import type { ApiError } from '@vidgen/contract/api-error.ts';
import type { McpMessage } from '@vidgen/contract/mcp.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { ApiRequest, ApiResponse, FormatError } from '../../http/handler.ts';

const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Ours: the request was rejected before its message was read. */
  rejected: -32_000,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

type RpcId = string | number | null;

/** A response with `error`; its HTTP status is 200 unless given. */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(
    code: keyof typeof rpcCodes,
    message: string,
    { status = 200, data }: { readonly status?: number; readonly data?: unknown } = {},
  ) {
    super(message);
    this.code = rpcCodes[code];
    this.status = status;
    this.data = data;
  }
}

export const rpcResult = (id: RpcId, result: object): ApiResponse => ({
  body: { jsonrpc: '2.0', id, result },
});

export const rpcError = (id: RpcId, { code, message, status, data }: RpcError): ApiResponse => ({
  status,
  body: {
    jsonrpc: '2.0',
    id,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  },
});

/** Errors before a message is read, such as a wrong key or a body that is not JSON. */
export const formatMcpError: FormatError = (error) => {
  const { status, headers } = errorResponse(error);
  const isBody = error.code === 'invalid_request';
  const options = { status, data: detailsOf(error) };
  const rpc = new RpcError(isBody ? 'parseError' : 'rejected', error.message, options);
  return { ...rpcError(null, rpc), headers };
};

export function detailsOf(error: ApiError): object {
  return errorResponse(error).body.error;
}

export function toRpcError(error: ApiError): RpcError {
  const isParams = error.code === 'invalid_request' || error.code === 'not_found';
  const code = isParams ? 'invalidParams' : 'internalError';
  return new RpcError(code, error.message, { data: detailsOf(error) });
}

/**
 * Which revision of the protocol a message follows. Messages of 2026-07-28 carry their revision and
 * the client's capabilities in `_meta`, and repeat parts of it in headers, which must agree with
 * the body. All others belong to the revisions of 2024 and 2025, which begin with `initialize`.
 */
export const currentVersion = '2026-07-28';
/** Without 2025-03-26, whose servers must take batches. */
export const earlierVersions = ['2025-11-25', '2025-06-18', '2024-11-05'] as const;

export const tasksExtension = 'io.modelcontextprotocol/tasks';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

export type Envelope = {
  readonly isCurrent: boolean;
  /** Whether the client takes a task in place of the result of a tool. */
  readonly takesTasks: boolean;
};

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export function readEnvelope(message: McpMessage, headers: ApiRequest['headers']): Envelope {
  const version = headers['mcp-protocol-version'];
  const meta = fieldsOf(message.params?._meta);
  if (!(versionKey in meta)) {
    requireEarlierVersion(version);
    return { isCurrent: false, takesTasks: false };
  }
  const claimed = meta[versionKey];
  const capabilities = meta[capabilitiesKey];
  if (typeof claimed !== 'string' || fieldsOf(capabilities) !== capabilities) {
    const key = typeof claimed === 'string' ? capabilitiesKey : versionKey;
    throw new RpcError('invalidParams', `_meta must have ${key}`, { status: 400 });
  }
  if (version !== undefined && version !== claimed) throw mismatch('MCP-Protocol-Version');
  if (claimed !== currentVersion) throw unsupportedVersion(claimed);
  if (message.id !== undefined) requireHeaders(message, headers);
  const extensions = fieldsOf(fieldsOf(capabilities).extensions);
  return { isCurrent: true, takesTasks: tasksExtension in extensions };
}

function requireEarlierVersion(version: ApiRequest['headers'][string]): void {
  if (version === undefined || earlierVersions.some((known) => known === version)) return;
  if (version !== currentVersion) throw unsupportedVersion(String(version));
  throw new RpcError(
    'invalidParams',
    `_meta must have ${versionKey} and ${capabilitiesKey} with revision ${currentVersion}`,
    { status: 400 },
  );
}

const unsupportedVersion = (requested: string): RpcError =>
  new RpcError('unsupportedVersion', `Unsupported protocol version: ${requested.slice(0, 40)}`, {
    status: 400,
    data: { supported: [currentVersion], requested },
  });

/** The parameter that the `Mcp-Name` header repeats. */
const nameParams: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function requireHeaders({ method, params }: McpMessage, headers: ApiRequest['headers']): void {
  if (headers['mcp-protocol-version'] === undefined) throw mismatch('MCP-Protocol-Version');
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method');
  const name = Object.hasOwn(nameParams, method) ? params?.[nameParams[method]!] : undefined;
  if (typeof name !== 'string') return;
  if (decodeName(String(headers['mcp-name'] ?? '')) !== name) throw mismatch('Mcp-Name');
}

/** Names that are not plain ASCII come as `=?base64?…?=`. */
function decodeName(header: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header)?.[1];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString();
}

const mismatch = (header: string): RpcError =>
  new RpcError('headerMismatch', `The ${header} header must agree with the message.`, {
    status: 400,
  });
