/** Only callbacks that Replicate signed recently for the same start have an effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import { sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import type { FakeReplicate } from '../../../proof/kit/replicate/fake.ts';
import { withFake } from '../../../proof/kit/replicate/fixture.ts';
import { type SignedWebhook, signWebhook } from '../../../proof/kit/signed-webhook.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { CallbackResult, Provider } from '../provider.ts';

const otherSecret = `whsec_${Buffer.from('another secret, also of 32 bytes').toString('base64')}`;

const read = (
  provider: Provider,
  reference: string,
  { headers, body }: SignedWebhook,
): Promise<CallbackResult> =>
  provider.readCallback!({ reference, headers, body: Buffer.from(body) });

const secretRequests = (fake: FakeReplicate): number =>
  fake.requests.filter(({ operation }) => operation === 'secret').length;

test('accepts a signed callback repeatedly and returns its operation', () =>
  withFake(async (fake, provider) => {
    const start = sampleStart();
    const operation = await startAccepted(provider, start);
    fake.advance(operation, 'succeeded');
    const call = signWebhook(fake.shown(operation));
    const expected = { outcome: 'hint', operation };
    assert.deepEqual(await read(provider, start.reference, call), expected);
    assert.deepEqual(await read(provider, start.reference, call), expected);
    assert.equal(secretRequests(fake), 1, 'the secret is fetched once');
  }));

test('rejects callbacks that are forged, stale, unsigned or for another start', () =>
  withFake(async (fake, provider) => {
    const start = sampleStart();
    const operation = await startAccepted(provider, start);
    const shown = fake.shown(operation);
    const good = signWebhook(shown);
    const invalidCalls: readonly (readonly [string, SignedWebhook])[] = [
      ['another secret', signWebhook(shown, { secret: otherSecret })],
      ['another body', { ...good, body: good.body.replace('starting', 'succeeded') }],
      ['ten minutes ago', signWebhook(shown, { atSeconds: unixSeconds() - 600 })],
      ['unsigned', { ...good, headers: {} }],
      ['another start', signWebhook({ ...shown, webhook: 'https://svc.example.test/vg_another' })],
    ];
    for (const [why, call] of invalidCalls) {
      const { outcome } = await read(provider, start.reference, call);
      assert.equal(outcome, 'invalid_signature', why);
    }
    assert.equal(secretRequests(fake), 1, 'forged callbacks do not fetch it again');
  }));

test('verifies with the configured secret without fetching one', () =>
  withFake(
    async (fake, provider) => {
      const start = sampleStart();
      const operation = await startAccepted(provider, start);
      const shown = fake.shown(operation);
      const own = await read(
        provider,
        start.reference,
        signWebhook(shown, { secret: otherSecret }),
      );
      assert.equal(own.outcome, 'hint');
      assert.equal(
        (await read(provider, start.reference, signWebhook(shown))).outcome,
        'invalid_signature',
      );
      assert.equal(secretRequests(fake), 0);
    },
    { adapter: { webhookSecret: { env: 'REPLICATE_SECRET' }, read: () => () => otherSecret } },
  ));
