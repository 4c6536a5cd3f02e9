/**
 * A webhook carries exactly the stored bytes, signed; only 2xx counts, and no response can do harm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { generateSecret } from '../crypto/standard-webhooks.ts';
import type { Egress } from '../egress/egress.ts';
import { sendWebhook } from './send.ts';

type Post = Egress['post'];

const delivery = {
  id: 'msg_1',
  url: 'https://hooks.example.com/done?a=1',
  body: '{"id":"task_1","prompt":"日本 \\u0000"}',
};
const secrets = [generateSecret()];
const nowSeconds = Math.floor(Date.now() / 1000);

const respondWith =
  (status: number, body = ''): Post =>
  async () => ({ outcome: 'response', status, body, durationMs: 12.4 });
const sendWith = (post: Post) => sendWebhook(post, { delivery, secrets, nowSeconds });

test('sends the stored body, signed, with the fifteen-second timeout of the contract', async () => {
  const sent: Parameters<Post>[0][] = [];
  await sendWith(async (request) => {
    sent.push(request);
    return { outcome: 'response', status: 200, body: '', durationMs: 1 };
  });
  const { url, headers, body, deadlineMs, responseBytesMax } = sent[0]!;
  assert.equal(url, delivery.url);
  assert.equal(body, delivery.body);
  assert.deepEqual([deadlineMs, responseBytesMax], [15_000, 2048]);
  const { 'webhook-signature': signature, ...plain } = headers;
  assert.deepEqual(plain, {
    'content-type': 'application/json',
    'user-agent': 'vidgen',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(nowSeconds),
  });
  assert.match(signature!, /^v1,/);
  new Webhook(secrets[0]!).verify(delivery.body, headers);
});

test('counts any 2xx as delivered, and nothing else, including redirects', async () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.equal((await sendWith(respondWith(status))).delivered, true, String(status));
  }
  for (const status of [
    100, 101, 199, 300, 301, 302, 304, 307, 308, 400, 404, 410, 429, 500, 503,
  ]) {
    assert.equal((await sendWith(respondWith(status))).delivered, false, String(status));
  }
});

test('returns the response, or why there was none', async () => {
  const { signedHeaders } = await sendWith(respondWith(200));
  const noResponse = { responseStatus: null, responseBody: null, error: null };
  const undelivered = { delivered: false, ...noResponse, signedHeaders };
  const response = { durationMs: 12, responseStatus: 500, responseBody: 'no' };
  assert.deepEqual(await sendWith(respondWith(500, 'no')), { ...undelivered, ...response });
  const timeout = { error: 'timeout', durationMs: 15_000 } as const;
  const post: Post = async () => ({ outcome: 'failed', ...timeout });
  assert.deepEqual(await sendWith(post), { ...undelivered, ...timeout });
});
