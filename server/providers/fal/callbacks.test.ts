/** Only callbacks that fal signed recently have an effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import type { FakeFal } from '../../../proof/kit/fal/fake.ts';
import { idOf, withFake } from '../../../proof/kit/fal/fixture.ts';
import {
  fakeKey,
  jwkOf,
  keyFromSeed,
  type SignedFalWebhook,
  signWebhook,
} from '../../../proof/kit/fal/webhooks.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { CallbackResult, Provider } from '../provider.ts';
import { readKeySet, signatureProblem } from './callbacks.ts';

const read = (provider: Provider, { headers, body }: SignedFalWebhook): Promise<CallbackResult> =>
  provider.readCallback!({
    ...{ reference: sampleStart().reference, headers },
    body: Buffer.from(body),
  });
const keyRequests = (fake: FakeFal): number =>
  fake.requests.filter(({ operation }) => operation === 'keys').length;

/** Computed with another library. */
const vector = {
  key: { kty: 'OKP', crv: 'Ed25519', x: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw' },
  atSeconds: 1_794_738_900,
  headers: {
    'x-fal-webhook-request-id': 'r1',
    'x-fal-webhook-user-id': 'user_1',
    'x-fal-webhook-timestamp': '1794738900',
    'x-fal-webhook-signature': [
      'e84081769f2b515485cc0def9388d2435378b355c53586d4bdbb5245e506f2aa',
      'b51fd40d81277dc3719bbf1ed132c04db6cb721cbbd63c1ebbb6180950d6c80b',
    ].join(''),
  },
  body: Buffer.from('{"request_id":"r1","status":"OK","payload":{}}'),
};

test('verifies a signature of another implementation', () => {
  const keys = readKeySet({ keys: [vector.key] });
  const verify = (change: Partial<typeof vector>, nowSeconds = vector.atSeconds) =>
    signatureProblem({ ...vector, ...change }, { keys, nowSeconds });
  assert.equal(verify({}), null);
  assert.equal(verify({}, vector.atSeconds + 300), null);
  for (const seconds of [-301, 301]) {
    assert.match(verify({}, vector.atSeconds + seconds)!, /timestamp/);
  }
  assert.match(verify({ body: Buffer.from('{}') })!, /does not match/);
  const changed = { ...vector.headers, 'x-fal-webhook-user-id': 'user_2' };
  assert.match(verify({ headers: changed })!, /does not match/);
});

test('uses the same key in the fake as in the test vector', () => {
  assert.partialDeepStrictEqual(jwkOf(fakeKey), vector.key);
});

test('skips keys that it cannot use', () => {
  const malformed = [
    { kty: 'RSA' },
    { ...vector.key, x: 7 },
    { ...vector.key, x: 'short' },
    null,
    'key',
  ];
  assert.equal(readKeySet({ keys: [...malformed, vector.key] }).length, 1);
  for (const json of [undefined, null, [], { keys: 7 }]) assert.deepEqual(readKeySet(json), []);
});

test('accepts a signed callback, returns its request id and fetches the keys once', () =>
  withFake(async (fake, provider) => {
    const requestId = idOf(await startAccepted(provider));
    const ok = signWebhook({ status: 'OK', payload: {} }, { requestId });
    const error = signWebhook(
      { status: 'ERROR', error: 'Invalid status code: 422' },
      { requestId },
    );
    for (const call of [ok, ok, error]) {
      assert.deepEqual(await read(provider, call), { outcome: 'hint', operation: requestId });
    }
    assert.equal(keyRequests(fake), 1);
    assert.equal(
      fake.requests.at(-1)?.headers.authorization,
      undefined,
      'our key goes to the queue alone',
    );
  }));

test('rejects forged, stale and unsigned callbacks without fetching the keys again', () =>
  withFake(async (fake, provider) => {
    const requestId = idOf(await startAccepted(provider));
    const good = signWebhook({ status: 'OK' }, { requestId });
    const invalidCalls: readonly (readonly [string, SignedFalWebhook])[] = [
      ['another key', signWebhook({ status: 'OK' }, { requestId, key: keyFromSeed(8) })],
      ['another body', { ...good, body: good.body.replace('OK', 'ERROR') }],
      ['ten minutes ago', signWebhook({}, { requestId, atSeconds: unixSeconds() - 600 })],
      ['unsigned', { ...good, headers: {} }],
      ['no hex', { ...good, headers: { ...good.headers, 'x-fal-webhook-signature': 'zz' } }],
    ];
    for (const [why, call] of invalidCalls) {
      assert.equal((await read(provider, call)).outcome, 'invalid_signature', why);
    }
    assert.equal(keyRequests(fake), 1);
  }));

test('accepts any key of the set during a rotation', () =>
  withFake(async (fake, provider) => {
    fake.keys = [jwkOf(keyFromSeed(9)), jwkOf(fakeKey)];
    const call = signWebhook({ status: 'OK' }, { requestId: 'r1' });
    assert.equal((await read(provider, call)).outcome, 'hint');
  }));
