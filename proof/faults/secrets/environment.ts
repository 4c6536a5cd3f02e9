/**
 * An installation whose every secret is a canary, with hosts around it that repeat what they
 * receive: the provider, Stripe and the receiver quote the requests of the service.
 */
import { startFakeS3 } from '../../kit/fake-s3.ts';
import { readBody, startLocalServer } from '../../kit/local-server.ts';
import { Installation } from '../installation.ts';
import { loseNone } from '../upstream.ts';
import { newPlainValue, newValue } from './canaries.ts';
import { createRecordingClient } from './recording-client.ts';

export type CanaryEnvironment = Awaited<ReturnType<typeof openCanaryEnvironment>>;

export async function openCanaryEnvironment() {
  const recorder = createRecordingClient();
  const { addCanary } = recorder;
  const echo = await startEcho();
  const store = await startFakeS3();
  const storeKey = addCanary("the bucket's secret key", newValue('bucket-key'));
  store.keys.set('AKCANARY', storeKey);
  const token = addCanary('VIDGEN_ADMIN_TOKEN', newValue('admin-token'));
  const apiKey = addCanary("a provider's key", newValue('ark-key'));
  const installation = await Installation.open({
    upstream: { apiKey, lostPercent: loseNone },
    config: { topUps: { stripe: stripeSettings(echo.port) } },
    environment: {
      VIDGEN_LOG_LEVEL: 'trace',
      VIDGEN_WEBHOOK_RETRIES: '1s',
      VIDGEN_SECRET: addCanary('VIDGEN_SECRET', newValue('installation-secret')),
      VIDGEN_ADMIN_TOKEN: token,
      VIDGEN_METRICS_TOKEN: addCanary('VIDGEN_METRICS_TOKEN', newValue('metrics-token')),
      VIDGEN_STORAGE_URL: store.url(),
      AWS_ACCESS_KEY_ID: 'AKCANARY',
      AWS_SECRET_ACCESS_KEY: storeKey,
      STRIPE_KEY: addCanary("Stripe's key", newPlainValue('sk_test_')),
      STRIPE_WEBHOOK_SECRET: addCanary("Stripe's webhook secret", newPlainValue('whsec_')),
    },
  });
  installation.upstream.move('stop');
  recorder.useUrl(installation.url);
  const admin = { authorization: `Bearer ${token}` };
  const password = addCanary("the database's password", newValue());
  const databaseUrl = withPassword(installation.databaseUrl, password);
  return {
    recorder,
    installation,
    echo,
    admin,
    post: (path: string, body?: unknown) =>
      recorder.send('operator', 'POST', path, { headers: admin, body }),
    service: installation.start({ environment: { VIDGEN_DATABASE_URL: databaseUrl } }),
    async [Symbol.asyncDispose](): Promise<void> {
      await installation.close();
      await echo.close();
      await store.close();
    },
  };
}

function withPassword(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl);
  url.password = encodeURIComponent(password);
  return url.href;
}

async function startEcho() {
  const paths: string[] = [];
  const { origin, close } = await startLocalServer(async (request, response) => {
    paths.push(request.url ?? '');
    const body = (await readBody(request)).toString();
    const message = JSON.stringify({ url: request.url, headers: request.headers, body });
    response.writeHead(500, { 'content-type': 'application/json', 'x-echo': 'yes' });
    response.end(JSON.stringify({ error: { type: 'api_error', code: 'echo', message } }));
  });
  return { port: Number(new URL(origin).port), paths, url: origin, close };
}

const stripeSettings = (port: number) => ({
  secretKey: { env: 'STRIPE_KEY' },
  webhookSecret: { env: 'STRIPE_WEBHOOK_SECRET' },
  currency: 'usd',
  packs: [{ id: 'small', credits: 1000, price: 1900 }],
  address: { protocol: 'http', host: '127.0.0.1', port },
});
