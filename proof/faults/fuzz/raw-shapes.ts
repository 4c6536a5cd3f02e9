/**
 * Bytes for a connection that no client library would send: requests that two readers could read
 * as one or as two, headers and bodies that overflow, break off or never come. Each tells how many
 * answers it may have; a request that is hidden in it asks with somebody else's key.
 */

export type RawShape = {
  /** Answers at most: more, and something was read as a request that is none. */
  readonly responses: number;
  readonly bytes: (parts: RawParts) => string | Buffer;
  /** `reset`: we leave in the middle; otherwise we have said all and wait. */
  readonly ending?: 'reset';
};

export type RawParts = {
  /** The key of whoever asks, and one that must never be read. */
  readonly key: string;
  readonly hiddenKey: string;
  readonly accountId: string;
  readonly adminToken: string;
  /** Chance, for sizes and places. */
  readonly number: number;
};

const host = 'Host: localhost\r\n';
const auth = ({ key }: RawParts) => `Authorization: Bearer ${key}\r\n`;
const credits = (parts: RawParts) => `GET /v1/credits HTTP/1.1\r\n${host}${auth(parts)}`;
const estimate = (parts: RawParts) =>
  `POST /v1/videos/generations/estimate HTTP/1.1\r\n${host}${auth(parts)}` +
  'Content-Type: application/json\r\n';
/** What a smuggler wants to be read. */
const hidden = ({ hiddenKey }: RawParts) =>
  `GET /v1/credits HTTP/1.1\r\n${host}Authorization: Bearer ${hiddenKey}\r\n\r\n`;
const chunkedHidden = (parts: RawParts) => `0\r\n\r\n${hidden(parts)}`;
const long = ({ number }: RawParts) => 17_000 + (number % 40_000);

/** Two lengths, and in the body a request: whoever believes the wrong one answers it. */
const smuggle = (headers: string): RawShape => ({
  responses: 1,
  bytes: (parts) => `${estimate(parts)}${headers}\r\n\r\n${chunkedHidden(parts)}`,
});

const encodings = [
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked, chunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
  'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding:\u000bchunked',
  'Transfer-Encoding: gzip, chunked',
  'X: x\nTransfer-Encoding: chunked',
  'X: x\rTransfer-Encoding: chunked',
  'Transfer-Encoding\t: chunked',
  ' Transfer-Encoding: chunked',
  'Transfer-Encoding: chunk',
  'Transfer-Encoding:\r\n chunked',
];
const lengths = [
  'Content-Length: 4\r\nContent-Length: 5',
  'Content-Length: 4, 5',
  'Content-Length: 4,4',
  'Content-Length: +4',
  'Content-Length: -4',
  'Content-Length: 0x4',
  'Content-Length: 4 4',
  'Content-Length: 4\u000b',
  'Content-Length: 999999999999999999999',
  'Content-Length : 4',
  'Content-Length:',
  'Content-Length: 4.0',
];

const smuggling = Object.fromEntries([
  ...encodings.flatMap((encoding): [string, RawShape][] => [
    [`a length and ${JSON.stringify(encoding)}`, smuggle(`Content-Length: 4\r\n${encoding}`)],
    [`${JSON.stringify(encoding)} and a length`, smuggle(`${encoding}\r\nContent-Length: 4`)],
    [JSON.stringify(encoding), smuggle(encoding)],
  ]),
  ...lengths.map((length): [string, RawShape] => [JSON.stringify(length), smuggle(length)]),
  ['both', smuggle('Content-Length: 4\r\nTransfer-Encoding: chunked')],
  ['both, the other way round', smuggle('Transfer-Encoding: chunked\r\nContent-Length: 4')],
]) as Readonly<Record<string, RawShape>>;

const chunks = [
  'zz',
  '-1',
  '0x5',
  '5 ',
  '5;',
  `5;${'x'.repeat(20_000)}`,
  'fffffffffffffffff',
  '',
  '+5',
];

const bodies: Readonly<Record<string, RawShape>> = {
  'a request in a body': {
    responses: 1,
    bytes: (parts) =>
      `${estimate(parts)}Content-Length: ${hidden(parts).length}\r\nConnection: close\r\n\r\n` +
      hidden(parts),
  },
  'a request in a chunk': {
    responses: 1,
    bytes: (parts) =>
      `${estimate(parts)}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
      `${hidden(parts).length.toString(16)}\r\n${hidden(parts)}\r\n0\r\n\r\n`,
  },
  'a GET with a body': {
    responses: 1,
    bytes: (parts) =>
      `${credits(parts)}Connection: close\r\nContent-Length: ${hidden(parts).length}\r\n\r\n` +
      hidden(parts),
  },
  'a body that breaks off': {
    responses: 1,
    bytes: (parts) => `${estimate(parts)}Content-Length: ${10 + parts.number}\r\n\r\n{`,
  },
  'an upload that is given up': {
    responses: 0,
    ending: 'reset',
    bytes: (parts) =>
      `POST /admin/accounts/${parts.accountId}/uploads HTTP/1.1\r\n${host}` +
      `Authorization: Bearer ${parts.adminToken}\r\nContent-Type: image/png\r\n` +
      `Content-Length: 9000000\r\n\r\n\x89PNG${'x'.repeat(parts.number)}`,
  },
  'an upload that breaks off': {
    responses: 1,
    bytes: (parts) =>
      `POST /admin/accounts/${parts.accountId}/uploads HTTP/1.1\r\n${host}` +
      `Authorization: Bearer ${parts.adminToken}\r\nContent-Type: image/png\r\n` +
      `Content-Length: 9000000\r\n\r\n\x89PNG${'x'.repeat(parts.number)}`,
  },
  'a create that is given up': {
    responses: 0,
    ending: 'reset',
    bytes: (parts) => `${estimate(parts)}Content-Length: 500\r\n\r\n{"model"`,
  },
  'chunks of a wrong length': {
    responses: 1,
    bytes: (parts) =>
      `${estimate(parts)}Transfer-Encoding: chunked\r\n\r\n` +
      `${chunks[parts.number % chunks.length]}\r\n{"a"}\r\n0\r\n\r\n${hidden(parts)}`,
  },
  'a chunk longer than it says': {
    responses: 1,
    bytes: (parts) =>
      `${estimate(parts)}Transfer-Encoding: chunked\r\n\r\n2\r\n{"model"\r\n` +
      chunkedHidden(parts),
  },
  'trailers that are headers': {
    responses: 1,
    bytes: (parts) =>
      `${estimate(parts)}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n` +
      `Content-Length: 5\r\nAuthorization: Bearer ${parts.hiddenKey}\r\n\r\n`,
  },
};

const lines = [
  'GET /v1/credits',
  'GET /v1/credits HTTP/1.1 HTTP/1.1',
  'GET  /v1/credits HTTP/1.1',
  'GET /v1/credits HTTP/9.9',
  'GET /v1/credits HTTP/2.0',
  'GET /v1/\0credits HTTP/1.1',
  'GET /v1/\u00ff\u00fe HTTP/1.1',
  'G\0T /v1/credits HTTP/1.1',
  'get /v1/credits http/1.1',
  ' GET /v1/credits HTTP/1.1',
  'GET http:///v1/credits HTTP/1.1',
  'GET //evil.example/v1/credits HTTP/1.1',
  'GET * HTTP/1.1',
  'CONNECT evil.example:443 HTTP/1.1',
  'GET /v1/credits#x HTTP/1.1',
  'GET /v1/../v1/credits HTTP/1.1',
  'EHLO example.com',
];
const headers = [
  'X-Note: a\r\n b',
  'X-Note : a',
  ': a',
  'X-Note',
  'X\0: a',
  'X: a\0b',
  'X: a\rb',
  'Host: evil.example',
  '\u00ff: x',
  'X: \u0001\u0002',
  'Expect: miracles',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Connection: close, keep-alive, transfer-encoding',
];

const heads: Readonly<Record<string, RawShape>> = {
  'an odd request line': {
    responses: 1,
    bytes: (parts) =>
      `${lines[parts.number % lines.length]}\r\n${host}${auth(parts)}Connection: close\r\n\r\n`,
  },
  'an odd header': {
    responses: 1,
    bytes: (parts) =>
      `${credits(parts)}${headers[parts.number % headers.length]}\r\nConnection: close\r\n\r\n`,
  },
  'lines that end in LF alone': {
    responses: 1,
    bytes: (parts) => `${credits(parts)}Connection: close\r\n\r\n`.replaceAll('\r\n', '\n'),
  },
  'headers that overflow': {
    responses: 1,
    bytes: (parts) => `${credits(parts)}X: ${'x'.repeat(long(parts))}\r\n\r\n`,
  },
  'headers without number': {
    responses: 1,
    bytes: (parts) => `${credits(parts)}${'X: y\r\n'.repeat(2000 + parts.number)}\r\n\r\n`,
  },
  'an address that overflows': {
    responses: 1,
    bytes: (parts) => `GET /${'x'.repeat(long(parts))} HTTP/1.1\r\n${host}\r\n`,
  },
  'headers that break off': {
    responses: 1,
    bytes: (parts) => credits(parts).slice(0, 1 + (parts.number % credits(parts).length)),
  },
  'headers that are given up': {
    responses: 0,
    ending: 'reset',
    bytes: (parts) => credits(parts).slice(0, 1 + (parts.number % credits(parts).length)),
  },
  'HTTP/1.0': {
    responses: 1,
    bytes: (parts) => `GET /v1/credits HTTP/1.0\r\n${auth(parts)}\r\n`,
  },
  'HTTP/1.0, kept': {
    responses: 1,
    bytes: (parts) => `GET /v1/credits HTTP/1.0\r\nConnection: keep-alive\r\n${auth(parts)}\r\n`,
  },
  'an absolute address': {
    responses: 1,
    bytes: (parts) =>
      `GET http://evil.example/v1/credits HTTP/1.1\r\n${host}${auth(parts)}` +
      'Connection: close\r\n\r\n',
  },
  'the preface of HTTP/2': {
    responses: 1,
    bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0',
  },
  TLS: {
    responses: 1,
    bytes: () => Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
  },
  noise: {
    responses: 1,
    bytes: ({ number }) =>
      Buffer.from(
        Array.from({ length: 1 + (number % 300) }, (_, at) => (at * number * 7919) & 255),
      ),
  },
  pipelining: {
    responses: 5,
    bytes: (parts) =>
      `${credits(parts)}\r\n`.repeat(1 + (parts.number % 4)) +
      `${credits(parts)}Connection: close\r\n\r\n`,
  },
  'something after the last request': {
    responses: 1,
    bytes: (parts) => `${credits(parts)}Connection: close\r\n\r\n${hidden(parts)}`,
  },
};

/** A right request in which one byte is another, is gone, or is there twice. */
const broken: RawShape = {
  responses: 2,
  bytes: (parts) => {
    const body = '{"model":"vidgen-2-0-mini","input":{"prompt":"x"}}';
    const right = Buffer.from(
      `${estimate(parts)}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const at = (parts.number * 31) % right.length;
    const byte = Buffer.from([(parts.number * 17) & 255]);
    const from = at + (parts.number % 3 === 0 ? 0 : 1);
    const middle = parts.number % 3 === 1 ? Buffer.alloc(0) : byte;
    return Buffer.concat([right.subarray(0, at), middle, right.subarray(from)]);
  },
};

export const rawShapes: Readonly<Record<string, RawShape>> = {
  ...smuggling,
  ...bodies,
  ...heads,
  'a byte that is another': broken,
};
