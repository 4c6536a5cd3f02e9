/**
 * Bytes for a connection that no client library sends: requests that two readers could read as one
 * or as two, headers and bodies that overflow, break off or never come.
 */
export type RawShape = {
  /** The most responses: with more, the service has read a request that is none. */
  readonly responses: number;
  readonly bytes: string | Buffer;
  /** `reset`: the client resets the connection after the bytes; otherwise it waits. */
  readonly ending?: 'reset';
};

export type RawParts = {
  /** The key of the client, and one that must never be read. */
  readonly key: string;
  readonly hiddenKey: string;
  readonly accountId: string;
  readonly adminToken: string;
  /** A random number for sizes and positions. */
  readonly number: number;
};

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
const chunkSizes = [
  'zz',
  '-1',
  '0x5',
  '5 ',
  '5;',
  `5;${'x'.repeat(20_000)}`,
  'f'.repeat(17),
  '',
  '+5',
];
const host = 'Host: localhost\r\n';
const close = 'Connection: close\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';
const one = (bytes: string | Buffer): RawShape => ({ responses: 1, bytes });
const reset = (bytes: string): RawShape => ({ responses: 0, ending: 'reset', bytes });

/** The texts that the shapes are made of. */
function textsFor({ key, hiddenKey, accountId, adminToken, number }: RawParts) {
  const auth = `Authorization: Bearer ${key}\r\n`;
  const credits = `GET /v1/credits HTTP/1.1\r\n${host}${auth}`;
  const json = 'Content-Type: application/json\r\n';
  const estimate = `POST /v1/videos/generations/estimate HTTP/1.1\r\n${host}${auth}${json}`;
  /** The request that must never be answered. */
  const hidden = `GET /v1/credits HTTP/1.1\r\n${host}Authorization: Bearer ${hiddenKey}\r\n\r\n`;
  const upload =
    `POST /admin/accounts/${accountId}/uploads HTTP/1.1\r\n${host}` +
    `Authorization: Bearer ${adminToken}\r\nContent-Type: image/png\r\n` +
    `Content-Length: 9000000\r\n\r\n\x89PNG${'x'.repeat(number)}`;
  const part = credits.slice(0, 1 + (number % credits.length));
  return { credits, estimate, hidden, upload, part };
}

/** Two lengths, and a request in the body that a reader of the wrong length would answer. */
function smugglingShapes(parts: RawParts): Record<string, RawShape> {
  const { estimate, hidden } = textsFor(parts);
  const smuggle = (header: string) => one(`${estimate}${header}\r\n\r\n0\r\n\r\n${hidden}`);
  const headers = [
    ...encodings.flatMap((encoding) => [
      `Content-Length: 4\r\n${encoding}`,
      `${encoding}\r\nContent-Length: 4`,
      encoding,
    ]),
    ...lengths,
    'Content-Length: 4\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
  ];
  return Object.fromEntries(headers.map((header) => [JSON.stringify(header), smuggle(header)]));
}

/** Messages that end early, overflow, or have another request behind or within them. */
function brokenOffShapes(parts: RawParts): Record<string, RawShape> {
  const { credits, estimate, hidden, upload, part } = textsFor(parts);
  const { number } = parts;
  const dataUri = `{"input":{"image_urls":["data:image/png;base64,iVBORw0KGgo${'A'.repeat(number)}`;
  const length = `Content-Length: ${hidden.length}\r\n`;
  const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const wrongSize = chunkSizes[number % chunkSizes.length];
  const noise = Array.from({ length: 1 + (number % 300) }, (_, at) => (at * number * 7919) & 255);
  const pipelined = `${credits}\r\n`.repeat(1 + (number % 4));
  return {
    'a request in a body': one(`${estimate}${length}${close}\r\n${hidden}`),
    'a request in a chunk': one(`${estimate}${chunked}${close}\r\n${chunk}`),
    'a GET with a body': one(`${credits}${close}${length}\r\n${hidden}`),
    'a body that breaks off': one(`${estimate}Content-Length: ${10 + number}\r\n\r\n{`),
    'an upload that is given up': reset(upload),
    'an upload that breaks off': one(upload),
    'a data URI that is given up': reset(`${estimate}Content-Length: 5000000\r\n\r\n${dataUri}`),
    'a data URI that breaks off': one(`${estimate}Content-Length: 5000000\r\n\r\n${dataUri}`),
    'a create that is given up': reset(`${estimate}Content-Length: 500\r\n\r\n{"model"`),
    'chunks of a wrong length': one(
      `${estimate}${chunked}\r\n${wrongSize}\r\n{"a"}\r\n0\r\n\r\n${hidden}`,
    ),
    'trailers that are headers': one(
      `${estimate}${chunked}${close}\r\n2\r\n{}\r\n0\r\n` +
        `Content-Length: 5\r\nAuthorization: Bearer ${parts.hiddenKey}\r\n\r\n`,
    ),
    'too many headers': one(`${credits}${'X: y\r\n'.repeat(2000 + number)}\r\n\r\n`),
    'headers that break off': one(part),
    'headers that are given up': reset(part),
    noise: one(Buffer.from(noise)),
    pipelining: { responses: 5, bytes: `${pipelined}${credits}${close}\r\n` },
    'bytes after the last request': one(`${credits}${close}\r\n${hidden}`),
  };
}

/** A valid request in which one byte is replaced, removed or doubled. */
function brokenShape(parts: RawParts): RawShape {
  const { number } = parts;
  const body = '{"model":"vidgen-2-0-mini","input":{"prompt":"x"}}';
  const { estimate } = textsFor(parts);
  const right = Buffer.from(`${estimate}${close}Content-Length: ${body.length}\r\n\r\n${body}`);
  const at = (number * 31) % right.length;
  const byte = Buffer.from([(number * 17) & 255]);
  const from = at + (number % 3 === 0 ? 0 : 1);
  const middle = number % 3 === 1 ? Buffer.alloc(0) : byte;
  const bytes = Buffer.concat([right.subarray(0, at), middle, right.subarray(from)]);
  return { responses: 2, bytes };
}

export const rawShapes = (parts: RawParts): Readonly<Record<string, RawShape>> => ({
  ...smugglingShapes(parts),
  ...brokenOffShapes(parts),
  'a wrong byte': brokenShape(parts),
});
