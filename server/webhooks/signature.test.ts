/** Calls are signed so that Standard Webhooks libraries accept them, and nothing else passes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { generateSecret, sign, verify } from './signature.ts';

const id = 'msg_test_1';
const body = '{"id":"task_1","status":"completed"}';
const nowSeconds = Math.floor(Date.now() / 1000);

const text = fc.string({ unit: 'grapheme' });
const dotless = text.map((given) => `msg_${given.replaceAll('.', '')}`);
const secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);

test('gives the known answer of a published secret, id, time and body', () => {
  const signature = sign(
    {
      id: 'msg_test_1',
      timestampSeconds: 1_794_738_900,
      body: '{"id":"p1","status":"succeeded"}',
    },
    ['whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3'],
  );
  assert.equal(signature, 'v1,9wpApd5SbCFRdpyoP8AvShq0HLItdVPiGcQoFml8nno=');
});

test('signs what the standardwebhooks and svix libraries accept, whatever the body', () => {
  fc.assert(
    fc.property(secret, fc.json(), (whsec, json) => {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(nowSeconds),
        'webhook-signature': sign({ id, timestampSeconds: nowSeconds, body: json }, [whsec]),
      };
      // Both throw what they do not accept.
      new StandardWebhook(whsec).verify(json, headers);
      new SvixWebhook(whsec).verify(json, headers);
    }),
    { numRuns: 200 },
  );
});

test('lets the libraries refuse a body that was changed on the way', () => {
  const whsec = generateSecret();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': sign({ id, timestampSeconds: nowSeconds, body }, [whsec]),
  };
  assert.throws(() => new StandardWebhook(whsec).verify(`${body} `, headers));
  assert.throws(() => new SvixWebhook(whsec).verify(`${body} `, headers));
});

test('accepts what the libraries sign', () => {
  const whsec = generateSecret();
  const webhook = { id, timestamp: String(nowSeconds), body };
  for (const library of [new StandardWebhook(whsec), new SvixWebhook(whsec)]) {
    const signature = library.sign(id, new Date(nowSeconds * 1000), body);
    assert(verify({ ...webhook, signature }, { secrets: [whsec], nowSeconds }));
  }
});

test('satisfies receivers with the old and with the new secret during a rotation', () => {
  const [older, newer, stranger] = [generateSecret(), generateSecret(), generateSecret()];
  const signature = sign({ id, timestampSeconds: nowSeconds, body }, [newer, older]);
  assert.equal(signature.split(' ').length, 2);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': signature,
  };
  for (const known of [older, newer]) {
    new StandardWebhook(known).verify(body, headers);
    new SvixWebhook(known).verify(body, headers);
  }
  assert.throws(() => new StandardWebhook(stranger).verify(body, headers));
});

test('mints secrets that are all different and hold the bytes the standard asks for', () => {
  const secrets = Array.from({ length: 100 }, generateSecret);
  assert.equal(new Set(secrets).size, 100);
  for (const whsec of secrets) assert.match(whsec, /^whsec_[A-Za-z0-9+/]{32}$/);
});

test('verifies its own signatures, by any of the secrets', () => {
  fc.assert(
    fc.property(dotless, text, secret, secret, (anyId, anyBody, first, second) => {
      const webhook = { id: anyId, body: anyBody, timestampSeconds: nowSeconds };
      const signature = sign(webhook, [first]);
      const received = { ...webhook, timestamp: String(nowSeconds), signature };
      assert(verify(received, { secrets: [second, first], nowSeconds }));
      assert(!verify(received, { secrets: first === second ? [] : [second], nowSeconds }));
    }),
  );
});

test('refuses a call of which any part was changed', () => {
  const parts = fc.record({ id: dotless, body: text, timestampSeconds: fc.nat(4_000_000_000) });
  fc.assert(
    fc.property(parts, parts, secret, (signed, changed, whsec) => {
      fc.pre(JSON.stringify(signed) !== JSON.stringify(changed));
      const signature = sign(signed, [whsec]);
      const timestamp = String(changed.timestampSeconds);
      const options = { secrets: [whsec], nowSeconds: changed.timestampSeconds };
      assert(!verify({ id: changed.id, body: changed.body, timestamp, signature }, options));
    }),
  );
});

test('refuses a call that is more than five minutes old, or as far ahead', () => {
  const whsec = generateSecret();
  const signature = sign({ id, timestampSeconds: nowSeconds, body }, [whsec]);
  const received = { id, body, timestamp: String(nowSeconds), signature };
  const at = (seconds: number) => verify(received, { secrets: [whsec], nowSeconds: seconds });
  assert.deepEqual([at(nowSeconds - 300), at(nowSeconds + 300)], [true, true]);
  assert.deepEqual([at(nowSeconds - 301), at(nowSeconds + 301)], [false, false]);
});

test('refuses malformed headers without throwing', () => {
  const secrets = [generateSecret()];
  fc.assert(
    fc.property(text, text, text, text, (anyId, timestamp, signature, anyBody) => {
      const received = { id: anyId, timestamp, signature, body: anyBody };
      assert.equal(verify(received, { secrets, nowSeconds }), false);
    }),
  );
});
