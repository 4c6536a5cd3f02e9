/** What strangers may make the service hold in memory. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readBody, strangerLimits } from './request-body.ts';

/** A request whose body has arrived in part. */
const requestWith = (...chunks: readonly Buffer[]) => {
  const stream = Object.assign(new PassThrough({ highWaterMark: 2 ** 30 }), { headers: {} });
  for (const chunk of chunks) stream.write(chunk);
  return stream as unknown as PassThrough & IncomingMessage;
};

test('a body is limited by who sends it', async () => {
  const large = Buffer.alloc(strangerLimits.json + 1);
  const limits = { isStranger: true, bytesMax: strangerLimits.json };
  await assert.rejects(readBody(requestWith(large), limits), /at most 16 KiB/);
  const request = requestWith(large);
  request.end();
  assert.equal((await readBody(request)).length, large.length);
});

test('bodies that strangers hold back are limited together, and released', async () => {
  const limits = { isStranger: true, bytesMax: strangerLimits.callback };
  const mebibyte = Buffer.alloc(1024 ** 2);
  const held = Array.from({ length: strangerLimits.all / mebibyte.length }, () => {
    const request = requestWith(mebibyte);
    return { request, body: readBody(request, limits) };
  });
  await new Promise(setImmediate);
  await assert.rejects(readBody(requestWith(mebibyte), limits), { code: 'rate_limited' });
  for (const { request } of held) request.end();
  await Promise.all(held.map(({ body }) => body));
  const next = requestWith(mebibyte);
  next.end();
  assert.equal((await readBody(next, limits)).length, mebibyte.length);
});
