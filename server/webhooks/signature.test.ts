/** Webhooks are signed so that Standard Webhooks libraries accept them unless they were changed. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { sign } from './signature.ts';

const id = 'msg_test_1';
const body = '{"id":"task_1","status":"completed"}';
const nowSeconds = Math.floor(Date.now() / 1000);

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const text = fc.string({ unit: 'grapheme' });
const dotless = text.map((given) => `msg_${given.replaceAll('.', '')}`);
const secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);

test('matches a published example of secret, id, timestamp and body', () => {
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

test('signs any body so that the standardwebhooks and svix libraries accept it', () => {
  fc.assert(
    fc.property(secret, fc.json(), (whsec, json) => {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(nowSeconds),
        'webhook-signature': sign({ id, timestampSeconds: nowSeconds, body: json }, [whsec]),
      };
      // Both throw if they do not accept it.
      new StandardWebhook(whsec).verify(json, headers);
      new SvixWebhook(whsec).verify(json, headers);
    }),
    { numRuns: 200 },
  );
});

test('is rejected by the libraries when the body was changed on the way', () => {
  const whsec = newSecret();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': sign({ id, timestampSeconds: nowSeconds, body }, [whsec]),
  };
  assert.throws(() => new StandardWebhook(whsec).verify(`${body} `, headers));
  assert.throws(() => new SvixWebhook(whsec).verify(`${body} `, headers));
});

test('is accepted by receivers with the old or the new secret during a rotation', () => {
  const [older, newer, stranger] = [newSecret(), newSecret(), newSecret()];
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

test('gives different signatures to webhooks that differ in any part', () => {
  const parts = fc.record({ id: dotless, body: text, timestampSeconds: fc.nat(4_000_000_000) });
  fc.assert(
    fc.property(parts, parts, secret, (signed, changed, whsec) => {
      fc.pre(JSON.stringify(signed) !== JSON.stringify(changed));
      assert.notEqual(sign(signed, [whsec]), sign(changed, [whsec]));
    }),
  );
});

test('gives different signatures to different secrets', () => {
  fc.assert(
    fc.property(secret, secret, (first, second) => {
      fc.pre(first !== second);
      const webhook = { id, timestampSeconds: nowSeconds, body };
      assert.notEqual(sign(webhook, [first]), sign(webhook, [second]));
    }),
  );
});
