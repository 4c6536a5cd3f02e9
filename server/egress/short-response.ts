/**
 * Reads a response that has arrived whole: HTTP/1.1, a final status, a stated length, nothing
 * behind it. Accepts only what every HTTP parser reads alike; `node:http` reads all others.
 */

export type ShortResponse = {
  readonly status: number;
  readonly body: Uint8Array;
  /** Whether the receiver keeps the connection open. */
  readonly isKeptOpen: boolean;
  /** The `Keep-Alive` header. */
  readonly keepAlive: string | undefined;
};

/** A longer head is read by `node:http`, which also limits it. */
const headBytesMax = 4_096;

// No space before a colon, no folded line, no control character: parsers disagree about these.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const value = '[\\t -~\\x80-\\xff]*';
const headPattern = new RegExp(
  `^HTTP/1\\.1 ([2-5]\\d\\d)(?: ${value})?((?:\\r\\n${token}:${value})*)$`,
);

/** Headers that decide where a response ends and whether another may follow. */
const plainFraming = ['content-length', 'connection', 'keep-alive'];
const unusualFraming = ['transfer-encoding', 'upgrade', 'trailer', 'proxy-connection'];
const framingPattern = new RegExp(
  `\\r\\n(${[...plainFraming, ...unusualFraming].join('|')}):[\\t ]*([^\\r]*)`,
  'gi',
);

/** Returns null unless `bytes` are exactly one such response with at most `bodyBytesMax`. */
export function readShortResponse(bytes: Buffer, bodyBytesMax: number): ShortResponse | null {
  const text = bytes.toString('latin1', 0, headBytesMax);
  const headLength = text.indexOf('\r\n\r\n');
  const head = headLength < 0 ? null : headPattern.exec(text.slice(0, headLength));
  if (head === null) return null;
  const framing = readFraming(head[2]!);
  if (framing === null) return null;
  const status = Number(head[1]);
  const body = bytes.subarray(headLength + 4);
  const length = framing.length ?? (status === 204 || status === 304 ? 0 : undefined);
  if (body.length !== length || length > bodyBytesMax) return null;
  return { status, body, isKeptOpen: framing.isKeptOpen, keepAlive: framing.keepAlive };
}

type Framing = Pick<ShortResponse, 'isKeptOpen' | 'keepAlive'> & {
  readonly length: number | undefined;
};

/** Returns null for headers that are repeated or say anything unusual. */
function readFraming(headers: string): Framing | null {
  const values = new Map<string, string>();
  for (const [, name, value] of headers.matchAll(framingPattern)) {
    const lowerName = name!.toLowerCase();
    if (values.has(lowerName)) return null;
    values.set(lowerName, value!.trimEnd());
  }
  const length = values.get('content-length');
  const connection = values.get('connection')?.toLowerCase() ?? 'keep-alive';
  const isUnusual =
    unusualFraming.some((name) => values.has(name)) ||
    (length !== undefined && !/^\d{1,9}$/.test(length)) ||
    !['keep-alive', 'close'].includes(connection);
  if (isUnusual) return null;
  return {
    length: length === undefined ? undefined : Number(length),
    isKeptOpen: connection === 'keep-alive',
    keepAlive: values.get('keep-alive'),
  };
}
