/**
 * Hosts that operators chose: whatever their name resolves to when it is dialed, no connection goes
 * to the metadata service of a cloud.
 */
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { mock, test } from 'node:test';
import { checkProviders } from '../doctor/reach.ts';
import { createMailer } from '../messages/smtp.ts';
import { createProviderFetch } from '../openid/provider-fetch.ts';
import { createUpstream } from '../providers/toolkit/upstream.ts';
import { S3Connection } from '../storage/s3-request.ts';
import { createTraces } from '../telemetry/traces.ts';

/** What the name resolves to; the name itself is harmless. */
let resolved = '';
type Callback = (...results: readonly unknown[]) => void;
mock.method(dns, 'lookup', (_name: string, { all }: { all: boolean }, callback: Callback) => {
  const family = resolved.includes(':') ? 6 : 4;
  if (all) setImmediate(callback, null, [{ address: resolved, family }]);
  else setImmediate(callback, null, resolved, family);
});

const host = 'models.example';

/** Each returns how the connection failed. */
const dialers: Readonly<Record<string, (origin: string) => Promise<string>>> = {
  async provider(origin) {
    const upstream = createUpstream({ baseUrl: origin });
    const outcome = await upstream.call({ method: 'GET', path: '/', timeoutMs: 2000 });
    await upstream.close();
    assert(outcome.kind === 'unsent', JSON.stringify(outcome));
    return outcome.detail;
  },
  async openid(origin) {
    const { fetch } = createProviderFetch(AbortSignal.timeout(2000));
    return await fetch(origin.replace('http:', 'https:'), {}).then(String, String);
  },
  async storage(endpoint) {
    const connection = new S3Connection({
      settings: {
        bucket: 'boats',
        prefix: '',
        region: 'x',
        isPathStyle: true,
        endpoint,
        publicEndpoint: endpoint,
      },
      credentials: async () => ({ accessKeyId: 'x', secretAccessKey: 'x', sessionToken: null }),
      inactivityMs: 500,
      retryDelayMs: 1,
    });
    const request = { operation: 'HeadBucket', method: 'HEAD', key: null } as const;
    return await connection.send(request).then(String, String);
  },
  async traces(origin) {
    const warned = Promise.withResolvers<string>();
    const traces = createTraces({
      url: origin,
      headers: {},
      service: 'test',
      ratio: 1,
      log: { warn: ({ error }: { error: Error }) => warned.resolve(String(error)) } as never,
    });
    traces.add({ name: 'x', taskId: 'x', startMs: 0, endMs: 0 });
    await traces.close();
    return await warned.promise;
  },
  async mail(origin) {
    const { hostname } = new URL(origin);
    const settings = { host: hostname.replace(/[[\]]/g, ''), port: 25, tls: 'off', auth: null };
    const sender = { name: 'vidgen', address: 'no-reply@example.com' };
    const mailer = createMailer(settings as never, sender);
    const mail = { id: 'x', to: 'ada@example.com', subject: 'x', text: 'x', html: 'x' };
    const result = await mailer.send(mail);
    assert(result.outcome === 'retry');
    return result.error;
  },
  async doctor(origin) {
    return (await checkProviders([{ name: 'x', url: origin }]))[0]!.message;
  },
};

for (const [name, dial] of Object.entries(dialers)) {
  test(`${name}: no connection goes to a metadata service`, async () => {
    // Link-local, and reserved: no host has them (RFC 3927, 2.1).
    for (const address of ['169.254.0.1', 'fe80::1', '::ffff:169.254.255.1']) {
      resolved = address;
      assert.match(await dial(`http://${host}`), /ELINKLOCAL|link-local/, address);
      const literal = address.includes(':') ? `[${address}]` : address;
      assert.match(await dial(`http://${literal}`), /ELINKLOCAL|link-local/, literal);
    }
  });
}
