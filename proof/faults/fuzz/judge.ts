/**
 * Holds an answer against the document: its status, its type, its body and the headers that every
 * answer has. No 5xx, nothing that is not described, and a refusal names what it is about.
 */
import { assertReadable } from '../../kit/refused.ts';
import type { ApiDocument, Operation } from './document.ts';
import type { Expectation } from './requests.ts';
import type { Wire, WireAnswer } from './send.ts';

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
export function faultOf(
  answer: WireAnswer,
  asked: {
    readonly operation: Operation;
    readonly wire: Wire;
    readonly expectation: Expectation;
    readonly document: ApiDocument;
  },
): string | null {
  const { operation, wire, expectation, document } = asked;
  const told = `${answer.status} ${answer.body.toString().slice(0, 300)}`;
  if (answer.status >= 500) return `a server error: ${told}`;
  if (!/^req_[\w-]{16}$/.test(String(answer.headers['x-request-id']))) {
    return `no x-request-id: ${told}`;
  }
  const isHead = wire.method === 'HEAD';
  const envelope = answer.status >= 400 && !isHead ? envelopeFault(answer, document) : null;
  if (envelope !== null && answer.status !== 416) return `${envelope}: ${told}`;
  // Another method is another endpoint, and there is none.
  if (wire.method !== operation.method) {
    return answer.status === 404 || isHead ? null : `not 404 for ${wire.method}: ${told}`;
  }
  return describedFault(answer, operation) ?? expectationFault(answer, expectation);
}

function describedFault({ status, headers, body }: WireAnswer, operation: Operation) {
  const text = body.toString();
  const described = operation.answers.get(status);
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

function expectationFault({ status, headers, body }: WireAnswer, expectation: Expectation) {
  const { status: wanted, field, what } = expectation;
  if (wanted === null) return null;
  // Ten minutes after a person signed in, the password is asked for before anything is looked at.
  if (status === 403 && headers['vidgen-confirm'] === 'password') return null;
  const told = body.toString().slice(0, 300);
  if (status !== wanted) return `${status}, not ${wanted} (${what}): ${told}`;
  if (field === null || messageOf(body).includes(shown(field))) return null;
  return `a refusal that does not name ${field} (${what}): ${told}`;
}

/** Spec 7: one key, the code of the status, a sentence, and figures with some codes. */
function envelopeFault({ status, headers, body }: WireAnswer, document: ApiDocument) {
  if (!String(headers['content-type']).startsWith('application/json')) return 'an error, not JSON';
  const told = JSON.parse(body.toString()) as { error?: { code?: string; message?: string } };
  const off = document.errorFault(told);
  if (off !== null) return `an error off the schema, ${off}`;
  if (told.error?.code !== codes[status]) return `the code of another status than ${status}`;
  if (status === 429 && !/^\d+$/.test(String(headers['retry-after']))) return 'no Retry-After';
  if ((status === 401) !== (headers['www-authenticate'] === 'Bearer')) return 'www-authenticate';
  const { message = '' } = told.error ?? {};
  return isReadable(message) ? null : 'a message that nobody can read';
}

function isReadable(message: string): boolean {
  try {
    assertReadable(message);
    return !/\p{Cc}/u.test(message);
  } catch {
    return false;
  }
}

const messageOf = (body: Buffer): string =>
  (JSON.parse(body.toString()) as { error: { message: string } }).error.message;

/** Names are shown as they are where they are plain words; of others, a part will do. */
const shown = (field: string): string => (/^[\w$-]{1,39}$/.test(field) ? field : '[');
