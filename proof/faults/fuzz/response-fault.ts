/**
 * Checks a response against the document: its status, type, body and common headers. No 5xx, no
 * status that is not described, and no success for what the document forbids.
 */
import { assertMessageStyle } from '../../kit/assert-api-error.ts';
import type { ApiDocument, ApiOperation } from './document.ts';
import type { FuzzRequest } from './requests.ts';
import type { WireResponse } from './send.ts';

/** docs/spec.md 7: one code per status, independent of the implementation. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  402: 'insufficient_credits',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** Returns what is wrong with the response, or null. */
export function responseFault(
  response: WireResponse,
  request: FuzzRequest,
  document: ApiDocument,
): string | null {
  const { status, headers } = response;
  const { operationId, method, isForbidden } = request;
  if (status >= 500) return 'a server error';
  if (!/^req_[\w-]{16}$/.test(String(headers['x-request-id']))) return 'no x-request-id';
  if (method === 'HEAD') return null;
  const fault = status >= 400 && status !== 416 ? errorFault(response, document) : null;
  const operation = document.operations.find(({ id }) => id === operationId);
  // A path that cannot be decoded, or another method on it, is an unknown endpoint.
  if (fault !== null || !operation || status === 404) return fault;
  if (method !== operation.method) {
    const isOther = document.operations.some(
      (other) => other.method === method && other.path === operation.path,
    );
    return isOther || status >= 400 ? null : `a success for ${method}`;
  }
  if (isForbidden && status < 300) return 'a success for what the document forbids';
  return descriptionFault(response, operation);
}

/** docs/spec.md 7: the code of the status, a message, and headers with some codes. */
function errorFault({ status, headers, body }: WireResponse, document: ApiDocument) {
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return 'an error that is not JSON';
  const parsed = JSON.parse(body.toString()) as {
    error?: { code?: string | number; message?: string };
    title?: string;
    detail?: string;
  };
  const fault = document.checkError(parsed);
  if (fault !== null) return `an error that does not match the schema, ${fault}`;
  const { title, detail = '' } = parsed;
  const { code, message } = { code: title, message: detail, ...parsed.error };
  // In OpenRouter's format the code is the status; ModelArk and JSON-RPC have codes of their own.
  const isForeign = /^([A-Z][A-Za-z.]+|-32\d{3})$/.test(String(code));
  if (!isForeign && code !== codes[status] && code !== status) return 'the code of another status';
  if (status === 429 && !/^\d+$/.test(String(headers['retry-after']))) return 'no Retry-After';
  if ((status === 401) !== (headers['www-authenticate'] === 'Bearer')) return 'www-authenticate';
  if (/\p{Cc}/u.test(message)) return 'control characters in the message';
  assertMessageStyle(message);
  return null;
}

function descriptionFault({ status, headers, body }: WireResponse, operation: ApiOperation) {
  const described = operation.responses.get(status);
  if (!described) return `${status} is not described for ${operation.id}`;
  if (described.size === 0) return body.length > 0 ? `${status} with a body` : null;
  const type = String(headers['content-type']).split(';')[0]!.trim();
  const check = described.get(type);
  if (!check) return `${type} where ${[...described.keys()]} is described`;
  const fault = type === 'application/json' ? check(JSON.parse(body.toString())) : null;
  return fault && `${status} does not match the schema, ${fault}`;
}
