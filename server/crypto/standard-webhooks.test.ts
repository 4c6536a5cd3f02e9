import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { generateSecret, sign, signatureProblem, type WebhookToSign } from './standard-webhooks.ts';

const id = 'msg_test_1';
const body = '{"id":"task_1","status":"completed"}';
const nowSeconds = Math.floor(Date.now() / 1000);

const text = fc.string({ unit: 'grapheme' });
const dotless = text.map((given) => `msg_${given.replaceAll('.', '')}`);
const secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);

const headersOf = (webhook: Omit<WebhookToSign, 'body'>, signature: string) => ({
  'webhook-id': webhook.id,
  'webhook-timestamp': String(webhook.timestampSeconds),
  'webhook-signature': signature,
});

/** A signature computed with another implementation. */
const published = {
  secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
  id: 'msg_test_1',
  timestampSeconds: 1_794_738_900,
  body: '{"id":"p1","status":"succeeded"}',
  signature: 'v1,9wpApd5SbCFRdpyoP8AvShq0HLItdVPiGcQoFml8nno=',
};

function publishedProblem(
  change: { headers?: Record<string, string>; body?: string | Buffer } = {},
  atSeconds = published.timestampSeconds,
) {
  const headers = { ...headersOf(published, published.signature), ...change.headers };
  return signatureProblem(
    { headers, body: change.body ?? published.body },
    { secret: published.secret, nowSeconds: atSeconds },
  );
}

test('signs and verifies the published test vector', () => {
  assert.equal(sign(published, [published.secret]), published.signature);
  assert.equal(publishedProblem(), null);
  assert.equal(publishedProblem({ body: Buffer.from(published.body) }), null);
});

test('signs any body so that the standardwebhooks and svix libraries accept it', () => {
  fc.assert(
    fc.property(secret, fc.json(), (whsec, json) => {
      const webhook = { id, timestampSeconds: nowSeconds, body: json };
      const headers = headersOf(webhook, sign(webhook, [whsec]));
      // Both throw when they reject.
      new StandardWebhook(whsec).verify(json, headers);
      new SvixWebhook(whsec).verify(json, headers);
    }),
    { numRuns: 200 },
  );
});

test('accepts signatures of the libraries, also among others', () => {
  const whsec = generateSecret();
  for (const library of [new StandardWebhook(whsec), new SvixWebhook(whsec)]) {
    const signature = library.sign(id, new Date(nowSeconds * 1000), body);
    for (const all of [signature, `v1,AAAA v1a,BBBB ${signature}`]) {
      const headers = headersOf({ id, timestampSeconds: nowSeconds }, all);
      assert.equal(signatureProblem({ headers, body }, { secret: whsec, nowSeconds }), null);
    }
  }
});

test('accepts a secret that is plain text', () => {
  const library = new StandardWebhook(Buffer.from('plain words').toString('base64'));
  const signature = library.sign(id, new Date(nowSeconds * 1000), body);
  const headers = headersOf({ id, timestampSeconds: nowSeconds }, signature);
  const problemWith = (plain: string) =>
    signatureProblem({ headers, body }, { secret: plain, nowSeconds });
  assert.equal(problemWith('plain words'), null);
  assert.equal(problemWith('other words'), 'signature does not match');
});

test('satisfies receivers with the old and with the new secret during a rotation', () => {
  const older = generateSecret();
  const newer = generateSecret();
  const stranger = generateSecret();
  const webhook = { id, timestampSeconds: nowSeconds, body };
  const signature = sign(webhook, [newer, older]);
  assert.equal(signature.split(' ').length, 2);
  const headers = headersOf(webhook, signature);
  for (const known of [older, newer]) {
    new StandardWebhook(known).verify(body, headers);
    new SvixWebhook(known).verify(body, headers);
  }
  assert.throws(() => new StandardWebhook(stranger).verify(body, headers));
});

test('generates distinct secrets of 32 bytes', () => {
  const secrets = Array.from({ length: 100 }, generateSecret);
  assert.equal(new Set(secrets).size, 100);
  for (const whsec of secrets) assert.match(whsec, /^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('rejects a webhook of which any part was changed', () => {
  const parts = fc.record({ id: dotless, body: text, timestampSeconds: fc.nat(4_000_000_000) });
  fc.assert(
    fc.property(parts, parts, secret, (signed, changed, whsec) => {
      fc.pre(JSON.stringify(signed) !== JSON.stringify(changed));
      const headers = headersOf(changed, sign(signed, [whsec]));
      const options = { secret: whsec, nowSeconds: changed.timestampSeconds };
      assert.notEqual(signatureProblem({ headers, body: changed.body }, options), null);
    }),
  );
});

test('accepts five minutes of clock difference in both directions, and no more', () => {
  const at = (seconds: number) => publishedProblem({}, published.timestampSeconds + seconds);
  assert.deepEqual([at(-300), at(300)], [null, null]);
  for (const away of [-301, 301]) assert.match(at(away)!, /five minutes/);
});

test('rejects malformed headers without throwing', () => {
  const malformed: readonly Record<string, string>[] = [
    { 'webhook-timestamp': 'now' },
    { 'webhook-signature': 'v1,' },
    { 'webhook-signature': published.signature.slice('v1,'.length) },
    { 'webhook-signature': '' },
    { 'webhook-id': '' },
    { 'webhook-id': 'msg.1' },
  ];
  for (const headers of malformed) assert.notEqual(publishedProblem({ headers }), null);
  const whsec = generateSecret();
  fc.assert(
    fc.property(text, text, text, text, (anyId, timestamp, signature, anyBody) => {
      const headers = {
        'webhook-id': anyId,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      };
      assert.ok(signatureProblem({ headers, body: anyBody }, { secret: whsec, nowSeconds }));
    }),
  );
});
