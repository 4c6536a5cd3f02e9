/**
 * Holds an answer against the document: its status, its type, its body and the headers that every
 * answer has. No 5xx, nothing that is not described, and a refusal names what it is about.
 */
import { assertMessageStyle } from '../../kit/assert-api-error.ts';
import type { ApiDocument, ApiOperation } from './document.ts';
import type { ResponseExpectation } from './requests.ts';
import type { WireRequest, WireResponse } from './send.ts';

/** Spec 7: one code a status. Written once more, by hand. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  402: 'insufficient_credits',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** What is wrong with the answer, or null. */
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
  if (response.status >= 500) return `a server error: ${excerpt}`;
  if (!/^req_[\w-]{16}$/.test(String(response.headers['x-request-id']))) {
    return `no x-request-id: ${excerpt}`;
  }
  const isHead = wireRequest.method === 'HEAD';
  const envelope = response.status >= 400 && !isHead ? envelopeFault(response, document) : null;
  if (envelope !== null && response.status !== 416) return `${envelope}: ${excerpt}`;
  // Another method is another endpoint, and there is none.
  if (wireRequest.method !== operation.method) {
    return response.status === 404 || isHead
      ? null
      : `not 404 for ${wireRequest.method}: ${excerpt}`;
  }
  return describedFault(response, operation) ?? expectationFault(response, expectation);
}

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
  return off === null ? null : `${status} off the schema, ${off}: ${text.slice(0, 500)}`;
}

function expectationFault(
  { status, headers, body }: WireResponse,
  expectation: ResponseExpectation,
) {
  const { status: expected, field, what } = expectation;
  if (expected === null) return null;
  // Ten minutes after a person signed in, the password is asked for before anything is looked at.
  if (status === 403 && headers['vidgen-confirm'] === 'password') return null;
  const excerpt = body.toString().slice(0, 300);
  if (status !== expected) return `${status}, not ${expected} (${what}): ${excerpt}`;
  if (field === null || messageOf(body).includes(shown(field))) return null;
  return `a refusal that does not name ${field} (${what}): ${excerpt}`;
}

/** Spec 7: one key, the code of the status, a sentence, and figures with some codes. */
function envelopeFault({ status, headers, body }: WireResponse, document: ApiDocument) {
  if (!String(headers['content-type']).startsWith('application/json')) return 'an error, not JSON';
  const parsed = JSON.parse(body.toString()) as { error?: { code?: string; message?: string } };
  const off = document.errorFault(parsed);
  if (off !== null) return `an error off the schema, ${off}`;
  if (parsed.error?.code !== codes[status]) return `the code of another status than ${status}`;
  if (status === 429 && !/^\d+$/.test(String(headers['retry-after']))) return 'no Retry-After';
  if ((status === 401) !== (headers['www-authenticate'] === 'Bearer')) return 'www-authenticate';
  const { message = '' } = parsed.error ?? {};
  return hasMessageStyle(message) ? null : 'a message that nobody can read';
}

function hasMessageStyle(message: string): boolean {
  try {
    assertMessageStyle(message);
    return !/\p{Cc}/u.test(message);
  } catch {
    return false;
  }
}

const messageOf = (body: Buffer): string =>
  (JSON.parse(body.toString()) as { error: { message: string } }).error.message;

/** Names are shown as they are where they are plain words; of others, a part will do. */
const shown = (field: string): string => (/^[\w$-]{1,39}$/.test(field) ? field : '[');
