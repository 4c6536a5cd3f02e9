/**
 * Several processes on one port: all of them serve, and one that ends is replaced.
 * Thorough: starts five services.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { reservePort, ServiceProcess } from '../../proof/faults/service-process.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';

const home = makeTemporaryFolder('process-group');
const logFile = join(home, 'log');
const started: ServiceProcess[] = [];
after(async () => {
  for (const service of started) await service[Symbol.asyncDispose]();
});

/** Starts two API processes with a database of their own, and returns when all of them serve. */
async function startGroup(role: 'all' | 'api'): Promise<ServiceProcess> {
  const before = servingPids().length;
  const service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: join(home, 'home'),
      VIDGEN_PROCESSES: '2',
      VIDGEN_ROLE: role,
      VIDGEN_SELF_TEST: 'off',
      PORT: String(await reservePort()),
    },
    logFile,
  });
  started.push(service);
  const members = role === 'all' ? 3 : 2;
  await waitUntil(() => {
    assert.ok(!service.hasExited, service.output());
    return servingPids().length === before + members;
  });
  return service;
}

/** The processes that have reported that they serve, those that ended included. */
function servingPids(role = '\\w+'): number[] {
  const line = new RegExp(`"role":"${role}","pid":(\\d+),.*"serving"`, 'g');
  const text = readLog();
  return [...text.matchAll(line)].map(([, pid]) => Number(pid));
}

function readLog(): string {
  try {
    return readFileSync(logFile, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const body = JSON.stringify({
  model: 'vidgen-2-0-mini',
  input: { prompt: 'A paper boat drifts on a quiet lake', resolution: '480p' },
});

/** A client with one connection, which ends with the process that has it. */
function connect({ url }: ServiceProcess) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const key = /API key {2,}(\S+)/.exec(readLog())![1]!;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const client = {
    connections: 0,
    isClosed: false,
    create: () =>
      new Promise<number>((resolve, reject) => {
        const sent = request(`${url}/v1/videos/generations`, { method: 'POST', agent, headers });
        sent.once('socket', (socket) => {
          if (socket.connecting) client.connections += 1;
          socket.once('close', () => {
            client.isClosed = true;
          });
        });
        sent.once('response', (response) => {
          response.resume().once('end', () => resolve(response.statusCode!));
        });
        sent.once('error', reject).end(body);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
  return client;
}

test('two processes create tasks on one port, and one that is killed is replaced', async () => {
  const service = await startGroup('api');
  using clients = new DisposableStack();
  const open = () => clients.use(connect(service));
  const first = [open(), open(), open(), open()];
  for (const client of first) assert.equal(await client.create(), 200);

  const [killed, kept] = servingPids('api') as [number, number];
  process.kill(killed, 'SIGKILL');
  await waitUntil(() => servingPids('api').length === 3);
  assert.match(readLog(), new RegExp(`"pid":${killed},.*"process ended, starting another"`));
  assert.ok(isRunning(kept));
  assert.ok(first.some(({ isClosed }) => isClosed));
  const survivors = first.filter(({ isClosed }) => !isClosed);
  assert.ok(survivors.length > 0);
  for (const client of survivors) {
    assert.equal(await client.create(), 200);
    assert.equal(client.connections, 1);
  }

  process.kill(kept, 'SIGKILL');
  await waitUntil(() => servingPids('api').length === 4);
  assert.equal(await open().create(), 200);
  assert.deepEqual(await service.stop().then(({ code }) => code), 0);
  assert.deepEqual(servingPids().filter(isRunning), []);
});

test('processes end when the one that started them is killed', async () => {
  const service = await startGroup('all');
  const members = servingPids().slice(-3);
  assert.deepEqual(members.filter(isRunning), members);
  await service.kill();
  await waitUntil(() => members.every((pid) => !isRunning(pid)));
});
