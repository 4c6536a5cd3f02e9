/** The metrics after the life of a task, from an API and from a worker that has none. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { openSocket } from '../../../proof/kit/raw-http.ts';
import { startService, testAdminToken } from '../../../proof/kit/service.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';

const { service, receiver, provider } = await useJourney();

const metricsOf = async (url: string) => await (await fetch(`${url}/metrics`)).text();

test('a task, its credits and its webhook are counted once', async () => {
  const account = await service.account({ live: 100 });
  const request = { ...textToVideo, callback_url: receiver.url };
  const { body } = await account.client.create(request);
  assert.equal((await account.client.final(body.taskId as string)).status, 'completed');
  const delivered = 'vidgen_webhook_seconds_count{outcome="delivered"} 1';
  const text = await waitUntil(async () => {
    const found = await metricsOf(service.url);
    return found.includes(delivered) && found;
  });
  const labels = `model="${textToVideo.model}",provider="${provider.name}",status="completed"`;
  assert.ok(text.includes(`vidgen_task_seconds_count{${labels}} 1\n`), text);
  assert.ok(text.includes('vidgen_credits_total{kind="grant",mode="live"} 100\n'));
  const moved = (kind: string) =>
    new RegExp(`^vidgen_credits_total\\{kind="${kind}",mode="live"\\} (\\d+)$`, 'm').exec(
      text,
    )?.[1];
  assert.equal(moved('reserve'), moved('charge'));
  assert.ok(Number(moved('charge')) > 0);
  assert.match(text, /^vidgen_queue_age_seconds\{kind="expire"\} 0$/m);
});

test('a worker serves health and metrics on a port of its own', async () => {
  const metricsToken = 'a token that reads metrics and nothing else';
  const environment = {
    VIDGEN_ROLE: 'worker',
    VIDGEN_METRICS_PORT: '1',
    VIDGEN_METRICS_TOKEN: metricsToken,
  };
  await using worker = await startService({ environment });
  const { monitoring } = worker.parts;
  assert.ok(monitoring);
  await once(monitoring.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(monitoring.address() as AddressInfo).port}`;
  const statusOf = async (path: string, init?: RequestInit) =>
    (await fetch(`${url}${path}`, init)).status;
  assert.deepEqual(
    [await statusOf('/healthz'), await statusOf('/readyz'), await statusOf('/v1/tasks')],
    [200, 200, 404],
  );
  assert.match(await metricsOf(url), /^# TYPE vidgen_task_seconds histogram$/m);
  const proxied = { 'x-forwarded-for': '203.0.113.9' };
  assert.equal(await statusOf('/metrics', { headers: proxied }), 401);
  for (const token of [metricsToken, testAdminToken]) {
    const authorization = `Bearer ${token}`;
    assert.equal(await statusOf('/metrics', { headers: { ...proxied, authorization } }), 200);
  }
  assert.equal(await statusOf('/metrics', { method: 'POST' }), 405);
  // DNS rebinding: a page of another site whose name resolves to this machine.
  for (const path of ['/metrics', '/healthz']) {
    const head = `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    const socket = await openSocket(url);
    socket.write(head);
    assert.equal((await text(socket)).split('\r\n')[0], 'HTTP/1.1 403 Forbidden');
  }
});
