import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { startDnsServer } from '../../proof/kit/dns-server.ts';
import { listen } from '../../proof/kit/fake-network.ts';
import { noHurry, startMaterialsFixture } from '../../proof/kit/materials-fixture.ts';
import { makeMedia } from '../../proof/kit/media-files.ts';
import { pluck } from '../../proof/kit/pluck.ts';
import { resultFramePath } from '../../proof/kit/result-server.ts';
import { generationOf } from '../../proof/kit/seed.ts';
import { readConfig } from '../config/config.ts';
import type { Egress } from '../egress/egress.ts';
import { processTree } from '../process/process-tree.ts';
import { createLog } from '../telemetry/log.ts';
import { createMaterials } from './materials.ts';

const imageFile = await readFile(resultFramePath);
const videoFile = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 3 });

const text = Buffer.from('no such file');
const closedPort = 'http://127.0.0.1:1/image.png';

async function startUnresponsiveHost(t: TestContext) {
  const { port, arrivals, close } = await listen(() => {});
  t.after(close);
  return { url: `http://127.0.0.1:${port}/image.png`, connections: () => arrivals.length };
}

describe('an unreachable material breaks no rule', () => {
  test('lenient leaves it to the provider, strict rejects it', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, noHurry);
    const report = await probe({ images: [closedPort, server.serve('text', text)] });
    const images = 'use JPEG, PNG, WebP, GIF, BMP, HEIC, AVIF, TIFF or JPEG XL';
    assert.deepEqual(report, {
      videos: [],
      audios: [],
      measuredVideos: [],
      problems: `input.image_urls[1] is not an image we can read: it is text; ${images}`,
      unreachable:
        'input.image_urls[0] could not be checked: its host does not respond; ' +
        'it must be publicly reachable',
      isBusy: false,
    });
    const strict = await startMaterialsFixture(t, { ...noHurry, unreachablePolicy: 'strict' });
    const { problems } = await strict.probe({ images: [closedPort] });
    assert.equal(problems, report.unreachable);
  });

  test('each for its own reason', async (t) => {
    const dns = await startDnsServer({});
    t.after(dns.close);
    const network = { resolverServers: [dns.address] };
    const { server, probe } = await startMaterialsFixture(t, { ...noHurry, network });
    const encoded = { bytes: imageFile, headers: { 'content-encoding': 'gzip' } };
    const broken = server.serve('broken', (request) => void request.socket.destroy());
    const forbidden = server.serve('403', (_, response) => void response.writeHead(403).end());
    const { problems, unreachable } = await probe({
      images: [
        'http://nowhere.example.com/image.png',
        `${server.origin.replace('http', 'https')}/image.png`,
        server.serve('to /again', (_, response) => {
          response.writeHead(302, { location: '/to%20/again' }).end();
        }),
        server.serve('to metadata', (_, response) => {
          response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
        }),
        server.serve('encoded', encoded),
        broken,
        forbidden,
      ],
    });
    assert.equal(problems, '');
    assert.deepEqual(
      unreachable.split(/; (?=input)/).map((message) => message.split(/: |; /)[1]),
      [
        'its host name does not resolve',
        'its host has no valid certificate',
        'it redirects more than 3 times',
        'it leads to an address that is not public',
        'its host sends it compressed',
        'its host ended the connection early',
        'its host responds with status 403',
      ],
    );
  });
});

describe('probing is bounded', () => {
  test('in time: a slow host neither delays the others nor is waited for', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, {
      ...noHurry,
      probeTimeoutMs: 10_000,
    });
    const drip = server.serve('drip', (_request, response) => {
      response.writeHead(200, { 'content-length': imageFile.length });
      const timer = setInterval(() => response.write(Buffer.from([0xff])), 20);
      response.once('close', () => clearInterval(timer));
    });
    const unresponsive = await startUnresponsiveHost(t);
    const report = await probe({
      images: [drip, unresponsive.url],
      videos: [server.serve('video', videoFile)],
    });
    assert.deepEqual(report.videos, [3]);
    assert.equal(report.problems, '');
    assert.match(report.unreachable, /image_urls\[0\] .* in time.*image_urls\[1\] .* in time/);
  });

  test('in creates: a third create of an account waits for its turn', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, noHurry);
    const responses: (() => void)[] = [];
    const heldUrl = (name: string) =>
      server.serve(name, (_request, response) => {
        responses.push(() => response.end(imageFile));
      });
    const names = ['first', 'second', 'third'];
    const probes = names.map((name) => probe({ images: [heldUrl(name)] }));
    const other = probe({ images: [server.serve('other', imageFile)] }, 'another account');
    assert.equal((await other).unreachable, '');
    while (responses.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(server.requestCount('third'), 0);
    responses.shift()?.();
    await Promise.race(probes);
    while (responses.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const respond of responses) respond();
    assert.deepEqual(pluck(await Promise.all(probes), 'unreachable'), ['', '', '']);
  });

  test('in creates: one that gets no turn is busy, and no problem even if strict', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, {
      probeTimeoutMs: 2_000,
      turnTimeoutMs: 50,
      unreachablePolicy: 'strict',
    });
    const unresponsive = await startUnresponsiveHost(t);
    const busy = [1, 2].map((place) => probe({ images: [`${unresponsive.url}?${place}`] }));
    const { problems, isBusy } = await probe({ images: [server.serve('third', imageFile)] });
    assert.deepEqual([problems, isBusy], ['', true]);
    assert.equal(server.requestCount('third'), 0);
    await Promise.all(busy);
  });

  test('in sockets: a create that gets no socket is busy, and no problem', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, {
      probeTimeoutMs: 100,
      unreachablePolicy: 'strict',
      network: { connectionsPerHostMax: 0 },
    });
    const { problems, isBusy } = await probe({ images: [server.serve('own', imageFile)] });
    assert.deepEqual([problems, isBusy], ['', true]);
  });

  test('in sockets: a host that responds to none of a create is not our load', async (t) => {
    const { probe } = await startMaterialsFixture(t, { probeTimeoutMs: 200 });
    const unresponsive = await startUnresponsiveHost(t);
    const images = Array.from({ length: 6 }, (_, index) => `${unresponsive.url}?${index}`);
    const { isBusy, unreachable } = await probe({ images });
    assert.equal(isBusy, false);
    assert.match(unreachable, /image_urls\[5\] could not be checked/);
  });

  test('in measurements: what a stalled process did not measure is busy', async (t) => {
    if (process.platform !== 'linux') return;
    const { server, probe } = await startMaterialsFixture(t, {
      ...noHurry,
      // The stalled process is given up after this.
      measureMsMax: 4_000,
      unreachablePolicy: 'strict',
    });
    await probe({ videos: [server.serve('first', videoFile)] });
    const workers = processTree(process.pid).filter((pid) => processTree(pid).length === 1);
    for (const worker of workers) process.kill(worker, 'SIGSTOP');
    const second = server.serve('second', videoFile);
    const { videos, problems, isBusy } = await probe({ videos: [second] });
    assert.deepEqual([videos, problems, isBusy], [[null], '', true]);
    const again = await probe({ videos: [second] });
    assert.deepEqual([again.videos, again.isBusy], [[3], false], 'and it is not remembered');
  });

  test('in requests: an account does not contact an unresponsive host again', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, { probeTimeoutMs: 1_500 });
    const unresponsive = await startUnresponsiveHost(t);
    await probe({ images: [unresponsive.url] });
    assert.equal(unresponsive.connections(), 1);
    const again = await probe({ images: [`${unresponsive.url}?other`] });
    assert.match(again.unreachable, /did not respond within the last minute/);
    assert.equal(unresponsive.connections(), 1);
    await probe({ images: [unresponsive.url] }, 'another account');
    assert.equal(unresponsive.connections(), 2);
    // Any response counts, whatever its status.
    for (const times of [1, 2]) {
      await probe({ images: [`${server.origin}/missing`] });
      assert.equal(server.requestCount('missing'), times);
    }
  });

  test('in chunks: those of all materials of a create count together', async (t) => {
    const { probe } = await startMaterialsFixture(t, noHurry);
    const chunkOf = (bytes: Uint8Array) =>
      `${bytes.length.toString(16)}\r\n${Buffer.from(bytes).toString('latin1')}\r\n`;
    const small = Array.from(imageFile.subarray(0, 200), (byte) => chunkOf(Uint8Array.of(byte)));
    const body = `${small.join('')}${chunkOf(imageFile.subarray(200))}0\r\n\r\n`;
    const { port, close } = await listen((socket) => {
      const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
      socket.once('data', () => socket.end(`${head}${body}`, 'latin1'));
    });
    t.after(close);
    const urls = Array.from({ length: 9 }, (_, at) => `http://127.0.0.1:${port}/${at}`);
    assert.equal((await probe({ images: urls.slice(0, 1) })).unreachable, '');
    assert.notEqual((await probe({ images: urls.slice(1) })).unreachable, '');
  });

  test('in bytes: what other creates kept from being measured is busy, and no price', async (t) => {
    // The header is in the first read; the samples need more than is left.
    const { server, probe } = await startMaterialsFixture(t, {
      ...noHurry,
      processBytesMax: 90_000,
    });
    const options = { cluster_time_limit: 200, reserve_index_space: 20_000 };
    const bytes = await makeMedia({
      format: 'matroska',
      video: 'mpeg4',
      audio: 'pcm_s16le',
      seconds: 4,
      options,
    });
    const url = server.serve('long', bytes);
    const { videos, isBusy } = await probe({ videos: [url] });
    assert.deepEqual([videos, isBusy], [[null], true]);
  });

  test('in bytes: one create reads at most 32 MB', async () => {
    let read = 0;
    const endless = async function* () {
      // Starts like a video, so that the probe reads on.
      yield videoFile.subarray(0, 64);
      for (;;) {
        read += 65_536;
        yield Buffer.alloc(65_536);
      }
    };
    const egress = {
      get: async ({ url }: { url: string }) => ({
        outcome: 'response',
        status: 200,
        headers: {},
        stream: endless(),
        discard: () => {},
        url,
      }),
    } as unknown as Egress;
    const sizes = readConfig({}).materialBytesMax;
    const materials = createMaterials({ egress, sizes, log: createLog('silent'), ...noHurry });
    const videoUrls = Array.from({ length: 10 }, (_, index) => `http://a.example/${index}`);
    const generation = generationOf({ videoUrls });
    const { unreachable } = await materials.probe({ accountId: 'account', generation });
    materials.close();
    assert.equal(unreachable.length, 10);
    assert.match(unreachable[0]!.message, /its index is too far into the file/);
    assert.ok(read > 16e6 && read <= 32e6, `${read} bytes`);
  });
});

describe('a recent verdict', () => {
  test('is reused without a request if the material was valid', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, noHurry);
    const urls = {
      images: [server.serve('image', imageFile)],
      videos: [server.serve('video', videoFile)],
    };
    const first = await probe(urls);
    const requestCounts = () => [server.requestCount('image'), server.requestCount('video')];
    const before = requestCounts();
    assert.deepEqual(await probe(urls, 'another account'), first);
    assert.deepEqual(requestCounts(), before);
    const asVideo = await probe({ videos: urls.images });
    assert.match(asVideo.problems, /it is a JPEG image/, 'but another kind is another question');
  });

  test('is checked again if it was invalid, and replaced once the file has changed', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, noHurry);
    const served = (bytes: Uint8Array, etag: string) =>
      server.serve('image', { bytes, headers: { etag } });
    const images = [served(text, '"1"')];
    assert.match((await probe({ images })).problems, /it is text/);
    assert.match((await probe({ images })).problems, /it is text/);
    assert.equal(server.requestCount('image'), 2);
    served(imageFile, '"2"');
    assert.equal((await probe({ images })).problems, '');
  });

  test('serves a material that one request lists several times', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, noHurry);
    const url = server.serve('text', text);
    const { problems } = await probe({ images: [url, url, url] });
    assert.equal(problems.match(/it is text/g)?.length, 3);
    assert.equal(server.requestCount('text'), 1);
  });
});

test('closing ends probes in progress as unreachable', async (t) => {
  const unresponsive = await startUnresponsiveHost(t);
  const { probe, close } = await startMaterialsFixture(t);
  const probing = probe({ images: [unresponsive.url] });
  close();
  const { unreachable, isBusy } = await probing;
  assert.match(unreachable, /the service is stopping; try again$/);
  assert.equal(isBusy, true);
});
