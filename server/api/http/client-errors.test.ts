/** Malformed HTTP, written by hand: gets an error response, or the connection is closed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { openSocket, parseResponses, sendRaw } from '../../../proof/kit/raw-http.ts';
import { startService, useService } from '../../../proof/kit/service.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';

const service = await useService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
});
const account = await service.account({ live: 1000 });
const client = account.client;
const auth = `Authorization: Bearer ${account.key}\r\n`;

const json = JSON.stringify(textToVideo);
const close = 'Connection: close\r\n';
const credits = 'GET /v1/credits HTTP/1.1\r\nHost: a\r\n';
/** A create with these last headers, and a read of the balance. */
const create = (headers: string, body = '') =>
  'POST /v1/videos/generations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
  `${auth}${headers}\r\n\r\n${body}`;
const read = (headers: string) => `${credits}${auth}${headers}${close}\r\n`;
const chunked = 'Transfer-Encoding: chunked';
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
  const long = 'x'.repeat(20_000);
  const cases: [string, string | Buffer][] = [
    ['both lengths', create(`Content-Length: 4\r\n${chunked}`, '0\r\n\r\n')],
    ['both, the other way round', create(`${chunked}\r\nContent-Length: 4`, '0\r\n\r\n')],
    ['two different lengths', create('Content-Length: 5\r\nContent-Length: 6', json)],
    ['one length twice', create('Content-Length: 5\r\nContent-Length: 5', '12345')],
    ['two lengths in one header', create('Content-Length: 5, 6', '123456')],
    ['a negative length', create('Content-Length: -1')],
    ['a length with a sign', create('Content-Length: +5', '12345')],
    ['a length in hexadecimal', create('Content-Length: 0x5', '12345')],
    ['a length beyond numbers', create(`Content-Length: ${'9'.repeat(30)}`, 'x')],
    ['an encoding that is not chunked', create('Transfer-Encoding: gzip', 'x')],
    ['chunked, but not last', create(`${chunked}, identity`, '0\r\n\r\n')],
    ['chunks around gzip', create('Transfer-Encoding: gzip, chunked', `0\r\n\r\n${read('')}`)],
    ['a disguised encoding', create('Transfer-Encoding: xchunked', '0\r\n\r\n')],
    ['a space before the colon', read('Content-Length : 5\r\n')],
    ['a folded header', read('X-Note: a\r\n b\r\n')],
    ['a header without a name', read(': x\r\n')],
    ['a NUL in a header', read('X: a\0b\r\n')],
    ['lines that end in LF alone', read('').replaceAll('\r\n', '\n')],
    ['a CR within a line', read('X: a\rY: b\r\n')],
    ['headers of 20 KB', read(`X: ${long}\r\n`)],
    ['500 headers of 100 bytes', read(`X: ${'x'.repeat(95)}\r\n`.repeat(500))],
    ['a path of 20 KB', `GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a path that is not ASCII', Buffer.from('GET /é HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['a chunk without a length', create(chunked, 'zz\r\n')],
    ['a chunk longer than its size', create(chunked, '2\r\n{"model"\r\n0\r\n\r\n')],
    ['a chunk note of 20 KB', create(chunked, `1;${long}\r\n{\r\n`)],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/3.7', read('').replace('1.1', '3.7')],
    ['no HTTP', 'EHLO example.com\r\n\r\n'],
    ['TLS', Buffer.from('16030102000100' + '01fc0303', 'hex')],
    ['no Host', read('').replace('Host: a\r\n', '')],
    ['two Hosts', read('Host: b\r\n')],
  ];
  for (const [what, bytes] of cases) {
    test(what, async () => {
      const responses = await sendRaw(service.url, bytes);
      assert.equal(responses.length, 1, JSON.stringify(responses));
      assertApiError(responses[0]!, 'invalid_request');
      await assertUnmoved();
    });
  }
});

describe('accepted: unusual, but HTTP', () => {
  const cases: [string, string][] = [
    ['HTTP/1.0 without a Host', `GET /v1/credits HTTP/1.0\r\n${auth}\r\n`],
    ['an absolute URL', read('').replace('/v1', 'http://elsewhere.example/v1')],
    ['an unknown expectation', read('Expect: miracles\r\n')],
    [
      'an upgrade that is not offered',
      `${credits}Upgrade: websocket\r\nConnection: upgrade, close\r\n${auth}\r\n`,
    ],
    ['a GET with a body', `${read('Content-Length: 3\r\n')}abc`],
    ['header names in any case', read('').replace('Authorization', 'aUTHORIZATION')],
  ];
  for (const [what, bytes] of cases) {
    test(what, async () => {
      const [response, ...others] = await sendRaw(service.url, bytes);
      assert.deepEqual([response?.status, response?.body], [200, unmoved]);
      assert.deepEqual(others, []);
    });
  }

  test('a create in chunks, with an expectation of 100', async () => {
    const chunks = `${chunk(json.slice(0, 20))}${chunk(json.slice(20))}0\r\n\r\n`;
    const headers = `${close}Expect: 100-continue\r\n${chunked}`;
    const responses = await sendRaw(service.url, create(headers, chunks));
    assert.deepEqual(pluck(responses, 'status'), [100, 200]);
  });

  test('pipelined requests get their responses in order', async () => {
    const nowhere = 'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n';
    const responses = await sendRaw(service.url, `${credits}${auth}\r\n${nowhere}${read('')}`);
    assert.deepEqual(pluck(responses, 'status'), [200, 404, 200]);
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
    const garbage = `${json}\x00\x01garbage\r\n\r\n`;
    const bytes = create(`Content-Length: ${json.length}`, garbage);
    const responses = await sendRaw(service.url, bytes);
    assert(!responses.some(({ status }) => status === 400), JSON.stringify(responses));
    assert.equal((await client.get('/v1/credits')).status, 200);
  });

  const early: [string, string][] = [
    ['without a key', create('Content-Length: 500', '{"model"').replace(auth, '')],
    ['to nowhere', 'POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{'],
    ['in chunks', create(chunked, '5\r\n{"m').replace(auth, '')],
  ];
  for (const [what, bytes] of early) {
    test(`a request rejected before its end gets one response: ${what}`, async () => {
      const socket = await openSocket(service.url);
      const received = text(socket);
      socket.write(bytes);
      await once(socket, 'data');
      socket.end();
      assert.equal(parseResponses(await received).length, 1);
    });
  }

  test('slow headers time out with an error response', async () => {
    const { server } = service.parts.api!;
    const { headersTimeout } = server;
    server.headersTimeout = 300;
    try {
      const socket = await openSocket(service.url);
      socket.write(`${credits}X-Slow: `);
      const dripping = setInterval(() => socket.write('x'), 50);
      const received = await text(socket);
      clearInterval(dripping);
      assertApiError(
        parseResponses(received)[0]!,
        'invalid_request',
        /must arrive within 30 seconds/,
      );
    } finally {
      server.headersTimeout = headersTimeout;
    }
  });

  test('a slow body times out with an error response', async () => {
    const { server } = service.parts.api!;
    const { requestTimeout, headersTimeout } = server;
    Object.assign(server, { requestTimeout: 300, headersTimeout: 300 });
    try {
      const socket = await openSocket(service.url);
      socket.write(create('Content-Length: 100000', '{'));
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
    const { server } = stopping.parts.api!;
    const connected = once(server, 'connection');
    const socket = await openSocket(stopping.url);
    const [connection] = (await connected) as [Socket];
    socket.write('GET /v1/credits HTTP/1.1\r\nHost: a\r\n');
    await waitUntil(() => connection.bytesRead > 0);
    const closed = stopping.close();
    await waitUntil(() => !server.listening);
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
      create('Content-Length: 500', '{"model"'),
      create(chunked, '5\r\n{"m'),
      create(`Content-Length: ${json.length}`, json),
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
