/**
 * Checks a response against the document: its status, type, body and common headers. No 5xx, no
 * status that is not described, and a 400 names its field.
 */
import { assertMessageStyle } from '../../kit/assert-api-error.ts';
import type { ApiDocument, ApiOperation } from './document.ts';
import type { ResponseExpectation } from './requests.ts';
import type { WireRequest, WireResponse } from './send.ts';

/** docs/spec.md 7: one code per status, independent of the implementation. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  402: 'insufficient_credits',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** What is wrong with a response of any path, or null. */
export function undescribedFault(
  { status, headers, body }: WireResponse,
  { wireRequest, document }: { wireRequest: WireRequest; document: ApiDocument },
): string | null {
  const excerpt = `${status} ${body.toString().slice(0, 300)}`;
  if (status >= 500) return `a server error: ${excerpt}`;
  if (!/^req_[\w-]{16}$/.test(String(headers['x-request-id']))) {
    return `no x-request-id: ${excerpt}`;
  }
  if (status < 400 || status === 416 || wireRequest.method === 'HEAD') return null;
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return `not JSON: ${excerpt}`;
  const fault = document.errorFault(JSON.parse(body.toString()));
  return fault === null ? null : `an error that does not match the schema, ${fault}: ${excerpt}`;
}

/** What is wrong with the response of a described operation, or null. */
export function responseFault(
  response: WireResponse,
  context: {
    readonly operation: ApiOperation;
    readonly wireRequest: WireRequest;
    readonly expectation: ResponseExpectation;
    readonly document: ApiDocument;
  },
): string | null {
  const { operation, wireRequest, expectation, document } = context;
  const excerpt = `${response.status} ${response.body.toString().slice(0, 300)}`;
  const common = undescribedFault(response, { wireRequest, document });
  if (common !== null) return common;
  const isHead = wireRequest.method === 'HEAD';
  const isError = response.status >= 400 && response.status !== 416 && !isHead;
  const envelope = isError ? envelopeFault(response) : null;
  if (envelope !== null) return `${envelope}: ${excerpt}`;
  // Another method on the path is an unknown endpoint, or one with expectations of its own.
  if (wireRequest.method !== operation.method) {
    const isOther = document.operations.some(
      ({ method, path }) => method === wireRequest.method && path === operation.path,
    );
    return response.status === 404 || isHead || isOther
      ? null
      : `not 404 for ${wireRequest.method}: ${excerpt}`;
  }
  // A path that cannot be decoded is an unknown endpoint, too.
  const isUnknown = response.status === 404 && isOwnError(response, document);
  const fault = isUnknown ? null : describedFault(response, operation);
  return fault ?? expectationFault(response, expectation);
}

const isOwnError = ({ body }: WireResponse, { ownErrorFault }: ApiDocument): boolean =>
  ownErrorFault(JSON.parse(body.toString())) === null;

function describedFault({ status, headers, body }: WireResponse, operation: ApiOperation) {
  const text = body.toString();
  const described = operation.responses.get(status);
  if (!described) return `${status} is not described for ${operation.id}: ${text.slice(0, 300)}`;
  if (described.size === 0) {
    return body.length > 0 ? `${status} with a body: ${text.slice(0, 300)}` : null;
  }
  const sent = String(headers['content-type']).split(';')[0]!.trim();
  const fault = described.get(sent);
  if (!fault) return `${sent} where ${[...described.keys()]} is described`;
  const off = sent === 'application/json' ? fault(JSON.parse(text)) : null;
  return off === null ? null : `${status} does not match the schema, ${off}: ${text.slice(0, 500)}`;
}

function expectationFault(
  { status, headers, body }: WireResponse,
  expectation: ResponseExpectation,
) {
  const { status: expected, field, what } = expectation;
  if (expected === null) return null;
  // Ten minutes after a person signed in, the password is required before anything is checked.
  if (status === 403 && headers['vidgen-confirm'] === 'password') return null;
  const excerpt = body.toString().slice(0, 300);
  // A fast run exports more often than a person may, whatever the request says.
  if (status === 429 && /of \d+ export requests per minute/.test(excerpt)) return null;
  // Viewers may estimate, and only with URLs: files in a body are judged while it arrives.
  if (status === 403 && /Files in the body require the developer role/.test(excerpt)) return null;
  if (status !== expected) return `${status}, not ${expected} (${what}): ${excerpt}`;
  // Endpoints without a credential take small bodies; keys of metadata may be too long to show.
  const isLong = /The body must be at most |metadata must have /.test(excerpt);
  if (field === null || isLong || objectsAsText.has(field)) return null;
  const { error } = JSON.parse(body.toString()) as { error: { message: string } };
  return error.message.includes(shown(field))
    ? null
    : `an error that does not name ${field} (${what}): ${excerpt}`;
}

/** Objects of OpenAI's format for which text may stand: then another field can be the wrong one. */
const objectsAsText: ReadonlySet<string> = new Set(['video', 'input_reference']);

/** docs/spec.md 7: the code of the status, a message, and headers with some codes. */
function envelopeFault({ status, headers, body }: WireResponse): string | null {
  const parsed = JSON.parse(body.toString()) as {
    error?: { code?: string | number; message?: string };
  };
  const code = parsed.error?.code;
  // In OpenRouter's format the code is the status; ModelArk and JSON-RPC have codes of their own.
  const isForeign = /^([A-Z][A-Za-z.]+|-32\d{3})$/.test(String(code));
  const isCode = isForeign || [codes[status], status].includes(code);
  if (!isCode) return `the code of another status than ${status}`;
  if (status === 429 && !/^\d+$/.test(String(headers['retry-after']))) return 'no Retry-After';
  if ((status === 401) !== (headers['www-authenticate'] === 'Bearer')) return 'www-authenticate';
  const { message = '' } = parsed.error ?? {};
  return hasMessageStyle(message) ? null : 'a message in the wrong style';
}

function hasMessageStyle(message: string): boolean {
  try {
    assertMessageStyle(message);
    return !/\p{Cc}/u.test(message);
  } catch {
    return false;
  }
}

/** Messages quote plain names; of other names they show only a bracket. */
const shown = (field: string): string => (/^[\w$-]{1,39}$/.test(field) ? field : '[');
