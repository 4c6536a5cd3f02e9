import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type MediaServer, startMediaServer } from '../../proof/kit/media-server.ts';
import { createEgress } from '../egress/egress.ts';
import { EgressFailure } from '../egress/failure.ts';
import { parseNetworks } from '../egress/ip-address.ts';
import {
  type ByteBudget,
  createByteBudget,
  firstBytesMax,
  openRemoteFile,
  type RemoteFile,
} from './remote-file.ts';
import { UnreachableError } from './unreachable.ts';

const mebibyte = 1024 ** 2;
const noise = randomBytes(4 * mebibyte);

type Open = (
  url: string,
  limits?: { budget?: ByteBudget; bytesMax?: number; deadlineMs?: number },
) => Promise<RemoteFile>;

async function start(t: TestContext): Promise<{ server: MediaServer; open: Open }> {
  const server = await startMediaServer();
  const egress = createEgress({ allowedNetworks: parseNetworks('127.0.0.0/8') });
  t.after(async () => {
    egress.close();
    await server.close();
  });
  const open: Open = async (url, limits = {}) => {
    const { budget = createByteBudget(16 * mebibyte), bytesMax = 16 * mebibyte } = limits;
    const { signal } = new AbortController();
    const deadlineMs = limits.deadlineMs ?? 5_000;
    const file = await openRemoteFile({ egress, url, signal, deadlineMs, budget, bytesMax });
    t.after(() => file.close());
    return file;
  };
  return { server, open };
}

/** Every known byte has the right value at the right offset. */
function assertBytes(file: RemoteFile, bytes: Uint8Array): void {
  for (const piece of file.pieces) {
    const end = piece.start + piece.bytes.length;
    assert.deepEqual(Buffer.from(piece.bytes), Buffer.from(bytes.subarray(piece.start, end)));
  }
}

const isKnown = (file: RemoteFile, at: number) =>
  file.pieces.some(({ start, bytes }) => start <= at && at < start + bytes.length);

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof UnreachableError) return error.reason;
    if (error instanceof EgressFailure) return error.code;
    throw error;
  }
};

test('with ranges fetches only the requested bytes', async (t) => {
  const { server, open } = await start(t);
  const file = await open(server.serve('a', noise));
  assert.equal(file.bytesTotal, noise.length);
  assert.equal(file.first.length, firstBytesMax);
  await file.read({ start: noise.length - 100, end: noise.length });
  assert.equal(server.sentBytes(), firstBytesMax + 100);
  await file.read({ start: 1_000_000, end: 1_000_010 });
  assert.ok(isKnown(file, 1_000_009));
  assertBytes(file, noise);
});

for (const length of [true, false]) {
  test(`without ranges, length ${length ? '' : 'un'}known: continues one response`, async (t) => {
    const { server, open } = await start(t);
    const file = await open(server.serve('a', { bytes: noise, ranges: false, length }));
    assert.equal(file.bytesTotal, length ? noise.length : null);
    await file.read({ start: 1_000_000, end: 1_500_000 });
    assert.ok(isKnown(file, 1_499_999));
    await file.readWhole();
    assert.equal(file.bytesTotal, noise.length);
    assertBytes(file, noise);
    assert.equal(server.requestCount('a'), 1);
  });
}

test('reads a file of unknown length no further than its limit', async (t) => {
  const { server, open } = await start(t);
  const url = server.serve('endless', (_request, response) => {
    response.writeHead(200);
    const push = () => {
      while (response.write(noise.subarray(0, 65_536)));
      response.once('drain', push);
    };
    push();
  });
  const budget = createByteBudget(16 * mebibyte);
  const file = await open(url, { budget, bytesMax: mebibyte });
  await file.readWhole();
  assert.equal(file.bytesTotal, null);
  assert.ok(file.first.length > mebibyte && file.first.length < mebibyte + 2 * 65_536);
});

test('never exceeds a budget, with or without ranges', async (t) => {
  const { server, open } = await start(t);
  for (const ranges of [true, false]) {
    const url = server.serve(`ranges ${ranges}`, { bytes: noise, ranges });
    const file = await open(url, { budget: createByteBudget(200_000) });
    assert.equal(await reasonOf(file.read({ start: 0, end: 1_000_000 })), 'budget');
    const known = file.pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(known <= 200_000, `${known} bytes`);
  }
  const file = await open(server.serve('enough', noise), { budget: createByteBudget(100_000) });
  await file.read({ start: 2_000_000, end: 2_000_010 });
  assert.ok(isKnown(file, 2_000_009), 'less than it would like is still what it needs');
});

type Row = readonly [what: string, reason: string, head: Readonly<Record<string, string>>];
const invalidResponses: readonly Row[] = [
  ['a range without an offset', 'inconsistent', {}],
  ['another range', 'inconsistent', { 'content-range': 'bytes 10-20/100' }],
  ['a range that ends before it starts', 'inconsistent', { 'content-range': 'bytes 0--1/100' }],
  ['a range past the end', 'inconsistent', { 'content-range': 'bytes 0-99/50' }],
  ['more than requested', 'inconsistent', { 'content-range': 'bytes 0-9999999/99999999' }],
  [
    'several ranges in one response',
    'inconsistent',
    { 'content-type': 'multipart/byteranges; boundary=x' },
  ],
  [
    'compressed bytes',
    'encoded',
    { 'content-range': 'bytes 0-99/100', 'content-encoding': 'gzip' },
  ],
];
for (const [what, reason, head] of invalidResponses) {
  test(`${what}: ${reason}`, async (t) => {
    const { server, open } = await start(t);
    const url = server.serve('a', (_request, response) => {
      response.writeHead(206, head).end(Buffer.alloc(100));
    });
    assert.equal(await reasonOf(open(url)), reason);
  });
}

const changes: readonly Row[] = [
  ['another ETag', '"one"', { etag: '"two"' }],
  ['another length', '', { total: '999' }],
];
for (const [what, etag, later] of changes) {
  test(`a file that changes while it is read (${what}) is not judged`, async (t) => {
    const { server, open } = await start(t);
    let requests = 0;
    const url = server.serve('a', (request, response) => {
      const [, start = '0', end = '0'] =
        /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      const { total = '9999999', ...headers } = requests++ === 0 ? { etag } : { etag, ...later };
      const range = { 'content-range': `bytes ${start}-${end}/${total}` };
      response.writeHead(206, { ...headers, ...range }).end(Buffer.alloc(+end - +start + 1));
    });
    const file = await open(url);
    assert.equal(await reasonOf(file.read({ start: 100_000, end: 100_100 })), 'inconsistent');
  });
}

test('does not judge a file whose server stops serving ranges', async (t) => {
  const { server, open } = await start(t);
  const file = await open(server.serve('a', noise));
  server.serve('a', { bytes: noise, ranges: false });
  assert.equal(await reasonOf(file.read({ start: 1e6, end: 1e6 + 1 })), 'inconsistent');
  server.serve('a', (_request, response) => void response.writeHead(416).end());
  assert.equal(await reasonOf(file.read({ start: 1e6, end: 1e6 + 1 })), 'status 416');
});
