/**
 * A home folder or a database of its own, with everything around it that outlives a kill: the
 * provider, the receiver of webhook calls, an account with credits. Processes come and go on it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { modelNames } from '@vidgen/contract/models.ts';
import type { Role } from '../../server/config.ts';
import type { Database } from '../../server/database/database.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { rescue } from '../../server/queue/rescuer.ts';
import { fakeModels } from '../kit/modelark/fake.ts';
import { cloneDatabase } from '../kit/postgres.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import {
  type Client,
  clientOf,
  type HttpResponse,
  makeAccount,
  testAdminToken,
} from '../kit/service.ts';
import { Clients } from './clients.ts';
import { reservePort, ServiceProcess } from './service-process.ts';
import { startUpstream, type Upstream, type UpstreamOptions } from './upstream.ts';

export type Engine = 'embedded' | 'postgres';

export type InstallationOptions = {
  readonly engine: Engine;
  /** A server to make a database on; only for `postgres`. */
  readonly serverUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly percentLost?: UpstreamOptions['percentLost'];
  /** How long a submit whose answer was lost may still appear at the provider. */
  readonly settleSeconds?: number;
};

export type StartOptions = {
  readonly role?: Role;
  /** Only for processes besides the first: their own, so that all can listen. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly through?: readonly string[];
};

export type TestAccount = Awaited<ReturnType<typeof makeAccount>>;

/** More than any run spends. */
export const grantedCredits = 1_000_000;

/** A held resource: servers, a database, and every process that was started on it. */
export class Installation {
  readonly engine: Engine;
  readonly home: string;
  readonly port: number;
  readonly receiver: Receiver;
  readonly upstream: Upstream;
  readonly clients: Clients;
  readonly admin: Client;
  /** Besides the processes, to look at leases; PostgreSQL only. */
  readonly db: Database | null;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #dropDatabase: () => Promise<void>;
  readonly #processes = new Set<ServiceProcess>();
  #account: TestAccount | undefined;

  private constructor(parts: Parts) {
    ({ engine: this.engine, home: this.home, port: this.port, db: this.db } = parts);
    ({ receiver: this.receiver, upstream: this.upstream, clients: this.clients } = parts);
    this.#environment = parts.environment;
    this.#dropDatabase = parts.dropDatabase;
    this.admin = clientOf(this.url, testAdminToken);
  }

  static async open(options: InstallationOptions): Promise<Installation> {
    const { engine, serverUrl } = options;
    const home = await mkdtemp(join(tmpdir(), 'vidgen-faults-'));
    if (engine === 'embedded') await unpackDump(join(home, 'database'));
    const port = await reservePort();
    const receiver = await startReceiver();
    const clients = new Clients({ url: `http://127.0.0.1:${port}`, receiver });
    const isDone = (taskNumber: number) => clients.hasWebhook(taskNumber);
    const { percentLost } = options;
    const upstream = await startUpstream({ isDone, ...(percentLost ? { percentLost } : {}) });
    const configFile = join(home, 'faults.config.mjs');
    await writeFile(configFile, configText(upstream.fake.baseUrl, options.settleSeconds ?? 2));
    const database = engine === 'postgres' ? await openDatabase(serverUrl!) : null;
    return new Installation({
      engine,
      home,
      port,
      receiver,
      upstream,
      clients,
      db: database?.db ?? null,
      dropDatabase: async () => await database?.drop(),
      environment: {
        VIDGEN_HOME: home,
        VIDGEN_CONFIG: configFile,
        ARK_API_KEY: upstream.fake.apiKey,
        VIDGEN_PUBLIC_URL: `http://127.0.0.1:${port}`,
        VIDGEN_ADMIN_TOKEN: testAdminToken,
        VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
        VIDGEN_LOG_LEVEL: 'warn',
        // It is started anew hundreds of times, and renders nothing.
        VIDGEN_SELF_TEST: 'off',
        VIDGEN_RATE_CREATE: '0',
        VIDGEN_RATE_STATUS: '0',
        VIDGEN_WEBHOOK_RETRIES: '1s,1s,2s,4s,8s',
        ...(database ? { VIDGEN_DATABASE_URL: database.url } : {}),
        ...options.environment,
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A further process; what came of it is asked of the answer. */
  start(options: StartOptions = {}): ServiceProcess {
    const { role = 'all', port = this.port, environment, through } = options;
    const started = new ServiceProcess({
      environment: {
        ...this.#environment,
        VIDGEN_ROLE: role,
        PORT: String(port),
        ...environment,
      },
      logFile: join(this.home, 'processes.log'),
      ...(through ? { through } : {}),
    });
    this.#processes.add(started);
    void started.exited.then(() => this.#processes.delete(started));
    return started;
  }

  /** Made at the first call, so a process must be serving. */
  async account(): Promise<TestAccount> {
    this.#account ??= await makeAccount(this.url, this.admin, { live: grantedCredits });
    this.clients.useKey(this.#account.key);
    return this.#account;
  }

  /** As a customer. */
  async read(path: string): Promise<HttpResponse> {
    const { key } = await this.account();
    return await clientOf(this.url, key).get(path);
  }

  /** Jobs that the dead process still holds: nobody can go on with them. */
  async countLeasedBy(pid: number): Promise<number> {
    if (!this.db) return 0;
    const { rows } = await this.db.query<{ jobs: number }>(
      'select count(*) as jobs from jobs where lease_owner like $1',
      [`worker-${pid}-%`],
    );
    return rows[0]!.jobs;
  }

  /** As if their time had passed and a rescuer come by: for tests that cannot wait for it. */
  async expireLeases(pid: number): Promise<void> {
    if (!this.db) return;
    await this.db.query('update jobs set lease_until = now() where lease_owner like $1', [
      `worker-${pid}-%`,
    ]);
    await rescue(this.db);
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#processes].map((one) => one.kill()));
  }

  async close(): Promise<void> {
    const abandoned = this.clients.abandon();
    await this.killAll();
    await abandoned;
    await this.db?.close();
    await this.#dropDatabase();
    await this.upstream.close();
    await this.receiver.close();
    await rm(this.home, { recursive: true, force: true, maxRetries: 3 });
  }
}

type Parts = Pick<
  Installation,
  'engine' | 'home' | 'port' | 'receiver' | 'upstream' | 'clients' | 'db'
> & {
  readonly environment: Readonly<Record<string, string>>;
  readonly dropDatabase: () => Promise<void>;
};

/** `npm test` has made a database already; elsewhere the first process does. */
async function unpackDump(folder: string): Promise<void> {
  const dump = process.env.VIDGEN_TEST_DUMP;
  if (!dump || !existsSync(dump)) return;
  await mkdir(folder, { mode: 0o700 });
  await promisify(execFile)('tar', ['-xf', dump, '-C', folder]);
}

async function openDatabase(serverUrl: string) {
  const template = process.env.VIDGEN_TEST_TEMPLATE ?? 'template0';
  const { url, drop } = await cloneDatabase(serverUrl, template);
  const db = await openPostgres(url, { connectionsMax: 2 });
  return { url, drop, db };
}

/** All models at the double; quick to give a lost answer up, free to look as often as it must. */
function configText(baseUrl: string, settleSeconds: number): string {
  const fake = {
    kind: 'modelark',
    baseUrl,
    apiKey: { env: 'ARK_API_KEY' },
    models: fakeModels,
    settleSeconds,
    getPerSecond: 500,
    listPerSecond: 20,
  };
  const routes = Object.fromEntries(modelNames.map((model) => [model, ['double']]));
  return `export default ${JSON.stringify({ providers: { double: fake }, routes }, null, 2)};\n`;
}
