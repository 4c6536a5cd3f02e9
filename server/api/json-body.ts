/**
 * The body as JSON, or a refusal that says what is wrong with it. Nothing is coerced or guessed:
 * bytes that two readers could read in two ways are refused.
 */
import { shownValue } from '@vidgen/contract/shown-value.ts';
import { Refusal } from '../refusal.ts';
import { wrongContentType } from './answer.ts';
import { repeatedName } from './repeated-name.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type BodyHeaders = {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
};

/** Undefined when there is no body. */
export function readJson(body: Buffer | undefined, headers: BodyHeaders): unknown {
  const contentType = headers['content-type'];
  if (!body?.length && contentType === undefined) return undefined;
  if (!/^\s*application\/json\s*(;|$)/i.test(contentType ?? '')) throw wrongContentType();
  if (!body?.length) return undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^\s*identity\s*$/i.test(encoding)) {
    throw unreadable('The body must be sent uncompressed, without Content-Encoding.');
  }
  const text = decoded(body);
  const value = parsed(text);
  const repeated = repeatedName(text);
  if (repeated === null) return value;
  throw unreadable(`The body must give each field once: ${shownValue(repeated)} is repeated.`);
}

/**
 * For endpoints that take none: a client that always sends an object, or only a Content-Type, means
 * no harm; fields that would be ignored are refused.
 */
export function refuseBody(body: Buffer | undefined, headers: BodyHeaders): void {
  if (!body?.length) return;
  const value = readJson(body, headers);
  const isEmpty = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isEmpty && Object.keys(value).length === 0) return;
  throw unreadable('This endpoint takes no body: send none, or {}.');
}

function decoded(body: Buffer): string {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw unreadable('The body must be UTF-8.');
  }
  if (text.startsWith('\ufeff'))
    throw unreadable('The body must not begin with a byte order mark.');
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(`The body is not valid JSON: ${faultIn(error as Error)}.`);
  }
}

/** V8 quotes the text around the fault; the place alone is enough and cannot be misread. */
function faultIn({ message }: Error): string {
  const place = /\(line (\d+) column (\d+)\)/.exec(message);
  if (place) return `see line ${place[1]}, column ${place[2]}`;
  const token = /^Unexpected token '(.+?)', /su.exec(message)?.[1];
  return token === undefined ? 'it ends too early' : `unexpected character ${shownValue(token)}`;
}

const unreadable = (message: string): Refusal => new Refusal('invalid_request', message);
