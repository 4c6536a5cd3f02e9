import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signatureProblem } from './standard-webhooks.ts';

const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const nowSeconds = 1_794_738_900;
const known = {
  headers: {
    'webhook-id': 'msg_test_1',
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': 'v1,9wpApd5SbCFRdpyoP8AvShq0HLItdVPiGcQoFml8nno=',
  },
  body: Buffer.from('{"id":"p1","status":"succeeded"}'),
};

const verify = (
  { headers = {}, body = known.body }: { headers?: Record<string, string>; body?: Buffer } = {},
  at = nowSeconds,
) =>
  signatureProblem({ headers: { ...known.headers, ...headers }, body }, { secret, nowSeconds: at });

test('believes the known answer of a published secret, id, time and body', () => {
  assert.equal(verify(), null);
});

test('believes what the standardwebhooks library signs, with a second signature beside it', () => {
  const signature = new Webhook(secret).sign('msg_2', new Date(nowSeconds * 1000), '{}');
  const headers = { 'webhook-id': 'msg_2', 'webhook-signature': `v1,AAAA v1a,BBBB ${signature}` };
  assert.equal(verify({ headers, body: Buffer.from('{}') }), null);
});

test('takes a secret that is plain text', () => {
  const headers = {
    ...known.headers,
    'webhook-signature': new Webhook(Buffer.from('plain words').toString('base64')).sign(
      'msg_test_1',
      new Date(nowSeconds * 1000),
      known.body.toString(),
    ),
  };
  const call = { headers, body: known.body };
  assert.equal(signatureProblem(call, { secret: 'plain words', nowSeconds }), null);
  assert.equal(
    signatureProblem(call, { secret: 'other words', nowSeconds }),
    'its signature is not right',
  );
});

test('believes five minutes to either side, and not a second more', () => {
  for (const away of [-300, 300]) assert.equal(verify({}, nowSeconds + away), null);
  for (const away of [-301, 301]) assert.match(verify({}, nowSeconds + away)!, /not of this time/);
});

test('does not believe another body, id or time, nor a call without its headers', () => {
  const invalidCalls: readonly Parameters<typeof verify>[0][] = [
    { body: Buffer.from('{"id":"p2","status":"succeeded"}') },
    { body: Buffer.concat([known.body, Buffer.from(' ')]) },
    { headers: { 'webhook-id': 'msg_test_2' } },
    { headers: { 'webhook-timestamp': String(nowSeconds + 1) } },
    { headers: { 'webhook-timestamp': 'now' } },
    { headers: { 'webhook-signature': 'v1,' } },
    { headers: { 'webhook-signature': '9wpApd5SbCFRdpyoP8AvShq0HLItdVPiGcQoFml8nno=' } },
    { headers: { 'webhook-signature': '' } },
    { headers: { 'webhook-id': '' } },
  ];
  for (const invalidCall of invalidCalls)
    assert.notEqual(verify(invalidCall), null, JSON.stringify(invalidCall));
});
