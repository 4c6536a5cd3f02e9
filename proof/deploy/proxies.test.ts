/**
 * Behind the example configurations of Caddy and nginx, and HAProxy as it is: uploads and downloads
 * are streamed, a client that leaves is noticed, ranges and long polls work, every intended create
 * is a task, and processes can be replaced.
 *
 * Thorough: downloads the proxies where they are not installed.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { modelNames } from '@vidgen/contract/models.ts';
import { Installation } from '../faults/installation.ts';
import { reservePort } from '../faults/service-process.ts';
import { connectBox } from '../kit/gpu-box.ts';
import { createTask, startJourney, textToVideo } from '../kit/journey.ts';
import { startLocalServer } from '../kit/local-server.ts';
import { FakeOpenAiVideos } from '../kit/openai-videos/fake.ts';
import { clientOf, startService } from '../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { findProgram } from './debian-program.ts';
import { type StartedProxy, startCaddy, startHaproxy, startNginx } from './proxy.ts';

const proxies = [
  { name: 'caddy', package: 'caddy', path: 'usr/bin/caddy', start: startCaddy },
  { name: 'nginx', package: 'nginx', path: 'usr/sbin/nginx', start: startNginx },
  {
    name: 'haproxy',
    package: 'haproxy',
    path: 'usr/sbin/haproxy',
    start: startHaproxy,
    libraries: ['liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'],
  },
] as const;

/** The proxy sends requests to this process. */
async function hasAccepted(url: string): Promise<boolean> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return metrics.includes(`route="/v1/videos/generations",status="200"`);
}

for (const { start, ...named } of proxies) {
  describe(named.name, async () => {
    const folder = makeTemporaryFolder(`proxy-${named.name}`);
    const stops: (() => unknown)[] = [() => deleteFolder(folder)];
    after(async () => {
      for (const stop of stops.reverse()) await stop();
    });
    const program = findProgram({ ...named, folder });
    const skip = program === null && `${named.name} is neither installed nor in an archive`;

    const startFor = async (...origins: string[]): Promise<StartedProxy> => {
      const ports = origins.map((origin) => Number(new URL(origin).port));
      const proxy = await start({ program: program!, ports, folder });
      stops.push(proxy.stop);
      while ((await fetch(`${proxy.url}/readyz`).catch(() => null))?.status !== 200) {
        assert.ok(!proxy.hasEnded(), `${named.name} did not start`);
        await pause(50);
      }
      return proxy;
    };

    const skipLeave = skip || (named.name === 'haproxy' && 'by default it says so a minute later');
    const leave = { skip: skipLeave };
    test('passes on bodies as they arrive, and that a client has gone', leave, async () => {
      const exchanges: { request: IncomingMessage; response: ServerResponse }[] = [];
      const upstream = await startLocalServer((incoming, response) => {
        if (incoming.url === '/readyz') return void response.end('{}');
        exchanges.push({ request: incoming, response });
      });
      stops.push(upstream.close);
      const { url } = await startFor(upstream.origin);
      const headers = { range: 'bytes=0-1', 'x-forwarded-for': '203.0.113.9' };
      const sent = request(`${url}/v1/files`, { method: 'POST', headers });
      sent.on('error', () => {});
      // The second half is sent only when the first has arrived: a proxy that waits for it hangs.
      sent.write('first');
      while (exchanges.length === 0) await pause(10);
      const [{ request: received, response }] = exchanges as [(typeof exchanges)[0]];
      const [first] = (await once(received, 'data')) as [Buffer];
      assert.equal(String(first), 'first');
      assert.equal(received.headers.range, 'bytes=0-1');
      // The proxy says who the client is, and not the client.
      assert.equal(received.headers['x-forwarded-for'], '127.0.0.1');
      sent.end('second');
      response.writeHead(200, { 'content-type': 'video/mp4' }).write('part');
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
      const [part] = (await once(answer, 'data')) as [Buffer];
      assert.equal(String(part), 'part');
      const gone = once(response, 'close');
      answer.on('error', () => {}).destroy();
      await gone;
    });

    const skipRetry = skip || (named.name !== 'nginx' && 'only the example of nginx does');
    test('sends a body to another process if one is not there', { skip: skipRetry }, async () => {
      const upstream = await startLocalServer((incoming, response) => {
        incoming.pipe(response);
      });
      stops.push(upstream.close);
      const closed = `http://127.0.0.1:${await reservePort()}`;
      const { url } = await startFor(closed, upstream.origin);
      for (let at = 0; at < 10; at++) {
        const response = await fetch(`${url}/v1/files`, { method: 'POST', body: `body ${at}` });
        assert.deepEqual([response.status, await response.text()], [200, `body ${at}`]);
      }
    });

    const skipDrain = skip || (named.name !== 'caddy' && 'only the example of Caddy polls /readyz');
    const drain = { skip: skipDrain };
    test('loses no create while processes are replaced one by one', drain, async () => {
      const environment = { VIDGEN_DRAIN_SECONDS: '8' };
      const installation = await Installation.open({ environment });
      stops.push(() => installation[Symbol.asyncDispose]());
      const ports = [installation.port, await reservePort()];
      const startAt = (port: number) => installation.startServing({ role: 'api', port });
      const running = [await startAt(ports[0]!), await startAt(ports[1]!)];
      const { key } = await installation.account();
      const { url } = await startFor(...running.map((process) => process.url));
      const client = clientOf(url, key);
      const statuses = new Map<number, number>();
      let isReplaced = false;
      const creating = async () => {
        while (!isReplaced) {
          const { status } = await client.create(textToVideo);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      const clients = Array.from({ length: 4 }, creating);
      for (const [at, port] of ports.entries()) {
        assert.equal((await running[at]!.stop()).code, 0);
        running[at] = await startAt(port);
        while (!(await hasAccepted(running[at]!.url))) await pause(50);
      }
      isReplaced = true;
      await Promise.all(clients);
      assert.deepEqual([...statuses.keys()], [200]);
    });

    test('carries the connections of a GPU box', { skip }, async () => {
      const fake = await FakeOpenAiVideos.start({ dialect: 'vllm', automatic: true });
      const provider = { kind: 'openai-videos', dialect: 'vllm', baseUrl: 'tunnel://den' } as const;
      const service = await startService({
        file: {
          providers: {
            den: { ...provider, usualSeconds: 1, models: { 'vidgen-2-0-mini': 'wan' } },
          },
          // Caddy asks whether every model has a provider.
          routes: {
            ...Object.fromEntries(modelNames.map((model) => [model, ['preview']])),
            'vidgen-2-0-mini': ['den'],
          },
        },
      });
      stops.push(fake.close.bind(fake), service.close);
      const { url } = await startFor(service.url);
      const box = { name: 'den', kind: 'openai-videos', engineUrl: fake.origin, url } as const;
      const { tunnel } = await connectBox(service, box);
      stops.push(() => tunnel.end());
      const task = await createTask(service);
      assert.equal((await task.final()).status, 'completed');
    });

    test('serves a whole task: create, long poll, ranges of the video', { skip }, async () => {
      const journey = await startJourney({
        environment: { VIDGEN_TRUSTED_PROXIES: '127.0.0.0/8' },
      });
      stops.push(journey.close);
      const { url } = await startFor(journey.service.url);
      const { key } = await journey.service.account({ live: 100 });
      const client = clientOf(url, key);
      const { status, body } = await client.create(textToVideo);
      assert.equal(status, 200, JSON.stringify(body));
      // Each over a connection of its own, which the proxy may reset once it has the response.
      for (let sent = 0; sent < 10; sent++) {
        const repeated = await client.create(textToVideo, { connection: 'close' });
        assert.equal(repeated.headers.get('vidgen-adopted'), null);
      }
      assert.equal(((await client.get('/v1/tasks')).body.items as unknown[]).length, 11);
      const task = await client.final(body.taskId as string);
      const stored = /"(http[^"]+video\.mp4[^"]*)"/.exec(JSON.stringify(task))?.[1];
      assert.ok(stored, JSON.stringify(task));
      const video = await fetch(stored.replace(journey.service.url, url), {
        headers: { range: 'bytes=4-7' },
      });
      assert.equal(video.status, 206);
      assert.equal(await video.text(), 'ftyp');
    });
  });
}
