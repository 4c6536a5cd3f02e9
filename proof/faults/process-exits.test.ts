/**
 * How processes exit: a stop drains, the jobs of a killed process continue elsewhere, and a job
 * that kills its worker again and again fails alone.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { sleep } from '../../server/process/clock.ts';
import { clientOf } from '../kit/service.ts';
import { Installation } from './installation.ts';
import type { ServiceProcess } from './service-process.ts';
import { loseNone } from './upstream.ts';

const pollMs = 20;

let installation: Installation;
let first: ServiceProcess;
before(async () => {
  const upstream = { lostPercent: loseNone };
  installation = await Installation.open({ upstream });
  first = installation.start();
  await first.waitUntilServing();
  await installation.account();
});
afterEach(() => installation.killAll());
after(() => installation.close());

async function read(taskNumber: number): Promise<Record<string, unknown>> {
  const taskId = installation.clients.acknowledged.get(taskNumber);
  const { status, body } = await installation.read(`/v1/tasks/${taskId}`);
  assert.equal(status, 200);
  return body;
}
async function waitForWebhooks(...taskNumbers: readonly number[]): Promise<void> {
  const { clients } = installation;
  while (!taskNumbers.every((one) => clients.hasWebhook(one))) await sleep(pollMs);
}
/** Waits for the loss, which is recorded after the task has ended. */
async function lossOf(taskId: string): Promise<string> {
  for (;;) {
    const { body } = await installation.admin.get(`/admin/tasks/${taskId}`);
    const [attempt] = body.attempts as { loss: string | null }[];
    if (attempt!.loss) return attempt!.loss;
    await sleep(pollMs);
  }
}
async function assertInvariants(): Promise<void> {
  const { body } = await installation.admin.get('/admin/audit');
  assert.equal(body.ok, true, JSON.stringify(body));
}

test('a stop answers waiting requests, finishes running ones, and exits with 0', async () => {
  const { clients, receiver, upstream, url } = installation;
  const { key } = await installation.account();
  let held: ServerResponse | undefined;
  receiver.onWebhook((_webhook, response) => {
    held = response;
  });
  const notified = await clients.create();
  await receiver.waitForWebhooks(1);
  upstream.move('stop');
  const generating = await clients.create();
  while ((await read(generating)).status !== 'generating') await sleep(pollMs);

  const waitPath = `/v1/tasks/${clients.acknowledged.get(generating)}?wait=60`;
  const waiting = installation.read(waitPath);
  const halfSent = await sendHalf(url, key);
  const ended = first.stop();
  await rejectsConnections(url);
  held!.writeHead(200).end();
  const response = await halfSent.finish();
  const [, lateId] = /^HTTP\/1\.1 200 .*"taskId":"(task_\w+)"/s.exec(response) ?? [];
  assert.ok(lateId, response);
  assert.deepEqual(await waiting.then(({ status, body }) => [status, body.status]), [
    200,
    'generating',
  ]);
  assert.deepEqual(await ended.then(({ code, signal }) => [code, signal]), [0, null]);

  receiver.onWebhook((_webhook, response) => void response.writeHead(200).end());
  upstream.move('go');
  await installation.start().waitUntilServing();
  await waitForWebhooks(generating);
  await clientOf(url, key).final(lateId);
  const webhooks = receiver.webhooks.filter(
    ({ body }) => body.id === clients.acknowledged.get(notified),
  );
  assert.equal(webhooks.length, 1);
  await assertInvariants();
});

/** Sends the first half of a create; the second half comes after the stop has begun. */
async function sendHalf(url: string, key: string) {
  const body = JSON.stringify({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A kite', resolution: '480p' },
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  socket.write(
    `POST /v1/videos/generations HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.slice(0, 10));
  // Once these are answered, the service has read everything sent before on other connections.
  for (let polls = 0; polls < 3; polls++) await fetch(`${url}/healthz`);
  return {
    async finish(): Promise<string> {
      socket.write(body.slice(10));
      let response = '';
      for await (const part of socket) response += part;
      return response;
    },
  };
}

async function rejectsConnections(url: string): Promise<void> {
  const { port } = new URL(url);
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect(Number(port), '127.0.0.1', () => {
        probe.destroy();
        resolve(true);
      });
      probe.once('error', () => resolve(false));
    });
  while (await isOpen()) await sleep(pollMs);
}

test('fails and refunds only the task that kills its worker three times in a row', async () => {
  const { clients, receiver } = installation;
  await installation.killAll();
  // Alone at first: every poll kills its worker, and two tasks would crash together.
  await installation.start({ role: 'api' }).waitUntilServing();
  const culprit = await clients.create();
  const role = 'worker';
  for (let crashes = 0; crashes < 3; crashes++) {
    const environment = { VIDGEN_CRASH_AT: 'poll.claimed' };
    const worker = installation.start({ role, environment });
    assert.equal((await worker.exited).signal, 'SIGKILL', worker.output());
    await installation.expireLeases(worker.pid);
  }
  installation.start({ role });
  const taskNumbers = [culprit, ...(await Promise.all([clients.create(), clients.create()]))];
  await waitForWebhooks(...taskNumbers);
  const tasks = await Promise.all(taskNumbers.map(read));
  const ends = tasks.map((task) =>
    [task.status, task.billing_status, task.failed_reason].join(' '),
  );
  assert.deepEqual(ends.sort(), [
    'completed charged ',
    'completed charged ',
    'failed refunded internal_error',
  ]);
  const failureData = receiver.webhooks.find(({ body }) => body.status === 'failed')!.body.data;
  assert.deepEqual(failureData, { failed_reason: 'internal_error', credits_refunded: 5 });
  const generations = installation.upstream.generations();
  assert.deepEqual(
    taskNumbers.map((one) => generations.get(one)),
    [1, 1, 1],
  );
  // The provider generated the video and bills for it, so operators see a loss.
  assert.match(await lossOf(clients.acknowledged.get(culprit)!), /given up/);
  await assertInvariants();
});
