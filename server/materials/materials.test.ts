import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { before, describe, type TestContext, test } from 'node:test';
import { startDnsServer } from '../../proof/kit/dns-server.ts';
import { startMaterialsBench } from '../../proof/kit/materials-bench.ts';
import { makeMedia } from '../../proof/kit/media-files.ts';
import { resultFramePath } from '../../proof/kit/result-server.ts';
import { generationOf } from '../../proof/kit/seed.ts';
import { readConfig } from '../config.ts';
import type { Egress } from '../egress/egress.ts';
import { createLog } from '../log.ts';
import { createMaterials } from './materials.ts';

let picture: Buffer;
let film: Buffer;
before(async () => {
  picture = await readFile(resultFramePath);
  film = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 3 });
});

const text = Buffer.from('no such file');
const closedPort = 'http://127.0.0.1:1/picture.png';

/** Takes connections and says nothing. */
async function startSilentHost(t: TestContext) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    t.after(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/picture.png`, connections: () => connections };
}

describe('what was not reached breaks no rule', () => {
  test('lenient leaves it to the provider, and still refuses what is proven', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    const told = await look({ images: [closedPort, server.serve('text', text)] });
    const images = 'use JPEG, PNG, WebP, GIF or BMP';
    assert.deepEqual(told, {
      videos: [],
      audios: [],
      problems: `input.image_urls[1] is not an image we can read: it is text; ${images}`,
      notReached:
        'input.image_urls[0] could not be looked at: its host does not answer; ' +
        'it must be publicly reachable',
    });
  });

  test('strict refuses it, each by name and in the order of the request', async (t) => {
    const { server, look } = await startMaterialsBench(t, { mode: 'strict' });
    const { problems } = await look({
      images: [closedPort, server.serve('text', text)],
      videos: [server.serve('film', film), `${server.origin}/missing`],
    });
    assert.deepEqual(
      problems.split(/; (?=input)/).map((sentence) => sentence.split(';')[0]),
      [
        'input.image_urls[0] could not be looked at: its host does not answer',
        'input.image_urls[1] is not an image we can read: it is text',
        'input.video_urls[1] could not be looked at: its host answers with status 404',
      ],
    );
  });

  test('each for its own reason', async (t) => {
    const dns = await startDnsServer({});
    t.after(dns.close);
    const network = { resolverServers: [dns.address] };
    const { server, look } = await startMaterialsBench(t, { network });
    const redirect = (location: string) =>
      server.serve(`to ${location}`, (_request, response) => {
        response.writeHead(302, { location }).end();
      });
    const encoded = { bytes: picture, headers: { 'content-encoding': 'gzip' } };
    const broken = server.serve('broken', (request) => void request.socket.destroy());
    const forbidden = server.serve('403', (_, response) => void response.writeHead(403).end());
    const { problems, notReached } = await look({
      images: [
        'http://nowhere.example.com/picture.png',
        `${server.origin.replace('http', 'https')}/picture.png`,
        redirect('/to%20/again'),
        server.serve('to /again', (_, response) => {
          response.writeHead(302, { location: '/to%20/again' }).end();
        }),
        redirect('http://169.254.169.254/latest/meta-data'),
        server.serve('encoded', encoded),
        broken,
        forbidden,
      ],
    });
    assert.equal(problems, '');
    assert.deepEqual(
      notReached.split(/; (?=input)/).map((sentence) => sentence.split(/: |; /)[1]),
      [
        'its host name has no address',
        'its host has no valid certificate',
        'it redirects more than 3 times',
        'it redirects more than 3 times',
        'it leads to an address that is not public',
        'its host sends it compressed',
        'its host ended the connection early',
        'its host answers with status 403',
      ],
    );
  });
});

describe('looking is bounded', () => {
  test('in time: one slow host does not hold up the rest, and is not waited for', async (t) => {
    const { server, look } = await startMaterialsBench(t, { lookMs: 1_500 });
    const drip = server.serve('drip', (_request, response) => {
      response.writeHead(200, { 'content-length': picture.length });
      const timer = setInterval(() => response.write(Buffer.from([0xff])), 20);
      response.once('close', () => clearInterval(timer));
    });
    const silent = await startSilentHost(t);
    const told = await look({
      images: [drip, silent.url],
      videos: [server.serve('film', film)],
    });
    assert.deepEqual(told.videos, [3]);
    assert.equal(told.problems, '');
    assert.match(told.notReached, /image_urls\[0\] .* in time.*image_urls\[1\] .* in time/);
  });

  test('in creates: a third of an account waits for its turn', async (t) => {
    const { server, look } = await startMaterialsBench(t, { lookMs: 3_000 });
    const answers: (() => void)[] = [];
    const held = (name: string) =>
      server.serve(name, (_request, response) => {
        answers.push(() => response.end(picture));
      });
    const names = ['first', 'second', 'third'];
    const looks = names.map((name) => look({ images: [held(name)] }));
    const other = look({ images: [server.serve('other', picture)] }, 'another account');
    assert.equal((await other).notReached, '');
    while (answers.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(server.asked('third'), 0);
    answers.shift()?.();
    await Promise.race(looks);
    while (answers.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const answer of answers) answer();
    assert.deepEqual(
      (await Promise.all(looks)).map(({ notReached }) => notReached),
      ['', '', ''],
    );
  });

  test('in creates: whose turn does not come is not reached', async (t) => {
    const { server, look } = await startMaterialsBench(t, { lookMs: 200 });
    const silent = await startSilentHost(t);
    const busy = [1, 2].map((place) => look({ images: [`${silent.url}?${place}`] }));
    const { notReached } = await look({ images: [server.serve('third', picture)] });
    await Promise.all(busy);
    assert.match(notReached, /two other requests of this account were being looked at; try again$/);
    assert.equal(server.asked('third'), 0);
  });

  test('in sockets: 50 materials of one host are looked at, 4 at a time', async (t) => {
    const { server, look } = await startMaterialsBench(t, { lookMs: 30_000 });
    const many = (count: number, name: string, bytes: Uint8Array) =>
      Array.from({ length: count }, (_, index) => server.serve(`${name} ${index}`, bytes));
    const told = await look({
      images: many(30, 'picture', picture),
      videos: many(10, 'film', film),
      audios: many(10, 'film', film),
    });
    assert.equal(told.notReached, '');
    assert.deepEqual(told.videos, Array(10).fill(3));
    assert.equal(told.problems.match(/without sound/g)?.length, 10);
    assert.ok(server.busiest() <= 4, `${server.busiest()} at once`);
  });

  test('in knocks: a host that did not answer is left alone by the account', async (t) => {
    const { server, look } = await startMaterialsBench(t, { lookMs: 200 });
    const silent = await startSilentHost(t);
    await look({ images: [silent.url] });
    assert.equal(silent.connections(), 1);
    const again = await look({ images: [`${silent.url}?other`] });
    assert.match(again.notReached, /did not answer within the last minute/);
    assert.equal(silent.connections(), 1);
    await look({ images: [silent.url] }, 'another account');
    assert.equal(silent.connections(), 2);
    // An answer is an answer, whatever it says.
    for (const times of [1, 2]) {
      await look({ images: [`${server.origin}/missing`] });
      assert.equal(server.asked('missing'), times);
    }
  });

  test('in bytes: one create reads at most 32 MB', async () => {
    let read = 0;
    const endless = async function* () {
      // Begins as a film does, so that there is a reason to read on.
      yield film.subarray(0, 64);
      for (;;) {
        read += 65_536;
        yield Buffer.alloc(65_536);
      }
    };
    const egress = {
      get: async ({ url }: { url: string }) => ({
        outcome: 'answered',
        status: 200,
        headers: {},
        stream: endless(),
        discard: () => {},
        url,
      }),
    } as unknown as Egress;
    const sizes = readConfig({}).materialBytesMax;
    const materials = createMaterials({ egress, sizes, log: createLog('silent') });
    const videoUrls = Array.from({ length: 10 }, (_, index) => `http://a.example/${index}`);
    const generation = generationOf({ videoUrls });
    const { notReached } = await materials.look({ accountId: 'account', generation });
    materials.close();
    assert.equal(notReached.length, 10);
    assert.match(notReached[0]!.words, /telling its length takes too much reading/);
    assert.ok(read > 16e6 && read <= 32e6, `${read} bytes`);
  });
});

describe('what was seen lately', () => {
  test('is not fetched again while it was in order', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    const urls = {
      images: [server.serve('picture', picture)],
      videos: [server.serve('film', film)],
    };
    const first = await look(urls);
    const asked = () => [server.asked('picture'), server.asked('film')];
    const before = asked();
    assert.deepEqual(await look(urls, 'another account'), first);
    assert.deepEqual(asked(), before);
    const asVideo = await look({ videos: urls.images });
    assert.match(asVideo.problems, /it is a JPEG image/, 'but another kind is another question');
  });

  test('is asked for again when it was wrong, and judged anew once it has changed', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    const served = (bytes: Uint8Array, etag: string) =>
      server.serve('picture', { bytes, headers: { etag } });
    const images = [served(text, '"1"')];
    assert.match((await look({ images })).problems, /it is text/);
    assert.match((await look({ images })).problems, /it is text/);
    assert.equal(server.asked('picture'), 2);
    served(picture, '"2"');
    assert.equal((await look({ images })).problems, '');
  });

  test('in one request is looked at once however often it is listed', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    const url = server.serve('text', text);
    const { problems } = await look({ images: [url, url, url] });
    assert.equal(problems.match(/it is text/g)?.length, 3);
    assert.equal(server.asked('text'), 1);
  });
});

test('nothing to look at is looked at at once', async (t) => {
  const { look } = await startMaterialsBench(t);
  assert.deepEqual(await look({}), { videos: [], audios: [], problems: '', notReached: '' });
});

test('a closing room ends what is under way as not reached', async (t) => {
  const silent = await startSilentHost(t);
  const { look, close } = await startMaterialsBench(t);
  const looking = look({ images: [silent.url] });
  close();
  assert.match((await looking).notReached, /the service is stopping; try again$/);
});
