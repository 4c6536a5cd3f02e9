import assert from 'node:assert/strict';
import { request } from 'node:http';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { readShortResponse } from './short-response.ts';

const bodyBytesMax = 100;

const read = (raw: string) => readShortResponse(Buffer.from(raw, 'latin1'), bodyBytesMax);

/** What `node:http` reads. */
async function readWithNode(raw: string): Promise<{ status: number; body: string }> {
  const socket = new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() });
  socket.push(Buffer.from(raw, 'latin1'));
  socket.push(null);
  const sent = request({ method: 'POST', createConnection: () => socket }).end();
  return await new Promise((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode!, body }), reject);
    });
  });
}

test('reads a response as node:http does', async () => {
  const responses = [
    'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 200 \r\nContent-Length:2\r\n\r\nok',
    'HTTP/1.1 201 Created\r\nCONTENT-LENGTH: \t 2 \t\r\nx-a:\r\n\r\nok',
    'HTTP/1.1 204 No Content\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nx-a: b:c\r\n\r\n',
    'HTTP/1.1 500 \xe4\r\nx-a: \xff\r\nconnection: Keep-Alive\r\n' +
      'content-length: 4\r\n\r\n\r\n\r\n',
    'HTTP/1.1 200 OK\r\nx-content-length: 9\r\nx-a: transfer-encoding: chunked\r\n' +
      'content-length: 2\r\n\r\nok',
  ];
  for (const raw of responses) {
    const response = read(raw);
    assert.ok(response, raw);
    const body = Buffer.from(response.body).toString();
    assert.deepEqual({ status: response.status, body }, await readWithNode(raw), raw);
  }
});

test('reads whether and how long the connection is kept', () => {
  const kept = read('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\ncontent-length: 0\r\n\r\n');
  assert.deepEqual([kept?.isKeptOpen, kept?.keepAlive], [true, 'timeout=5']);
  const closed = read('HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 0\r\n\r\n');
  assert.deepEqual([closed?.isKeptOpen, closed?.keepAlive], [false, undefined]);
});

test('leaves every response to node:http that is incomplete, unusual or not valid', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const responses = [
    '',
    'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n',
    `${head}content-length: 3\r\n\r\nok`,
    `${head}content-length: 2\r\n\r\nok!`,
    `${head}content-length: 101\r\n\r\n${'x'.repeat(101)}`,
    `${head}x-a: ${'a'.repeat(5000)}\r\ncontent-length: 0\r\n\r\n`,
    `${head}\r\n`,
    `${head}\r\nuntil the end`,
    `${head}content-length: 2\r\n\r\nok${head}content-length: 0\r\n\r\n`,
    `${head}content-length: 2\r\ncontent-length: 2\r\n\r\nok`,
    `${head}content-length: 2, 2\r\n\r\nok`,
    `${head}content-length: +2\r\n\r\nok`,
    `${head}content-length: 0x2\r\n\r\nok`,
    `${head}content-length:\r\n\r\n`,
    `${head}content-length : 2\r\n\r\nok`,
    `${head} content-length: 2\r\n\r\nok`,
    `${head}x-a: b\r\n c\r\ncontent-length: 2\r\n\r\nok`,
    `${head}x-a: b\ncontent-length: 2\r\n\r\nok`,
    `${head}x-a: b\rcontent-length: 9\r\ncontent-length: 2\r\n\r\nok`,
    `${head}x-a: \0\r\ncontent-length: 2\r\n\r\nok`,
    `${head}: a\r\ncontent-length: 2\r\n\r\nok`,
    `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok`,
    `${head}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}connection: upgrade\r\nupgrade: x\r\ncontent-length: 0\r\n\r\n`,
    `${head}connection: keep-alive, x\r\ncontent-length: 0\r\n\r\n`,
    `${head}proxy-connection: close\r\ncontent-length: 0\r\n\r\n`,
    'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 100 Continue\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/2 200\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n',
    '\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    'http/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  ];
  for (const raw of responses) assert.equal(read(raw), null, JSON.stringify(raw));
});
