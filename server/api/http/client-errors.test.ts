/** Malformed HTTP, written by hand: gets an error response, or the connection is closed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { openSocket, parseResponses, sendRaw } from '../../../proof/kit/raw-http.ts';
import { type Client, startService } from '../../../proof/kit/service.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Client;
let auth: string;
before(async () => {
  service = await startService({
    environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
  });
  const account = await service.account({ live: 1000 });
  client = account.client;
  auth = `Authorization: Bearer ${account.key}\r\n`;
});
after(() => service.close());

const json = JSON.stringify(textToVideo);
const create =
  'POST /v1/videos/generations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const credits = 'GET /v1/credits HTTP/1.1\r\nHost: a\r\n';
const close = 'Connection: close\r\n';
const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`;

/** Nothing was executed: no task was created, and the next request works. */
let unmoved: unknown;
beforeEach(async () => {
  unmoved = (await client.get('/v1/credits')).body;
});
const assertUnmoved = async () => {
  assert.deepEqual((await client.get('/v1/credits')).body, unmoved);
};

describe('rejected: 400 in the error shape, then closed', () => {
  const cases: [string, () => string | Buffer][] = [
    [
      'both lengths',
      () => `${create}${auth}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'both, the other way round',
      () => `${create}${auth}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    ],
    [
      'two different lengths',
      () => `${create}${auth}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${json}`,
    ],
    [
      'one length twice',
      () => `${create}${auth}Content-Length: 5\r\nContent-Length: 5\r\n\r\n12345`,
    ],
    ['two lengths in one header', () => `${create}${auth}Content-Length: 5, 6\r\n\r\n123456`],
    ['a negative length', () => `${create}${auth}Content-Length: -1\r\n\r\n`],
    ['a length with a sign', () => `${create}${auth}Content-Length: +5\r\n\r\n12345`],
    ['a length in hexadecimal', () => `${create}${auth}Content-Length: 0x5\r\n\r\n12345`],
    ['a length beyond numbers', () => `${create}${auth}Content-Length: ${'9'.repeat(30)}\r\n\r\nx`],
    ['an encoding that is not chunked', () => `${create}${auth}Transfer-Encoding: gzip\r\n\r\nx`],
    [
      'chunked, but not last',
      () => `${create}${auth}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    ],
    [
      'chunks around something else',
      () =>
        `${create}${auth}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${credits}${auth}\r\n`,
    ],
    ['a disguised encoding', () => `${create}${auth}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a space before the colon', () => `${credits}${auth}Content-Length : 5\r\n${close}\r\n`],
    ['a folded header', () => `${credits}${auth}X-Note: a\r\n b\r\n${close}\r\n`],
    ['a header without a name', () => `${credits}${auth}: x\r\n${close}\r\n`],
    ['a NUL in a header', () => `${credits}${auth}X: a\0b\r\n${close}\r\n`],
    ['lines that end in LF alone', () => `${credits}${auth}${close}\r\n`.replaceAll('\r\n', '\n')],
    ['a CR within a line', () => `${credits}X: a\rY: b\r\n${auth}${close}\r\n`],
    ['headers of 20 KB', () => `${credits}${auth}X: ${'x'.repeat(20_000)}\r\n\r\n`],
    [
      '500 headers of 100 bytes',
      () => `${credits}${auth}${`X: ${'x'.repeat(95)}\r\n`.repeat(500)}\r\n`,
    ],
    ['an address of 20 KB', () => `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['an address that is not ASCII', () => Buffer.from('GET /é HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['a chunk without a length', () => `${create}${auth}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    [
      'a chunk longer than its size',
      () => `${create}${auth}Transfer-Encoding: chunked\r\n\r\n2\r\n{"model"\r\n0\r\n\r\n`,
    ],
    [
      'a chunk note of 20 KB',
      () => `${create}${auth}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n{\r\n`,
    ],
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/3.7', () => `${credits.replace('1.1', '3.7')}${auth}${close}\r\n`],
    ['no HTTP', () => 'EHLO example.com\r\n\r\n'],
    ['TLS', () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['no Host', () => `GET /v1/credits HTTP/1.1\r\n${auth}${close}\r\n`],
    ['two Hosts', () => `${credits}Host: b\r\n${auth}${close}\r\n`],
  ];
  for (const [what, bytes] of cases) {
    test(what, async () => {
      const responses = await sendRaw(service.url, bytes());
      assert.equal(responses.length, 1, JSON.stringify(responses));
      assertApiError(responses[0]!, 'invalid_request');
      await assertUnmoved();
    });
  }
});

describe('accepted: unusual, but HTTP', () => {
  const cases: [string, () => string][] = [
    ['HTTP/1.0 without a Host', () => `GET /v1/credits HTTP/1.0\r\n${auth}\r\n`],
    [
      'an absolute address',
      () =>
        `GET http://elsewhere.example/v1/credits?x=1 HTTP/1.1\r\nHost: a\r\n${auth}${close}\r\n`,
    ],
    ['an unknown expectation', () => `${credits}Expect: miracles\r\n${auth}${close}\r\n`],
    [
      'an upgrade that is not offered',
      () => `${credits}Upgrade: websocket\r\nConnection: upgrade, close\r\n${auth}\r\n`,
    ],
    ['a GET with a body', () => `${credits}${auth}${close}Content-Length: 3\r\n\r\nabc`],
    [
      'header names in any case',
      () => `${credits}${auth.replace('Authorization', 'aUTHORIZATION')}${close}\r\n`,
    ],
  ];
  for (const [what, bytes] of cases) {
    test(what, async () => {
      const [response, ...others] = await sendRaw(service.url, bytes());
      assert.deepEqual([response?.status, response?.body], [200, unmoved]);
      assert.deepEqual(others, []);
    });
  }

  test('a create in chunks, with an expectation of 100', async () => {
    const responses = await sendRaw(
      service.url,
      `${create}${auth}${close}Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${chunk(json.slice(0, 20))}${chunk(json.slice(20))}0\r\n\r\n`,
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [100, 200],
    );
  });

  test('pipelined requests get their responses in order', async () => {
    const responses = await sendRaw(
      service.url,
      `${credits}${auth}\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n${credits}${auth}${close}\r\n`,
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 404, 200],
    );
  });
});

describe('unknown methods: 404 in the error shape', () => {
  for (const method of ['FOO', 'PROPFIND', 'TRACE', 'QUERY', 'OPTIONS', 'HEAD', 'M-SEARCH']) {
    test(method, async () => {
      const line = `${method} /v1/credits HTTP/1.1\r\nHost: a\r\n${auth}${close}\r\n`;
      const socket = await openSocket(service.url);
      socket.write(line);
      const received = await text(socket);
      if (method === 'HEAD') return assert.match(received, /^HTTP\/1\.1 404 /);
      assertApiError(parseResponses(received)[0]!, 'not_found');
    });
  }

  test('CONNECT is closed, OPTIONS * is 404', async () => {
    assert.deepEqual(await sendRaw(service.url, `CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`), []);
    const [response] = await sendRaw(service.url, `OPTIONS * HTTP/1.1\r\nHost: a\r\n${close}\r\n`);
    assertApiError(response!, 'not_found');
  });
});

describe('connections', () => {
  test('garbage after a complete request gets no made-up response', async () => {
    const responses = await sendRaw(
      service.url,
      `${create}${auth}Content-Length: ${json.length}\r\n\r\n${json}\x00\x01garbage\r\n\r\n`,
    );
    assert(!responses.some(({ status }) => status === 400), JSON.stringify(responses));
    assert.equal((await client.get('/v1/credits')).status, 200);
  });

  const early: [string, () => string][] = [
    ['without a key', () => `${create}Content-Length: 500\r\n\r\n{"model"`],
    ['to nowhere', () => `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{`],
    ['in chunks', () => `${create}Transfer-Encoding: chunked\r\n\r\n5\r\n{"m`],
  ];
  for (const [what, bytes] of early) {
    test(`a request rejected before its end gets one response: ${what}`, async () => {
      const socket = await openSocket(service.url);
      const received = text(socket);
      socket.write(bytes());
      await once(socket, 'data');
      socket.end();
      assert.equal(parseResponses(await received).length, 1);
    });
  }

  test('slow headers time out with an error response', async () => {
    const { server } = service.parts.api!.server;
    const { headersTimeout } = server;
    server.headersTimeout = 300;
    try {
      const socket = await openSocket(service.url);
      socket.write(`${credits}X-Slow: `);
      const dripping = setInterval(() => socket.write('x'), 50);
      const received = await text(socket);
      clearInterval(dripping);
      const { message } = assertApiError(parseResponses(received)[0]!, 'invalid_request');
      assert.match(message, /must arrive within 30 seconds/);
    } finally {
      server.headersTimeout = headersTimeout;
    }
  });

  test('a slow body times out with an error response', async () => {
    const { server } = service.parts.api!.server;
    const { requestTimeout, headersTimeout } = server;
    Object.assign(server, { requestTimeout: 300, headersTimeout: 300 });
    try {
      const socket = await openSocket(service.url);
      socket.write(`${create}${auth}Content-Length: 100000\r\n\r\n{`);
      const dripping = setInterval(() => socket.write(' '), 50);
      const received = await text(socket);
      clearInterval(dripping);
      assertApiError(parseResponses(received)[0]!, 'invalid_request');
    } finally {
      Object.assign(server, { requestTimeout, headersTimeout });
    }
  });

  test('a client that is still sending during shutdown gets a real response', async () => {
    const stopping = await startService({ environment: { VIDGEN_ROLE: 'api' } });
    const socket = await openSocket(stopping.url);
    socket.write('GET /v1/credits HTTP/1.1\r\nHost: a\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = stopping.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.write('\r\n');
    const [response] = parseResponses(await text(socket));
    assertApiError(response!, 'invalid_api_key');
    assert.equal(response!.headers.get('connection'), 'close');
    await closed;
  });

  test('a client that disconnects at any point does no harm', async () => {
    const beginnings = [
      '',
      'GET',
      `${credits}`,
      `${create}${auth}Content-Length: 500\r\n\r\n{"model"`,
      `${create}${auth}Transfer-Encoding: chunked\r\n\r\n5\r\n{"m`,
      `${create}${auth}Content-Length: ${json.length}\r\n\r\n${json}`,
    ];
    for (const beginning of beginnings) {
      const socket = await openSocket(service.url);
      socket.write(beginning);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    assert.equal((await client.get('/healthz')).status, 200);
  });
});
