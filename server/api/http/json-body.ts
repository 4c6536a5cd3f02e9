/**
 * Parses bodies as JSON, or throws an API error that names the mistake. Nothing is coerced: bytes
 * that two parsers could read differently are rejected, such as duplicate keys, of which
 * `JSON.parse` takes the last value and a proxy may have taken the first (RFC 8259, 4).
 */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { wrongContentType } from './error-response.ts';

/** Returns the first duplicate key of any object, or null. `text` must be valid JSON. */
export function findDuplicateKey(text: string): string | null {
  /** The keys of each enclosing object; null for an array. */
  const stack: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') stack.push(new Set());
    else if (character === '[') stack.push(null);
    else if (character === '}' || character === ']') stack.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const names = stack.at(-1);
      if (names && isName(text, end)) {
        const name: string = JSON.parse(text.slice(at, end + 1));
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end;
    }
  }
  return null;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** In an object, only keys are followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  // The white space of JSON is a space, a tab or a line break.
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type BodyHeaders = {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
};

/** Far more than any request has. Each takes time, and far more memory than its bytes. */
const valuesMax = 50_000;
const bytesPerValue = 64;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;

/**
 * Returns the memory that the values of the body can take at most. Throws before they are parsed if
 * there are too many. Counts the signs that are in strings, too.
 */
export function parsedBytesMax(body: Buffer): number {
  let values = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === comma || byte === colon || byte === openBrace || byte === openBracket) values += 1;
  }
  if (values <= valuesMax) return values * bytesPerValue;
  throw invalidRequest('The body must have at most 50,000 values and names.');
}

/** Returns undefined if there is no body. */
export function readJson(body: Buffer | undefined, headers: BodyHeaders): unknown {
  const contentType = headers['content-type'];
  if (!body?.length && contentType === undefined) return undefined;
  if (!/^\s*application\/json\s*(;|$)/i.test(contentType ?? '')) throw wrongContentType();
  if (!body?.length) return undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^\s*identity\s*$/i.test(encoding)) {
    throw invalidRequest('The body must be sent uncompressed, without Content-Encoding.');
  }
  const text = decodeBody(body);
  const value = parseJson(text);
  const duplicate = findDuplicateKey(text);
  if (duplicate === null) return value;
  throw invalidRequest(
    `The body must give each field once; ${formatValue(duplicate)} is repeated.`,
  );
}

/**
 * For endpoints without a body: accepts an empty object or a Content-Type alone, as some clients
 * always send them, and rejects fields that would be ignored.
 */
export function requireEmptyBody(body: Buffer | undefined, headers: BodyHeaders): void {
  if (!body?.length) return;
  const value = readJson(body, headers);
  const isEmpty = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isEmpty && Object.keys(value).length === 0) return;
  throw invalidRequest('This endpoint takes no body; send none or {}.');
}

function decodeBody(body: Buffer): string {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw invalidRequest('The body must be UTF-8.');
  }
  if (text.startsWith('\ufeff'))
    throw invalidRequest('The body must not start with a byte order mark.');
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON${describeSyntaxError(error as Error)}.`);
  }
}

/** V8 quotes the text around the error. The message gives the position only. */
function describeSyntaxError({ message }: Error): string {
  const position = /\(line (\d+) column (\d+)\)/.exec(message);
  if (position) return `; see line ${position[1]}, column ${position[2]}`;
  const token = /^Unexpected token '(.+?)', /su.exec(message)?.[1];
  return ` (unexpected ${token === undefined ? 'end' : `character ${formatValue(token)}`})`;
}
