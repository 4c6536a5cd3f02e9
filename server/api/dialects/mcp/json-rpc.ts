/** JSON-RPC responses and errors of the Model Context Protocol. */
import type { ApiError } from '@vidgen/contract/api-error.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { ApiResponse, FormatError } from '../../http/handler.ts';

export const rpcCodes = {
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

export type RpcId = string | number | null;

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

/** An API error as the error of one message. */
export function toRpcError(error: ApiError): RpcError {
  const isParams = error.code === 'invalid_request' || error.code === 'not_found';
  const code = isParams ? 'invalidParams' : 'internalError';
  return new RpcError(code, error.message, { data: detailsOf(error) });
}
