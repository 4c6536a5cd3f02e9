/** Only what Replicate signed, just now and for this very start, has an effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleStart } from '../../../proof/kit/conformance-bench.ts';
import { accepted } from '../../../proof/kit/conformance-faults.ts';
import { withDouble } from '../../../proof/kit/replicate/bench.ts';
import type { ReplicateDouble } from '../../../proof/kit/replicate/double.ts';
import { words } from '../../../proof/kit/replicate/rules.ts';
import { callFor, type SignedCall } from '../../../proof/kit/replicate/webhooks.ts';
import { declined } from '../../../proof/kit/upstream-double.ts';
import { unixSeconds } from '../../clock.ts';
import type { CallbackReading, Provider } from '../provider.ts';

const otherSecret = `whsec_${Buffer.from('another secret, also of 32 bytes').toString('base64')}`;

const read = (
  provider: Provider,
  reference: string,
  { headers, body }: SignedCall,
): Promise<CallbackReading> =>
  provider.readCallback!({ reference, headers, body: Buffer.from(body) });

const secretsAsked = (double: ReplicateDouble): number =>
  double.requests.filter(({ operation }) => operation === 'secret').length;

test('believes a signed call, which names the operation, and again when it comes twice', () =>
  withDouble(async (double, provider) => {
    const start = sampleStart();
    const operation = await accepted(provider, start);
    double.advance(operation, 'succeeded');
    const call = callFor(double.shown(operation));
    const expected = { outcome: 'hint', operation };
    assert.deepEqual(await read(provider, start.reference, call), expected);
    assert.deepEqual(await read(provider, start.reference, call), expected);
    assert.equal(secretsAsked(double), 1, 'the secret is asked for once');
  }));

test('takes what is forged, stale, unsigned or meant for another start as forged', () =>
  withDouble(async (double, provider) => {
    const start = sampleStart();
    const operation = await accepted(provider, start);
    const shown = double.shown(operation);
    const good = callFor(shown);
    const forged: readonly (readonly [string, SignedCall])[] = [
      ['another secret', callFor(shown, { secret: otherSecret })],
      ['another body', { ...good, body: good.body.replace('starting', 'succeeded') }],
      ['ten minutes ago', callFor(shown, { atSeconds: unixSeconds() - 600 })],
      ['unsigned', { ...good, headers: {} }],
      ['another start', callFor({ ...shown, webhook: 'https://svc.example.test/vg_another' })],
    ];
    for (const [why, call] of forged) {
      const { outcome } = await read(provider, start.reference, call);
      assert.equal(outcome, 'forged', why);
    }
    assert.equal(secretsAsked(double), 1, 'and forgers do not make us ask again and again');
  }));

test('believes nothing while the secret cannot be fetched', () =>
  withDouble(async (double, provider) => {
    const start = sampleStart();
    const operation = await accepted(provider, start);
    double.next('secret', declined(words['server error']));
    const reading = await read(provider, start.reference, callFor(double.shown(operation)));
    assert.equal(reading.outcome, 'forged');
  }));

test('verifies with the configured secret, without asking', () =>
  withDouble(
    async (double, provider) => {
      const start = sampleStart();
      const operation = await accepted(provider, start);
      const shown = double.shown(operation);
      const own = await read(provider, start.reference, callFor(shown, { secret: otherSecret }));
      assert.equal(own.outcome, 'hint');
      assert.equal((await read(provider, start.reference, callFor(shown))).outcome, 'forged');
      assert.equal(secretsAsked(double), 0);
    },
    { adapter: { webhookSecret: { env: 'REPLICATE_SECRET' }, read: () => () => otherSecret } },
  ));
