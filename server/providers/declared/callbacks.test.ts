/** Which callbacks of a declared upstream count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wavespeedCallback } from '../../../proof/kit/declared/vendors/wavespeed.ts';
import { generateSecret, sign } from '../../crypto/standard-webhooks.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { CallbackRequest } from '../provider.ts';
import { createReadCallback } from './callbacks.ts';

const secret = generateSecret();
const body = JSON.stringify({ data: { id: 'op-1' } });

function signed(atSeconds = unixSeconds(), signedBody = body): CallbackRequest {
  const id = 'msg_1';
  return {
    reference: 'ref_1',
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(atSeconds),
      'webhook-signature': sign({ id, timestampSeconds: atSeconds, body: signedBody }, [secret]),
    },
    body: Buffer.from(body),
  };
}

test('verifies Standard Webhooks, and returns the operation', async () => {
  const read = createReadCallback({
    callbacks: { operation: 'data.id', signature: 'standard-webhooks' },
    secret: () => secret,
  });
  assert.deepEqual(await read(signed()), { outcome: 'hint', operation: 'op-1' });
  const { headers } = signed();
  for (const forged of [
    signed(unixSeconds() - 1_000),
    signed(unixSeconds(), '{"data":{"id":"op-2"}}'),
    { ...signed(), headers: {} },
    { ...signed(), headers: { ...headers, 'webhook-signature': 'v1,AAAA' } },
  ]) {
    assert.equal((await read(forged)).outcome, 'invalid_signature');
  }
});

test('verifies hexadecimal signatures with the secret as text', async () => {
  const read = createReadCallback({
    callbacks: { operation: 'id', signature: 'standard-webhooks-hex' },
    secret: () => secret,
  });
  const now = unixSeconds();
  const callback = (atSeconds: number, key = secret) => ({
    reference: 'ref_1',
    ...wavespeedCallback('op-1', { secret: key, atSeconds }),
  });
  assert.deepEqual(await read(callback(now)), { outcome: 'hint', operation: 'op-1' });
  for (const forged of [callback(now - 1_000), callback(now, generateSecret()), signed()]) {
    assert.equal((await read(forged)).outcome, 'invalid_signature');
  }
});

test('without a secret, takes the unguessable URL as proof and reads only an id', async () => {
  const read = createReadCallback({ callbacks: { operation: 'data.id' }, secret: undefined });
  assert.deepEqual(await read({ ...signed(), headers: {} }), {
    outcome: 'hint',
    operation: 'op-1',
  });
  for (const hostile of ['', '[', '{"data":{"id":{}}}', '{"data":{"id":".."}}', '"x"']) {
    const request = { ...signed(), body: Buffer.from(hostile) };
    assert.deepEqual(await read(request), { outcome: 'hint' });
  }
});
