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
async function postTo(receive: (socket: Socket) => void) {
  const server = await listen((socket) => socket.once('data', () => receive(socket)));
  const result = await egress.post({
    url: `http://127.0.0.1:${server.port}/hook`,
    headers: { 'content-type': 'application/json' },
    body: '{"id":"task_1"}',
    deadlineMs,
    responseBytesMax,
  });
  await server.close();
  return result;
}

/** Writes repeatedly until the peer closes the connection. */
function repeat(socket: Socket, bytes: string | Uint8Array, everyMs: number): void {
  const timer = setInterval(() => socket.write(bytes), everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Writes without end, as fast as the peer reads. */
function flood(socket: Socket, bytes: Uint8Array): void {
  const write = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', write);
  write();
}

const failure = async (receive: (socket: Socket) => void) => {
  const result = await postTo(receive);
  return result.outcome === 'failed' ? result.error : `answered ${result.status}`;
};

const response = async (receive: (socket: Socket) => void) => {
  const result = await postTo(receive);
  assert.equal(result.outcome, 'response');
  return result;
};

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

test('a receiver that never responds ends at the deadline', async () => {
  assert.equal(await failure(() => {}), 'timeout');
});

test('headers that trickle in end at the deadline', async () => {
  const drip = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    repeat(socket, 'x', 20);
  };
  assert.equal(await failure(drip), 'timeout');
});

test('endless 103 responses are given up', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  assert.equal(await failure((socket) => repeat(socket, hint, 5)), 'protocol');
});

test('reads at most 64 KiB before the response headers', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  const long = `HTTP/1.1 103 Early Hints\r\nlink: ${'a'.repeat(15_000)}\r\n\r\n`;
  for (const text of [hint.repeat(50), long, '\r\n'.repeat(1_000)]) {
    assert.equal(await failure((socket) => flood(socket, Buffer.from(text))), 'protocol');
  }
});

test('truncates a body that is mostly chunk framing and keeps its status', async () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  for (const text of [`1;${'e'.repeat(15_000)}\r\nx\r\n`, '0'.repeat(15_000)]) {
    const endless = await response((socket) => {
      socket.write(head);
      flood(socket, Buffer.from(text));
    });
    assert.equal(endless.status, 200);
    assert.ok(endless.body.length < 100, 'cut long before the deadline');
  }
});

test('keeps the status of a response whose body trickles or hangs', async () => {
  const dripping = await response((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
    repeat(socket, 'x', 20);
  });
  assert.ok(dripping.status === 200 && /^x+$/.test(dripping.body));
  assert.ok(dripping.durationMs < deadlineMs, 'the duration is that of the status');
  const hanging = await response((socket) => {
    socket.write('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n');
  });
  assert.deepEqual([hanging.status, hanging.body], [503, '']);
});

test('reads an endless body up to its limit and no further', async () => {
  const endless = await response((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    flood(socket, Buffer.alloc(64 * 1024, 'x'));
  });
  assert.deepEqual([endless.status, endless.body.length], [200, responseBytesMax]);
});

test('keeps the status and the beginning of a body that breaks off', async () => {
  const broken = await response((socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this');
  });
  assert.deepEqual([broken.status, broken.body], [200, 'only this']);
});

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

test('does not decompress a compressed body', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  const compressed = await response((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n');
    socket.write(`content-length: ${bomb.length}\r\n\r\n`);
    socket.end(bomb);
  });
  assert.equal(compressed.status, 200);
  assert.ok(compressed.body.length <= responseBytesMax);
});

test('turns any bytes into text without NUL characters', async () => {
  const binary = await response((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n');
    socket.end(Buffer.from([0x61, 0x00, 0xff, 0x62, 0xe2, 0x82]));
  });
  assert.equal(binary.body, 'a\ufffd\ufffdb');
});

test('rejects headers over 16 KiB', async () => {
  const header = `x-a: ${'a'.repeat(1_000)}\r\n`.repeat(1_000);
  const send = (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n`);
  assert.equal(await failure(send), 'protocol');
});

test('rejects responses that are not HTTP/1.1', async () => {
  const cases = ['SSH-2.0-OpenSSH_9.6\r\n', '+PONG\r\n', 'HTTP/1.1 abc\r\n\r\n', '\0\x01\x02\x03'];
  cases.push('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab');
  cases.push('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n');
  for (const text of cases) {
    const code = await failure((socket) => socket.end(text));
    assert.ok(['protocol', 'closed'].includes(code), `${JSON.stringify(text)}: ${code}`);
  }
});

test('reports a connection that was reset or closed before the response', async () => {
  assert.equal(await failure((socket) => socket.resetAndDestroy()), 'closed');
  assert.equal(await failure((socket) => socket.end()), 'closed');
  assert.equal(await failure((socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: b')), 'closed');
});

test('does not dial again when a receiver hangs up at once', async (t) => {
  const server = await listen((socket) => socket.resetAndDestroy());
  t.after(server.close);
  const result = await egress.post({
    url: `http://127.0.0.1:${server.port}/`,
    headers: {},
    body: '',
    deadlineMs: 2_000,
    responseBytesMax,
  });
  // The reset can arrive before or after the connect event.
  assert.ok(result.outcome === 'failed' && ['connect', 'closed'].includes(result.error));
  assert.equal(server.arrivals.length, 1);
});

test('ignores a second response smuggled behind the first', async () => {
  const first = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const result = await response((socket) => socket.end(`${first}HTTP/1.1 500 No\r\n\r\n`));
  assert.deepEqual([result.status, result.body], [200, 'ok']);
});

test('a redirect is a response like any other', async () => {
  const location = 'location: http://127.0.0.1:1/\r\ncontent-length: 0';
  const result = await response((socket) =>
    socket.end(`HTTP/1.1 302 Found\r\n${location}\r\n\r\n`),
  );
  assert.equal(result.status, 302);
});

test('reports a port without a listener', async () => {
  const server = await listen(() => {});
  await server.close();
  const url = `http://127.0.0.1:${server.port}/`;
  const result = await egress.post({ url, headers: {}, body: '', deadlineMs, responseBytesMax });
  assert.ok(result.outcome === 'failed' && result.error === 'connect');
});
