/** `DELETE /v1/tasks/:id` (extension): what is gone afterwards, and what stays as it was. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf, textToVideo, useJourney, withoutPrompts } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { tablesWith } from '../../../proof/kit/tables-with.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';

const pending = { outcome: 'pending', pollAfterSeconds: 600 } as const;
const secretText = 'a secret garden';
const { service, receiver } = await useJourney({
  environment: {
    VIDGEN_RATE_STATUS: '0',
    VIDGEN_WEBHOOK_RETRIES: '10m',
    VIDGEN_MATERIALS: 'strict',
  },
  script: ({ generation: { prompt } }) => ({
    status: prompt === 'endless' ? [pending] : [prompt === 'failed' ? 'failed' : 'completed'],
  }),
});
const { db } = service;

type Change = { prompt?: string; callback_url?: string; metadata?: Record<string, string> };

async function startTask({ prompt = secretText, ...change }: Change = {}, headers = {}) {
  const account = await service.account({ live: 100 });
  const request = { ...textToVideo, ...change, input: { ...textToVideo.input, prompt } };
  const { body } = await account.client.create(request, headers);
  const id = String(body.taskId);
  const path = `/v1/tasks/${id}`;
  const remove = () => account.client.send('DELETE', path);
  return { account, client: account.client, request, id, path, remove };
}

/** Without its period, which ends now. */
async function usageOf(accountId: string) {
  const { body } = await service.admin.get(`/admin/accounts/${accountId}/usage?mode=live`);
  const { since: _since, until: _until, ...usage } = body;
  return usage;
}

test('deletes what the customer sent and received; ledger, usage and balance stay', async () => {
  const { account, client, id, path, remove } = await startTask({
    callback_url: receiver.url,
    metadata: { order: 'order 4711' },
  });
  const [url] = (await client.final(id)).data!.results;
  await receiver.waitForWebhooks(1);
  const { body: deliveries } = await service.admin.get(`/admin/accounts/${account.id}/deliveries`);
  const [delivery] = deliveries.items as { id: string }[];
  await db.query(`update attempts set detail = $2 where task_id = $1`, [id, secretText]);
  const ledger = await service.admin.get(`/admin/accounts/${account.id}/ledger`);
  const usage = await usageOf(account.id);
  const balance = await balanceOf(service, account.id);

  const { status, body } = await remove();
  assert.deepEqual([status, body], [204, {}]);

  for (const response of [
    await client.get(path),
    await client.get(`${path}?wait=1`),
    await client.post(`${path}/cancel`),
    await remove(),
    await client.get(`/v1/videos/${id}`),
    await client.get(`/v1/videos/${id}/content`),
    await client.get(`/api/v1/videos/${id}`),
    await client.get(`/api/v3/contents/generations/tasks/${id}`),
    await service.admin.get(`/admin/tasks/${id}`),
    await service.admin.post(`/admin/deliveries/${delivery!.id}/replay`),
    await service.admin.get(`/admin/deliveries/${delivery!.id}/attempts`),
  ]) {
    assert.equal(response.status, 404, JSON.stringify(response.body));
  }
  const call = { name: 'get_task', arguments: { task_id: id } };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
  assert.match(JSON.stringify((await client.post('/mcp', rpc)).body), /No task found with this ID/);
  for (const list of ['/v1/tasks', '/v1/tasks?metadata[order]=order 4711', '/v1/videos']) {
    assert.doesNotMatch(JSON.stringify((await client.get(list)).body), new RegExp(id), list);
  }
  assert.equal((await fetch(url!)).status, 404);
  const { storage } = service.parts.lifecycle;
  assert.deepEqual(await Array.fromAsync(storage.list(`${id}/`)), []);
  const edit = {
    prompt: 'x',
    generation_type: 'reference-to-video',
    video_urls: [url],
    duration: 5,
  };
  const reused = await client.create({ model: 'vidgen-2-0-mini', input: edit });
  assertApiError(reused, 'invalid_request', /input\.video_urls\[0\]/);

  assert.deepEqual(await tablesWith(db, secretText), []);
  assert.deepEqual(await tablesWith(db, 'order 4711'), []);
  assert.deepEqual(await tablesWith(db, receiver.url), []);
  const ledgerAfter = await service.admin.get(`/admin/accounts/${account.id}/ledger`);
  assert.deepEqual(ledgerAfter.body, withoutPrompts(ledger.body));
  assert.deepEqual(await usageOf(account.id), usage);
  assert.deepEqual(await balanceOf(service, account.id), balance);
  const log = await service.auditLog(id);
  assert.deepEqual(pluck(log, 'action', 'actor'), [['task.delete', account.keyId]]);
});

test('a create with the Idempotency-Key of a deleted task makes no second one', async () => {
  const headers = { 'idempotency-key': 'order 1' };
  const { client, request, id, remove } = await startTask({}, headers);
  await client.final(id);
  await remove();
  assertApiError(
    await client.create(request, headers),
    'invalid_request',
    'This request repeats a create whose task was deleted; to create another task, send it ' +
      'with a new Idempotency-Key.',
  );
  const other = { ...request, input: { ...request.input, prompt: 'another' } };
  assertApiError(await client.create(other, headers), 'invalid_request', /a different request/);
  assert.equal((await client.get('/v1/credits')).body.available, 95);
  const again = await client.create(request, { 'idempotency-key': 'order 2' });
  assert.equal(again.status, 200);
});

describe('rejects', () => {
  test('a task in progress', async () => {
    const { client, id, path, remove } = await startTask({ prompt: 'endless' });
    assertApiError(await remove(), 'invalid_request', /cancel it, or wait until it has/);
    assert.equal((await client.task(id)).id, id);
    assert.equal((await client.get(path)).status, 200);
  });

  test('a task whose refund is not resolved, until it is', async () => {
    const { account, client, id, remove } = await startTask({ prompt: 'endless' });
    // Otherwise its submit is under way while it is settled.
    await waitUntil(async () => (await client.task(id)).status === 'generating');
    await db.query('update balances set closed = true where account_id = $1', [account.id]);
    const failed = { end: 'failed', reason: 'internal_error', attempt: 'abandoned' } as const;
    const task = { taskId: id, accountId: account.id, mode: 'live' } as const;
    await service.parts.lifecycle.settle({ ...failed, ...task });
    assert.equal((await client.task(id)).billing_status, 'refund_failed');
    assertApiError(await remove(), 'invalid_request', /refund of this task is not resolved/);
    const settle = { outcome: 'refunded', note: 'by hand' };
    await service.admin.post(`/admin/tasks/${id}/settle-refund`, settle);
    assert.equal((await remove()).status, 204);
    assert.equal((await balanceOf(service, account.id)).live.available, 100);
  });

  test('keys without the permission, of another mode and of another account', async () => {
    const { account, client, id, path, remove } = await startTask();
    await client.final(id);
    const permissions = ['videos:create', 'tasks:read', 'tasks:cancel'];
    const reader = await account.otherClient({ permissions });
    assertApiError(await reader.send('DELETE', path), 'forbidden', /tasks:delete permission/);
    assert.equal((await reader.send('DELETE', `/v1/videos/${id}`)).status, 403);
    const modelArk = `/api/v3/contents/generations/tasks/${id}`;
    assert.equal((await reader.send('DELETE', modelArk)).status, 403);
    const tester = await account.otherClient({ mode: 'test' });
    assertApiError(await tester.send('DELETE', path), 'not_found');
    const stranger = await service.account();
    assertApiError(await stranger.client.send('DELETE', path), 'not_found');
    assert.equal((await remove()).status, 204);
  });
});

describe('a webhook of a deleted task', () => {
  test('in flight changes nothing more, and is not retried', async () => {
    const before = receiver.webhooks.length;
    const answered = Promise.withResolvers<void>();
    receiver.onWebhook((_, response) => {
      void answered.promise.then(() => response.writeHead(500).end());
    });
    const { client, id, remove } = await startTask({ callback_url: receiver.url });
    await client.final(id);
    await receiver.waitForWebhooks(before + 1);
    assert.equal((await remove()).status, 204);
    answered.resolve();
    receiver.onWebhook((_, response) => void response.writeHead(200).end());
    const next = await startTask({ callback_url: receiver.url });
    await next.client.final(next.id);
    await receiver.waitForWebhooks(before + 2);
    const { rows } = await db.query(
      `select kind from jobs where task_id = $1 and kind = 'notify'
       union all select id from deliveries where task_id = $1`,
      [id],
    );
    assert.deepEqual(rows, []);
  });

  test('whose retry is pending is not sent again', async () => {
    const before = receiver.webhooks.length;
    receiver.onWebhook((_, response) => void response.writeHead(500).end());
    const { client, account, id, remove } = await startTask({ callback_url: receiver.url });
    await client.final(id);
    await receiver.waitForWebhooks(before + 1);
    assert.equal((await remove()).status, 204);
    const path = `/admin/accounts/${account.id}/deliveries`;
    const since = '2026-01-01T00:00:00Z';
    const { body } = await service.admin.post(`${path}/replay`, { since });
    assert.equal(body.replayed, 0, JSON.stringify(body));
    assert.deepEqual((await service.admin.get(path)).body.items, []);
  });
});

test('files that could not be deleted are deleted by the job of the same commit', async () => {
  const { lifecycle } = service.parts;
  const { client, id, remove } = await startTask();
  await client.final(id);
  const { remove: removeFiles } = lifecycle.storage;
  let failures = 0;
  Object.assign(lifecycle.storage, {
    remove: async (keys: readonly string[]) => {
      if (++failures === 1) throw new Error('the process died');
      await removeFiles.call(lifecycle.storage, keys);
    },
  });
  try {
    assert.equal((await remove()).status, 204);
    while ((await Array.fromAsync(lifecycle.storage.list(`${id}/`))).length > 0);
    const jobs = () => db.query('select from jobs where task_id = $1', [id]);
    while ((await jobs()).rowCount > 0);
    assert(failures >= 2);
  } finally {
    Object.assign(lifecycle.storage, { remove: removeFiles });
  }
});

test('of many concurrent deletes one succeeds, and the others are not found', async () => {
  const { client, id, remove } = await startTask({ prompt: 'failed' });
  await client.final(id);
  const responses = await Promise.all(Array.from({ length: 8 }, remove));
  const statuses = responses.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [204, ...Array(7).fill(404)]);
});
