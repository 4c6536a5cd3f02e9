/**
 * Hostile uploads to every endpoint that takes files: cut, with wrong lengths, and slow. Each is
 * refused or cut, and none leaves a file, a slot or memory behind. 1,000 uploads.
 * Thorough: cut and slow connections take a minute.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { openSocket } from '../../kit/raw-http.ts';
import { resultFramePath } from '../../kit/result-server.ts';
import { useService } from '../../kit/service.ts';
import { type HostileUpload, hostileUpload } from './hostile-upload.ts';

const uploads = 1000;
const workers = 8;
/** Left by what is loaded and compiled during the run, far less than the uploads together. */
const heapGrowthMax = 24 * 1024 ** 2;

const image = await readFile(resultFramePath);
const service = await useService({
  environment: {
    VIDGEN_ROLE: 'api',
    VIDGEN_RATE_STATUS: '0',
    VIDGEN_RATE_CREATE: '0',
    VIDGEN_IMAGE_MEGABYTES: '1',
    VIDGEN_VIDEO_MEGABYTES: '1',
    VIDGEN_AUDIO_MEGABYTES: '1',
  },
});
const accounts = await Promise.all(Array.from({ length: 4 }, () => service.account({ live: 100 })));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function filesLeft(): Promise<string[]> {
  const { storage, settings } = service.parts.lifecycle;
  const keys: string[] = [];
  for await (const { key } of storage.list('')) keys.push(key);
  return [...keys, ...(await readdir(settings.tempFolder).catch(() => []))];
}

async function memoryUsed(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await wait(50);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Sends the pieces, and returns the status, or null if the connection ended without one. */
async function send({ pieces, ending }: HostileUpload, key: string): Promise<number | null> {
  const socket = await openSocket(service.url);
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  const isAnswered = () => received.includes('\r\n\r\n');
  for (const piece of pieces(key)) {
    if (socket.destroyed || isAnswered()) break;
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), ended(socket)]);
    await new Promise((done) => setImmediate(done));
  }
  if (ending === 'cut') socket.destroy();
  else socket.end();
  while (!socket.destroyed && !isAnswered()) {
    await Promise.race([once(socket, 'data'), ended(socket)]);
  }
  socket.destroy();
  return isAnswered() ? Number(received.split(' ')[1]) : null;
}

const ended = async (socket: Socket): Promise<void> => {
  if (!socket.destroyed) await once(socket, 'close');
};

test(`${uploads} hostile uploads leave no file and no memory behind`, async (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 30);
  t.diagnostic(`SEED=${seed}`);
  const all = fc.sample(hostileUpload(image), { seed, numRuns: uploads });
  const run = async (list: readonly HostileUpload[]) => {
    const queue = list.entries();
    const work = async () => {
      for (const [at, upload] of queue) {
        const status = await send(upload, accounts[at % accounts.length]!.key);
        assert(status === 400 || status === null, `${upload.what}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    // A cut upload is cleaned up after its connection has gone.
    while ((await filesLeft()).length > 0) await wait(10);
  };
  await run(all.slice(0, uploads / 4));
  const before = await memoryUsed();
  await run(all.slice(uploads / 4));
  const growth = (await memoryUsed()) - before;
  t.diagnostic(`memory: ${(growth / 1024 ** 2).toFixed(1)} MiB`);
  assert(growth < heapGrowthMax, `${growth} bytes`);
  // Every slot is free again: more files than there are slots are received.
  for (const { key } of accounts) {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () =>
        fetch(`${service.url}/v1/files`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: image,
        }),
      ),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      Array(6).fill(200),
    );
  }
  await service.assertInvariants();
});
