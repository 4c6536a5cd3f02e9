import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { listen } from '../../proof/kit/fake-network.ts';
import { createEgress } from './egress.ts';
import { parseNetworks } from './ip-address.ts';

// Stands in for the 15 seconds of docs/spec.md 6.1.2.
const deadlineMs = 400;
const responseBytesMax = 64 * 1024;

const egress = createEgress({ allowedNetworks: parseNetworks('127.0.0.0/8') });
after(() => egress.close());

/** Sends one webhook request to a receiver that runs `receive` once the request has arrived. */
async function postTo(receive: Receive) {
  const server = await listen((socket) => socket.once('data', () => receive(socket)));
  const result = await egress.post({
    url: `http://127.0.0.1:${server.port}/hook`,
    headers: { 'content-type': 'application/json' },
    body: '{"id":"task_1"}',
    deadlineMs,
    responseBytesMax,
  });
  assert.equal(server.arrivals.length, 1);
  await server.close();
  return result;
}

type Receive = (socket: Socket) => void;

const responds =
  (bytes: string | Uint8Array): Receive =>
  (socket) =>
    void socket.end(bytes);

/** Writes `first`, then `then` again and again until the peer closes the connection. */
const drips =
  (first: string, then: string, everyMs = 20): Receive =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(then), everyMs);
    socket.once('close', () => clearInterval(timer));
  };

/** Writes `first`, then `then` without end, as fast as the peer reads. */
const floods = (first: string, then: string): Receive => {
  const bytes = Buffer.from(then.repeat(Math.ceil(65_536 / then.length)));
  return (socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', write);
    socket.write(first);
    write();
  };
};

const resets: Receive = (socket) => void socket.resetAndDestroy();

test('sends the request once and asks to keep the connection', async (t) => {
  let received = '';
  const server = await listen((socket) => {
    socket.on('data', (chunk) => {
      received += chunk;
      if (received.endsWith('}')) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  t.after(server.close);
  const result = await egress.post({
    url: `http://127.0.0.1:${server.port}/hook?a=b#c`,
    headers: { 'webhook-id': 'msg_1', 'user-agent': 'other' },
    body: '{"name":"ü"}',
    deadlineMs: 5_000,
    responseBytesMax,
  });
  assert.ok(result.outcome === 'response' && result.status === 204 && result.body === '');
  const [head = '', body] = received.split('\r\n\r\n');
  assert.equal(body, '{"name":"ü"}');
  const lines = head.toLowerCase().split('\r\n');
  assert.equal(lines[0], 'post /hook?a=b http/1.1');
  assert.deepEqual(lines.slice(1).toSorted(), [
    'accept-encoding: identity',
    'accept: */*',
    'connection: keep-alive',
    'content-length: 13',
    `host: 127.0.0.1:${server.port}`,
    'user-agent: other',
    'webhook-id: msg_1',
  ]);
  assert.equal(server.arrivals.length, 1);
});

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const longHint = `HTTP/1.1 103 Early Hints\r\nlink: ${'a'.repeat(15_000)}\r\n\r\n`;
const switching = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
/** An HTTP/2 server starts with its settings. */
const http2Settings = Buffer.from('00001204000000000000030000006400040001000000060000', 'hex');

type FailingReceiver = readonly [
  name: string,
  receive: Receive,
  ...errors: readonly [string, ...string[]],
];

const failingReceivers: readonly FailingReceiver[] = [
  ['never responds', () => {}, 'timeout'],
  ['drips its header', drips(ok, 'x'), 'timeout'],
  ['drips 103 without end', drips('', hint, 5), 'protocol'],
  ['floods with 103', floods('', hint), 'protocol'],
  ['floods with long 103', floods('', longHint), 'protocol'],
  ['floods with empty lines', floods('', '\r\n'), 'protocol'],
  ['has a header without end', floods(ok, 'x-a: b\r\n'), 'protocol'],
  ['has a reason without end', floods('HTTP/1.1 200 ', 'x'), 'protocol'],
  [
    'has a megabyte of headers',
    responds(`${ok}${`x-a: ${'a'.repeat(1_000)}\r\n`.repeat(1_000)}\r\n`),
    'protocol',
    'closed',
  ],
  ['resets the connection', resets, 'closed'],
  ['closes the connection', (socket) => void socket.end(), 'closed'],
  ['breaks off in its header', responds(`${ok}x-a: b`), 'closed'],
  ['sends 100 and no more', responds('HTTP/1.1 100 Continue\r\n\r\n'), 'closed'],
  ['speaks garbage', responds(Buffer.alloc(999, 0xfe)), 'protocol'],
  ['speaks HTTP/2', responds(http2Settings), 'protocol'],
  ['speaks SSH', responds('SSH-2.0-OpenSSH_9.6\r\n'), 'protocol'],
  ['speaks Redis', responds('+PONG\r\n'), 'protocol'],
  ['has no number', responds('HTTP/1.1 abc\r\n\r\n'), 'protocol'],
  ['has four digits', responds('HTTP/1.1 2000 OK\r\n\r\n'), 'protocol'],
  ['has a field without colon', responds(`${ok}x\r\n\r\n`), 'protocol'],
  ['has a negative length', responds(`${ok}content-length: -1\r\n\r\n`), 'protocol'],
  [
    'has two lengths',
    responds(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    'protocol',
  ],
  [
    'has a length and chunks',
    responds(`${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    'protocol',
  ],
  ['switches protocols', responds(switching), 'protocol', 'closed'],
];

for (const [name, receive, ...errors] of failingReceivers) {
  test(`a webhook fails when its receiver ${name}`, async () => {
    const result = await postTo(receive);
    const end = result.outcome === 'failed' ? result.error : `status ${result.status}`;
    assert.ok(errors.includes(end), end);
  });
}

const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
const bombs: Receive = (socket) => {
  socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
  socket.end(bomb);
};
const redirect = 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n';

/** The body that is kept, or its greatest length. */
type KeptBody = string | number;

const respondingReceivers: readonly (readonly [string, Receive, number, KeptBody])[] = [
  ['drips its body', drips(`${ok}content-length: 1000000\r\n\r\n`, 'x'), 200, 100],
  [
    'hangs in its body',
    (socket) => void socket.write('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n'),
    503,
    '',
  ],
  ['has a body without end', floods(`${ok}\r\n`, 'x'), 200, 'x'.repeat(responseBytesMax)],
  [
    'fails with a body without end',
    floods('HTTP/1.1 500 No\r\n\r\n', 'x'),
    500,
    'x'.repeat(responseBytesMax),
  ],
  ['has a chunk size without end', floods(chunked, '0'), 200, ''],
  ['has an extension without end', floods(`${chunked}1;`, 'x'), 200, ''],
  ['sends mostly framing', floods(chunked, `1;${'e'.repeat(15_000)}\r\nx\r\n`), 200, 100],
  ['has trailers without end', floods(`${chunked}0\r\n`, 'x-a: b\r\n'), 200, ''],
  ['sends a gzip bomb', bombs, 200, responseBytesMax],
  ['breaks off its body', responds(`${ok}content-length: 100\r\n\r\nonly this`), 200, 'only this'],
  [
    'smuggles a failure behind its 200',
    responds(`${ok}content-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n`),
    200,
    'ok',
  ],
  [
    'smuggles a 200 behind its failure',
    responds(`HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno${ok}\r\n`),
    500,
    'no',
  ],
  ['has a body with its 204', responds('HTTP/1.1 204 No\r\n\r\nbody'), 204, ''],
  [
    'sends 100 three times',
    responds(`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}${ok}content-length: 0\r\n\r\n`),
    200,
    '',
  ],
  ['redirects', responds(redirect), 302, ''],
  [
    'has a body that is no text',
    responds(Buffer.from(`${ok}content-length: 6\r\n\r\na\0\xffb\xe2\x82`, 'latin1')),
    200,
    'a\ufffd\ufffdb',
  ],
];

for (const [name, receive, status, body] of respondingReceivers) {
  test(`the status counts when a receiver ${name}`, async () => {
    const result = await postTo(receive);
    assert.ok(result.outcome === 'response');
    assert.equal(result.status, status);
    if (typeof body === 'string') assert.equal(result.body, body);
    else assert.ok(result.body.length <= body);
    assert.ok(result.durationMs < deadlineMs, 'the duration is that of the status');
  });
}

test('a response read late is complete, and its end affects nothing else', async (t) => {
  // Sizes around a full reader buffer, where the parser is paused when the peer disconnects.
  for (const bytes of [60_000, 66_000, 100_000, 200_000, 1_000_000]) {
    for (const ending of ['whole', 'cut', 'reset'] as const) {
      const server = await listen((socket) => {
        socket.once('data', () => {
          const length = ending === 'whole' ? bytes : bytes * 2;
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
          socket.write(Buffer.alloc(bytes), () => {
            if (ending === 'reset') socket.resetAndDestroy();
            else socket.end();
          });
        });
      });
      t.after(server.close);
      const url = `http://127.0.0.1:${server.port}/`;
      const result = await egress.get({
        url,
        kind: 'result',
        deadlineMs: 2_000,
        bytesMax: bytes * 2,
      });
      assert.ok(result.outcome === 'response');
      let read = 0;
      const reading = async () => {
        for await (const chunk of result.stream) {
          read += chunk.length;
          await setTimeout(5);
        }
      };
      await setTimeout(20);
      if (ending === 'whole') await reading();
      else await assert.rejects(reading(), { code: 'closed' });
      if (ending === 'whole') assert.equal(read, bytes);
    }
  }
});
