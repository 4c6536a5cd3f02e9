/**
 * The resident memory of a service process while it receives large files, from the kernel's
 * accounting. Linux only.
 * Thorough: uploads of 60 to 511 MiB to processes of their own.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, describe, test } from 'node:test';
import { clientOf } from '../kit/service.ts';
import { Installation } from './installation.ts';
import { loseNone } from './upstream.ts';

const mebibyte = 1024 ** 2;

const installation = await Installation.open({ upstream: { lostPercent: loseNone } });
after(() => installation.close());

/** The start of an MP4 file, without padding in base64. */
const start = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');

type Body = { readonly type: string; readonly head: string | Buffer; readonly tail: string };
const raw: Body = { type: 'video/mp4', head: '', tail: '' };
const form: Body = {
  type: 'multipart/form-data; boundary=part',
  head: '--part\r\nContent-Disposition: form-data; name="file"; filename="v.mp4"\r\n\r\n',
  tail: '\r\n--part--\r\n',
};
const dataUri: Body = {
  type: 'application/json',
  head:
    '{"model":"vidgen-2-5","input":{"prompt":"x","generation_type":"reference-to-video",' +
    '"video_urls":["data:video/mp4;base64,',
  tail: '"]}}',
};

/** A body with `bytes` of the file, in base64 for a data URI. */
async function* bodyOf({ type, head, tail }: Body, bytes: number): AsyncGenerator<Buffer> {
  if (head !== '') yield typeof head === 'string' ? Buffer.from(head) : head;
  const first = type === 'application/json' ? Buffer.from(start.toString('base64')) : start;
  yield first;
  const piece = Buffer.alloc(60_000, 'A');
  for (let left = bytes - first.length; left > 0; left -= piece.length) {
    yield piece.subarray(0, left);
  }
  if (tail !== '') yield Buffer.from(tail);
}

/** All of it is hashed: a video that was signed here, whose data does not end. */
async function signedVideo(): Promise<Body> {
  const service = await installation.startServing();
  const { key } = await installation.account();
  const taskId = installation.clients.acknowledged.get(await installation.clients.create())!;
  const [url] = (await clientOf(service.url, key).final(taskId)).data!.results;
  const video = Buffer.from(await (await fetch(url!)).arrayBuffer());
  await service.stop();
  const ftypBytes = video.readUInt32BE();
  const signed = video.subarray(0, ftypBytes + video.readUInt32BE(ftypBytes));
  const head = Buffer.concat([signed, Buffer.from('\0\0\0\0mdat', 'latin1')]);
  return { type: 'application/octet-stream', head, tail: '' };
}

type Sent = { readonly path: string; readonly body: Body; readonly isChunked: boolean };

/** Sends the body on a new connection; returns the status. */
async function send(
  { url, key }: { readonly url: string; readonly key: string },
  { path, body, isChunked }: Sent,
  bytes: number,
): Promise<number | undefined> {
  const length = Buffer.byteLength(body.head) + Buffer.byteLength(body.tail) + bytes;
  const sent = request(`${url}${path}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': body.type,
      ...(isChunked ? {} : { 'content-length': length }),
    },
  });
  const responded = once(sent, 'response');
  await pipeline(bodyOf(body, bytes), sent);
  const [response] = (await responded) as [IncomingMessage];
  await json(response);
  return response.statusCode;
}

function memoryOf(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

/** The seconds of processor that a process has taken, if the kernel counts in hundredths. */
const processorSeconds = (pid: number): number =>
  readFileSync(`/proc/${pid}/stat`, 'latin1')
    .split(') ')[1]!
    .split(' ')
    .slice(11, 13)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0);

/** How far the peak while a new process receives the file is above its memory before, in MiB. */
async function growthDuring(sent: Sent, bytes: number) {
  const service = await installation.startServing({ role: 'api' });
  try {
    const { url, pid } = service;
    const { key } = await installation.account();
    // The code is loaded and compiled before it is measured.
    assert.equal(await send({ url, key }, sent, mebibyte), 200);
    // Sets the peak to the present value (proc(5), clear_refs).
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const before = { mebibytes: memoryOf(pid, 'VmRSS'), seconds: processorSeconds(pid) };
    assert.equal(await send({ url, key }, sent, bytes), 200);
    const seconds = processorSeconds(pid) - before.seconds;
    return { mebibytes: memoryOf(pid, 'VmHWM') - before.mebibytes, seconds };
  } finally {
    await service.stop();
  }
}

const skip = process.platform === 'linux' ? false : 'Linux only';
const estimate = '/v1/videos/generations/estimate';

describe('a process grows by a fixed number of MiB when it receives', { skip }, async () => {
  const verified = { path: '/verify', body: await signedVideo(), isChunked: false };
  for (const [what, sent, mebibytes, growthMax] of [
    ['a file of 200 MiB', { path: '/v1/files', body: raw, isChunked: false }, 200, 50],
    ['a file of 200 MiB in chunks', { path: '/v1/files', body: raw, isChunked: true }, 200, 50],
    ['a form with a file of 200 MiB', { path: '/v1/files', body: form, isChunked: false }, 200, 50],
    ['a data URI of 60 MiB', { path: estimate, body: dataUri, isChunked: false }, 60, 50],
    ['a file of 511 MiB to verify', verified, 511, 20],
  ] as const) {
    test(what, async (t) => {
      const growth = await growthDuring(sent, mebibytes * mebibyte);
      t.diagnostic(
        `${growth.mebibytes.toFixed(1)} MiB, ${growth.seconds.toFixed(2)} s of processor`,
      );
      assert(growth.mebibytes < growthMax, `${growth.mebibytes} MiB`);
    });
  }
});
