/** Only what fal signed, just now, has an effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleStart } from '../../../proof/kit/conformance-bench.ts';
import { accepted } from '../../../proof/kit/conformance-faults.ts';
import { idOf, withDouble } from '../../../proof/kit/fal/bench.ts';
import type { FalDouble } from '../../../proof/kit/fal/double.ts';
import { words } from '../../../proof/kit/fal/rules.ts';
import {
  callFor,
  doubleKey,
  jwkOf,
  keyFromSeed,
  type SignedCall,
} from '../../../proof/kit/fal/webhooks.ts';
import { declined } from '../../../proof/kit/upstream-double.ts';
import { unixSeconds } from '../../clock.ts';
import type { CallbackReading, Provider } from '../provider.ts';
import { readKeySet, whyForged } from './signature.ts';

const read = (provider: Provider, { headers, body }: SignedCall): Promise<CallbackReading> =>
  provider.readCallback!({
    ...{ reference: sampleStart().reference, headers },
    body: Buffer.from(body),
  });
const keysAsked = (double: FalDouble): number =>
  double.requests.filter(({ operation }) => operation === 'keys').length;

/** Computed elsewhere, with another library. */
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

test('verifies a signature that was not made here', () => {
  const keys = readKeySet({ keys: [vector.key] });
  const judge = (change: Partial<typeof vector>, nowSeconds = vector.atSeconds) =>
    whyForged({ ...vector, ...change }, { keys, nowSeconds });
  assert.equal(judge({}), null);
  assert.equal(judge({}, vector.atSeconds + 300), null);
  assert.match(judge({}, vector.atSeconds + 301)!, /time/);
  assert.match(judge({}, vector.atSeconds - 301)!, /time/);
  assert.match(judge({ body: Buffer.from('{}') })!, /not right/);
  const changed = { ...vector.headers, 'x-fal-webhook-user-id': 'user_2' };
  assert.match(judge({ headers: changed })!, /not right/);
});

test('the key of the double is that of the vector', () => {
  assert.partialDeepStrictEqual(jwkOf(doubleKey), vector.key);
});

test('leaves out keys of a set that it cannot use', () => {
  const odd = [{ kty: 'RSA' }, { ...vector.key, x: 7 }, { ...vector.key, x: 'short' }, null, 'key'];
  assert.equal(readKeySet({ keys: [...odd, vector.key] }).length, 1);
  for (const json of [undefined, null, [], { keys: 7 }]) assert.deepEqual(readKeySet(json), []);
});

test('believes a signed call, which names the request, and asks for the keys once', () =>
  withDouble(async (double, provider) => {
    const requestId = idOf(await accepted(provider));
    const ok = callFor({ status: 'OK', payload: {} }, { requestId });
    const error = callFor({ status: 'ERROR', error: 'Invalid status code: 422' }, { requestId });
    for (const call of [ok, ok, error]) {
      assert.deepEqual(await read(provider, call), { outcome: 'hint', operation: requestId });
    }
    assert.equal(keysAsked(double), 1);
    assert.equal(
      double.requests.at(-1)?.headers.authorization,
      undefined,
      'our key goes to the queue alone',
    );
  }));

test('takes what is forged, stale or unsigned as forged, and does not ask again for each', () =>
  withDouble(async (double, provider) => {
    const requestId = idOf(await accepted(provider));
    const good = callFor({ status: 'OK' }, { requestId });
    const forged: readonly (readonly [string, SignedCall])[] = [
      ['another key', callFor({ status: 'OK' }, { requestId, key: keyFromSeed(8) })],
      ['another body', { ...good, body: good.body.replace('OK', 'ERROR') }],
      ['ten minutes ago', callFor({}, { requestId, atSeconds: unixSeconds() - 600 })],
      ['unsigned', { ...good, headers: {} }],
      ['no hex', { ...good, headers: { ...good.headers, 'x-fal-webhook-signature': 'zz' } }],
    ];
    for (const [why, call] of forged) {
      assert.equal((await read(provider, call)).outcome, 'forged', why);
    }
    assert.equal(keysAsked(double), 1);
  }));

test('takes any key of the set, while fal changes from one to the other', () =>
  withDouble(async (double, provider) => {
    double.keys = [jwkOf(keyFromSeed(9)), jwkOf(doubleKey)];
    const call = callFor({ status: 'OK' }, { requestId: 'r1' });
    assert.equal((await read(provider, call)).outcome, 'hint');
  }));

test('believes nothing while the keys cannot be fetched', () =>
  withDouble(async (double, provider) => {
    double.next('keys', declined(words['server error']));
    const call = callFor({ status: 'OK' }, { requestId: 'r1' });
    assert.equal((await read(provider, call)).outcome, 'forged');
  }));
