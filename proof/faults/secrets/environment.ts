/**
 * A service process whose every secret is a canary, on a PostgreSQL of its own, and around it hosts
 * that repeat what they are told: a provider, Stripe and a receiver that quote our own words.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { FakeModelArk, fakeModels } from '../../kit/modelark/fake.ts';
import { cloneDatabase } from '../../kit/postgres.ts';
import { reservePort, ServiceProcess } from '../service-process.ts';
import { newPlainValue, newValue } from './canaries.ts';
import { createRecordingClient, type RecordingClient } from './recording-client.ts';

export type CanaryEnvironment = {
  readonly recorder: RecordingClient;
  readonly home: string;
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly provider: FakeModelArk;
  /** Answers 500 with all that it was sent. */
  readonly echo: { readonly url: string; readonly port: number };
  readonly db: Database;
  /** As an operator sends it. */
  readonly admin: { readonly authorization: string };
  readonly service: ServiceProcess;
  /** Waits until the process has said these words once more than at the last wait for them. */
  waitForLog(text: string): Promise<void>;
  close(): Promise<void>;
};

export async function openCanaryEnvironment(serverUrl: string): Promise<CanaryEnvironment> {
  const home = await mkdtemp(join(tmpdir(), 'vidgen-secrets-'));
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const recorder = createRecordingClient(url);
  const { addCanary } = recorder;
  const provider = await FakeModelArk.start({
    apiKey: addCanary("a provider's key", newValue('ark-key')),
    listPerSecond: 0,
  });
  const echo = await startEcho();
  const { url: databaseUrl, drop } = await cloneDatabase(
    serverUrl,
    process.env.VIDGEN_TEST_TEMPLATE ?? 'template0',
  );
  const configFile = join(home, 'secrets.config.mjs');
  await writeFile(configFile, configText({ provider: provider.baseUrl, stripePort: echo.port }));
  const token = addCanary('VIDGEN_ADMIN_TOKEN', newValue('admin-token'));
  const environment = {
    VIDGEN_HOME: home,
    VIDGEN_CONFIG: configFile,
    VIDGEN_PUBLIC_URL: url,
    VIDGEN_LOG_LEVEL: 'trace',
    VIDGEN_SELF_TEST: 'off',
    VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    VIDGEN_WEBHOOK_RETRIES: '1s',
    VIDGEN_SECRET: addCanary('VIDGEN_SECRET', newValue('installation-secret')),
    VIDGEN_ADMIN_TOKEN: token,
    VIDGEN_DATABASE_URL: withPassword(
      databaseUrl,
      addCanary("the database's password", newValue()),
    ),
    ARK_API_KEY: provider.apiKey,
    STRIPE_KEY: addCanary("Stripe's key", newPlainValue('sk_test_')),
    STRIPE_WEBHOOK_SECRET: addCanary("Stripe's webhook secret", newPlainValue('whsec_')),
    PORT: String(port),
  };
  const db = await openPostgres(databaseUrl, { connectionsMax: 2 });
  const service = new ServiceProcess({ environment, logFile: logOf(home) });
  return {
    recorder,
    home,
    url,
    environment,
    provider,
    echo,
    db,
    admin: { authorization: `Bearer ${token}` },
    service,
    waitForLog: logWaiter(home),
    async close() {
      if (!service.hasExited) await service.kill();
      await db.close();
      await drop();
      await provider.close();
      await echo.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

const logOf = (home: string): string => join(home, 'process.log');

/** Everything that the process wrote, to either output. */
export const outputOf = async ({ home }: Pick<CanaryEnvironment, 'home'>): Promise<string> =>
  await readFile(logOf(home), 'utf8');

const pollMs = 50;
const timeoutMs = 60_000;

function logWaiter(home: string): CanaryEnvironment['waitForLog'] {
  const times = new Map<string, number>();
  return async (text) => {
    const expectedCount = (times.get(text) ?? 0) + 1;
    times.set(text, expectedCount);
    const fromMs = monotonicMs();
    while ((await outputOf({ home })).split(text).length <= expectedCount) {
      if (monotonicMs() - fromMs > timeoutMs) throw new Error(`it never said: ${text}`);
      await sleep(pollMs);
    }
  };
}

export function withPassword(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl);
  url.password = encodeURIComponent(password);
  return url.href;
}

async function startEcho() {
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const message = JSON.stringify({ url: request.url, headers: request.headers, body });
    response.writeHead(500, { 'content-type': 'application/json', 'x-told': 'yes' });
    response.end(JSON.stringify({ error: { type: 'api_error', code: 'echo', message } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function configText({ provider, stripePort }: { provider: string; stripePort: number }): string {
  const ark = {
    kind: 'modelark',
    baseUrl: provider,
    apiKey: { env: 'ARK_API_KEY' },
    models: fakeModels,
    settleSeconds: 2,
  };
  const stripe = {
    secretKey: { env: 'STRIPE_KEY' },
    webhookSecret: { env: 'STRIPE_WEBHOOK_SECRET' },
    currency: 'usd',
    packs: [{ id: 'small', credits: 1000, price: 1900 }],
    address: { protocol: 'http', host: '127.0.0.1', port: stripePort },
  };
  const routes = Object.fromEntries(modelNames.map((model) => [model, ['ark']]));
  const file = { providers: { ark }, routes, topUps: { stripe } };
  return `export default ${JSON.stringify(file, null, 2)};\n`;
}
