/**
 * An installation whose every secret is a canary, with hosts around it that repeat what they
 * receive: the provider, Stripe and the receiver quote the requests of the service.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { closeServer } from '../../kit/result-server.ts';
import { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { loseNone } from '../upstream.ts';
import { newPlainValue, newValue } from './canaries.ts';
import {
  createRecordingClient,
  type RecordedResponse,
  type RecordingClient,
} from './recording-client.ts';

export type CanaryEnvironment = AsyncDisposable & {
  readonly recorder: RecordingClient;
  readonly installation: Installation;
  /** Responds with 500 and everything it received. */
  readonly echo: { readonly url: string; readonly paths: readonly string[] };
  /** The header of the administrator. */
  readonly admin: { readonly authorization: string };
  /** Posts as the administrator. */
  post(path: string, body?: unknown): Promise<RecordedResponse>;
  /** The database URL with a canary as its password. */
  readonly databaseUrl: string;
  readonly service: ServiceProcess;
};

export async function openCanaryEnvironment(): Promise<CanaryEnvironment> {
  const recorder = createRecordingClient();
  const { addCanary } = recorder;
  const echo = await startEcho();
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
    post: (path, body) => recorder.send('operator', 'POST', path, { headers: admin, body }),
    databaseUrl,
    service: installation.start({ environment: { VIDGEN_DATABASE_URL: databaseUrl } }),
    async [Symbol.asyncDispose]() {
      await installation.close();
      await echo.close();
    },
  };
}

const pollMs = 50;
const timeoutMs = 60_000;

export async function waitUntil(what: string, isDone: () => boolean): Promise<void> {
  const fromMs = monotonicMs();
  while (!isDone()) {
    if (monotonicMs() - fromMs > timeoutMs) throw new Error(`timed out: ${what}`);
    await sleep(pollMs);
  }
}

export function withPassword(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl);
  url.password = encodeURIComponent(password);
  return url.href;
}

async function startEcho() {
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? '');
    const body = await text(request);
    const message = JSON.stringify({ url: request.url, headers: request.headers, body });
    response.writeHead(500, { 'content-type': 'application/json', 'x-echo': 'yes' });
    response.end(JSON.stringify({ error: { type: 'api_error', code: 'echo', message } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, paths, url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

const stripeSettings = (port: number) => ({
  secretKey: { env: 'STRIPE_KEY' },
  webhookSecret: { env: 'STRIPE_WEBHOOK_SECRET' },
  currency: 'usd',
  packs: [{ id: 'small', credits: 1000, price: 1900 }],
  address: { protocol: 'http', host: '127.0.0.1', port },
});
