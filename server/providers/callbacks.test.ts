/** Only callbacks that an upstream signed recently have an effect, and none is believed further. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { startAccepted } from '../../proof/kit/conformance-faults.ts';
import { sampleStart } from '../../proof/kit/conformance-fixture.ts';
import { idOf, withFake as withFal } from '../../proof/kit/fal/fixture.ts';
import {
  fakeKey,
  jwkOf,
  keyFromSeed,
  signWebhook as signFalWebhook,
} from '../../proof/kit/fal/webhooks.ts';
import { withFake as withModelArk } from '../../proof/kit/modelark/fixture.ts';
import { withFake as withReplicate } from '../../proof/kit/replicate/fixture.ts';
import { type SignedWebhook, signWebhook, webhookSecret } from '../../proof/kit/signed-webhook.ts';
import { unixSeconds } from '../process/clock.ts';
import { createReadCallback } from './declared/callbacks.ts';
import { readKeySet, signatureProblem } from './fal/callbacks.ts';
import type { CallbackRequest, CallbackResult } from './provider.ts';
import { createKeyVerifier } from './toolkit/callbacks.ts';

type Read = (request: CallbackRequest) => Promise<CallbackResult>;

const requestOf = (
  { headers, body }: SignedWebhook,
  reference = sampleStart().reference,
): CallbackRequest => ({ reference, headers, body: Buffer.from(body) });

async function assertInvalid(
  read: Read,
  calls: Readonly<Record<string, SignedWebhook>>,
  reference?: string,
): Promise<void> {
  for (const [why, call] of Object.entries(calls)) {
    const { outcome } = await read(requestOf(call, reference));
    assert.equal(outcome, 'invalid_signature', why);
  }
}

const countOf = (requests: readonly { readonly operation: string }[], wanted: string): number =>
  requests.filter(({ operation }) => operation === wanted).length;

describe('fal', () => {
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

  test('verifies a signature of another implementation, for five minutes', () => {
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

  test('skips keys that it cannot use', () => {
    const { key } = vector;
    const unusable = [{ kty: 'RSA' }, { ...key, x: 7 }, { ...key, x: 'short' }, null, 'key'];
    assert.equal(readKeySet({ keys: [...unusable, key] }).length, 1);
    for (const json of [undefined, null, [], { keys: 7 }]) assert.deepEqual(readKeySet(json), []);
  });

  test('returns the request of a signed callback, and fetches the keys once', () =>
    withFal({}, async (fake, { readCallback, ...provider }) => {
      fake.keys = [jwkOf(keyFromSeed(9)), jwkOf(fakeKey)];
      const requestId = idOf(await startAccepted(provider));
      const good = signFalWebhook({ status: 'OK' }, { requestId });
      const error = signFalWebhook({ status: 'ERROR', error: 'Invalid status' }, { requestId });
      for (const call of [good, good, error]) {
        const result = await readCallback!(requestOf(call));
        assert.deepEqual(result, { outcome: 'hint', operation: requestId });
      }
      const atSeconds = unixSeconds() - 600;
      await assertInvalid(readCallback!, {
        'another key': signFalWebhook({ status: 'OK' }, { requestId, key: keyFromSeed(8) }),
        'another body': { ...good, body: good.body.replace('OK', 'ERROR') },
        'ten minutes ago': signFalWebhook({}, { requestId, atSeconds }),
        unsigned: { ...good, headers: {} },
        'no hex': { ...good, headers: { ...good.headers, 'x-fal-webhook-signature': 'zz' } },
      });
      assert.equal(countOf(fake.requests, 'keys'), 1, 'forged callbacks fetch none');
      const { authorization } = fake.requests.at(-1)!.headers;
      assert.equal(authorization, undefined, 'our key goes to the queue alone');
    }));
});

describe('Replicate', () => {
  const otherSecret = `whsec_${Buffer.from('another secret, also of 32 bytes').toString('base64')}`;

  test('returns the operation of a signed callback for the same start', () =>
    withReplicate({}, async (fake, provider) => {
      const start = sampleStart();
      const operation = await startAccepted(provider, start);
      const shown = fake.shown(operation);
      const good = signWebhook(shown);
      for (const call of [good, good]) {
        const result = await provider.readCallback!(requestOf(call, start.reference));
        assert.deepEqual(result, { outcome: 'hint', operation });
      }
      const forged = {
        'another secret': signWebhook(shown, { secret: otherSecret }),
        'another body': { ...good, body: good.body.replace('starting', 'succeeded') },
        'ten minutes ago': signWebhook(shown, { atSeconds: unixSeconds() - 600 }),
        unsigned: { ...good, headers: {} },
        'another start': signWebhook({ ...shown, webhook: 'https://svc.example.test/vg_another' }),
      };
      await assertInvalid(provider.readCallback!, forged, start.reference);
      assert.equal(countOf(fake.requests, 'secret'), 1, 'forged callbacks fetch none');
    }));

  test('verifies with the configured secret without fetching one', () =>
    withReplicate(
      { adapter: { webhookSecret: { env: 'REPLICATE_SECRET' }, read: () => () => otherSecret } },
      async (fake, provider) => {
        const start = sampleStart();
        const shown = fake.shown(await startAccepted(provider, start));
        const own = signWebhook(shown, { secret: otherSecret });
        const result = await provider.readCallback!(requestOf(own, start.reference));
        assert.equal(result.outcome, 'hint');
        const fetched = { fetched: signWebhook(shown) };
        await assertInvalid(provider.readCallback!, fetched, start.reference);
        assert.equal(countOf(fake.requests, 'secret'), 0);
      },
    ));
});

describe('a declared provider', () => {
  const hint = { outcome: 'hint', operation: 'op-1' };
  const good = signWebhook({ data: { id: 'op-1' } });

  test('verifies Standard Webhooks', async () => {
    const secret = () => webhookSecret;
    const read = createReadCallback({ callbacks: { operation: 'data.id' }, secret });
    assert.deepEqual(await read(requestOf(good)), hint);
    await assertInvalid(read, {
      old: signWebhook({ data: { id: 'op-1' } }, { atSeconds: unixSeconds() - 1_000 }),
      'another body': { ...good, body: '{"data":{"id":"op-2"}}' },
      unsigned: { ...good, headers: {} },
      short: { ...good, headers: { ...good.headers, 'webhook-signature': 'v1,AAAA' } },
    });
  });

  test('verifies hexadecimal signatures with the secret as text', async () => {
    const read = createReadCallback({
      callbacks: { operation: 'id', signature: 'standard-webhooks-hex' },
      secret: () => webhookSecret,
    });
    /** As https://wavespeed.ai/docs/verify-webhooks describes it. */
    const signed = (ageSeconds: number, secret = webhookSecret): SignedWebhook => {
      const id = '45b392b22c3b449fa935bd4dc';
      const timestamp = String(unixSeconds() - ageSeconds);
      const body = JSON.stringify({ id: 'op-1', status: 'completed', outputs: [] });
      const hmac = createHmac('sha256', secret.replace('whsec_', ''));
      const signature = `v3,${hmac.update(`${id}.${timestamp}.${body}`).digest('hex')}`;
      return {
        headers: {
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signature,
        },
        body,
      };
    };
    assert.deepEqual(await read(requestOf(signed(0))), hint);
    await assertInvalid(read, { old: signed(1_000), forged: signed(0, 'whsec_x'), base64: good });
  });

  test('without a secret takes the unguessable URL as proof, and reads only an id', async () => {
    const read = createReadCallback({ callbacks: { operation: 'data.id' }, secret: undefined });
    assert.deepEqual(await read(requestOf({ ...good, headers: {} })), hint);
    for (const body of ['', '[', '{"data":{"id":{}}}', '{"data":{"id":".."}}', '"x"']) {
      assert.deepEqual(await read(requestOf({ headers: {}, body })), { outcome: 'hint' });
    }
  });
});

test('a callback of ModelArk, which is not signed, says which task to poll, and no status', () =>
  withModelArk({}, async (_, { readCallback }) => {
    const body = JSON.stringify({ id: 'cgt-1', status: 'failed' });
    const hint = { outcome: 'hint', operation: 'cgt-1' };
    assert.deepEqual(await readCallback!(requestOf({ headers: {}, body })), hint);
  }));

describe('published keys', () => {
  type Keys = { readonly key: number };
  const accept =
    (expected: number) =>
    ({ key }: Keys) =>
      key === expected ? null : 'wrong key';

  test('are fetched once for concurrent callbacks, and not again for forged ones', async () => {
    let fetches = 0;
    const verify = createKeyVerifier({ fetch: async () => ({ key: ++fetches }) });
    const concurrent = await Promise.all([verify(accept(1)), verify(accept(1)), verify(accept(1))]);
    assert.deepEqual(concurrent, [null, null, null]);
    assert.equal(await verify(accept(9)), 'wrong key');
    assert.equal(fetches, 1);
  });

  test('are not used when they cannot be fetched or are too old', async () => {
    const failing = createKeyVerifier<Keys>({ fetch: async () => undefined });
    const old = createKeyVerifier({ fetch: async () => ({ key: 1 }), ageMsMax: 0 });
    for (const verify of [failing, old]) {
      assert.equal(await verify(() => null), 'no keys to verify it with');
    }
  });
});
