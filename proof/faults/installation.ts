/**
 * One installation of the service for a fault test: a home directory, a database, and everything
 * that outlives a kill (the provider, the webhook receiver, accounts with credits). Processes of
 * the service are started and killed on it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import type { Role } from '../../server/config/config.ts';
import type { Database } from '../../server/database/database.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { sleep } from '../../server/process/clock.ts';
import { rescue } from '../../server/queue/rescuer.ts';
import { fakeModels } from '../kit/modelark/fake.ts';
import { cloneDatabase, startPostgres } from '../kit/postgres.ts';
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
import { Upstream, type UpstreamOptions } from './upstream.ts';

type Environment = Readonly<Record<string, string>>;

export type InstallationOptions = {
  /** The PostgreSQL server for the database; by default one of its own. */
  readonly serverUrl?: string;
  readonly environment?: Environment;
  readonly upstream?: UpstreamOptions;
  /** How long a submit with a lost response may still appear at the provider. */
  readonly settleSeconds?: number;
  readonly config?: Readonly<Record<string, unknown>>;
};

export type StartOptions = {
  readonly role?: Role;
  /** Another port than the installation's, for a second process that listens. */
  readonly port?: number;
  readonly environment?: Environment;
  readonly through?: readonly string[];
  /** Another file for its output than that of all processes. */
  readonly logFile?: string;
};

export type TestAccount = Awaited<ReturnType<typeof makeAccount>>;

const pollMs = 5;
const pollsPerTask = 40;
const startsMax = 4;

/** More than any run spends. */
export const grantedCredits = 10_000_000;

/** A held resource: servers, a database, and every process started on it. */
export class Installation implements AsyncDisposable {
  readonly home: string;
  readonly port: number;
  readonly url: string;
  readonly receiver: Receiver;
  readonly upstream: Upstream;
  readonly clients: Clients;
  readonly admin: Client;
  readonly accounts: TestAccount[] = [];
  /** The numbers of the tasks that an inspection found completed. */
  readonly completed = new Set<number>();
  readonly db: Database;
  readonly databaseUrl: string;
  readonly #environment: Environment;
  readonly #closeDatabase: () => Promise<void>;
  readonly #processes = new Set<ServiceProcess>();

  private constructor(parts: Parts) {
    ({ home: this.home, port: this.port } = parts);
    ({ receiver: this.receiver, upstream: this.upstream, clients: this.clients } = parts);
    this.url = `http://127.0.0.1:${parts.port}`;
    this.admin = clientOf(this.url, parts.environment.VIDGEN_ADMIN_TOKEN!);
    ({ db: this.db, url: this.databaseUrl, close: this.#closeDatabase } = parts.database);
    this.#environment = parts.environment;
  }

  static async open(options: InstallationOptions = {}): Promise<Installation> {
    const home = await mkdtemp(join(tmpdir(), 'vidgen-faults-'));
    const port = await reservePort();
    const receiver = await startReceiver();
    const clients = new Clients({ url: `http://127.0.0.1:${port}`, receiver });
    const isDone = (taskNumber: number) => clients.hasWebhook(taskNumber);
    const upstream = await Upstream.start({ ...options.upstream, isDone });
    const database = await openDatabase(options);
    const configFile = join(home, 'faults.config.mjs');
    await writeFile(configFile, configText(upstream.fake.baseUrl, options));
    const environment: Environment = {
      VIDGEN_HOME: home,
      VIDGEN_CONFIG: configFile,
      ARK_API_KEY: upstream.fake.apiKey,
      VIDGEN_PUBLIC_URL: `http://127.0.0.1:${port}`,
      VIDGEN_ADMIN_TOKEN: testAdminToken,
      VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      VIDGEN_LOG_LEVEL: 'warn',
      // Processes start hundreds of times and render nothing.
      VIDGEN_SELF_TEST: 'off',
      VIDGEN_POSTERS: 'off',
      VIDGEN_RATE_CREATE: '0',
      VIDGEN_RATE_STATUS: '0',
      VIDGEN_WEBHOOK_RETRIES: '1s,1s,2s,4s,8s',
      VIDGEN_DATABASE_URL: database.url,
      ...options.environment,
    };
    const around = { receiver, upstream, clients };
    return new Installation({ home, port, ...around, database, environment });
  }

  get logFile(): string {
    return join(this.home, 'processes.log');
  }

  /** Starts a further process; the caller waits until it serves. */
  start(options: StartOptions = {}): ServiceProcess {
    const { role = 'all', port = this.port, environment, through } = options;
    const { logFile = this.logFile } = options;
    const started = new ServiceProcess({
      environment: {
        ...this.#environment,
        VIDGEN_ROLE: role,
        PORT: String(port),
        ...environment,
      },
      logFile,
      ...(through ? { through } : {}),
    });
    this.#processes.add(started);
    void started.exited.then(() => this.#processes.delete(started));
    return started;
  }

  /**
   * Starts a process and waits until it serves, as a supervisor does: where many tests run at once,
   * its first connection to the database can time out.
   */
  async startServing(options: StartOptions = {}): Promise<ServiceProcess> {
    for (let startsLeft = startsMax; ; startsLeft--) {
      const service = this.start(options);
      try {
        await service.waitUntilServing();
        return service;
      } catch (error) {
        if (startsLeft === 1 || !/timeout expired/.test((error as Error).message)) throw error;
      }
    }
  }

  /**
   * Starts an API process, another process beside it, and the first account. `beside` is a worker,
   * or a process with both roles on a port of its own.
   */
  async startPair(beside: 'worker' | 'all'): Promise<readonly [ServiceProcess, ServiceProcess]> {
    const api = this.start({ role: 'api' });
    await api.waitUntilServing();
    await this.account();
    if (beside === 'worker') return [api, this.start({ role: 'worker' })];
    const second = this.start({ port: await reservePort() });
    await second.waitUntilServing();
    return [api, second];
  }

  /** The account at this index; the first call creates it, so a process must be serving. */
  async account(at = 0): Promise<TestAccount> {
    const name = `Harbor ${at + 1}`;
    this.accounts[at] ??= await makeAccount(this.url, this.admin, { live: grantedCredits, name });
    if (at === 0) this.clients.useKey(this.accounts[0]!.key);
    return this.accounts[at];
  }

  async read(path: string): Promise<HttpResponse> {
    const { key } = await this.account();
    return await clientOf(this.url, key).get(path);
  }

  /** The number of jobs that this process has leased. */
  async countLeasedBy(pid: number): Promise<number> {
    const { rows } = await this.db.query<{ jobs: number }>(
      'select count(*) as jobs from jobs where lease_owner like $1',
      [`worker-${pid}-%`],
    );
    return rows[0]!.jobs;
  }

  /**
   * Creates tasks until the process has leased a job, since a worker serves no endpoint that tells
   * whether it is ready. Throws when the process exits before.
   */
  async waitUntilWorking(process: ServiceProcess): Promise<void> {
    for (;;) {
      await this.clients.create();
      for (let polls = 0; polls < pollsPerTask; polls++) {
        if ((await this.countLeasedBy(process.pid)) > 0) return;
        if (process.hasExited) throw new Error(`the process exited: ${process.output()}`);
        await sleep(pollMs);
      }
    }
  }

  /** Expires the leases of a process and rescues its jobs, for tests that cannot wait 15 s. */
  async expireLeases(pid: number): Promise<void> {
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
    await this.#closeDatabase();
    await this.upstream.close();
    await this.receiver.close();
    await rm(this.home, { recursive: true, force: true, maxRetries: 3 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

type Parts = Pick<Installation, 'home' | 'port' | 'receiver' | 'upstream' | 'clients'> & {
  readonly environment: Environment;
  readonly database: Awaited<ReturnType<typeof openDatabase>>;
};

async function openDatabase({ serverUrl }: InstallationOptions) {
  const server = serverUrl === undefined ? await startPostgres() : null;
  // The template exists only on the server that was given to the tests.
  const isShared = (serverUrl ?? server?.url) === process.env.VIDGEN_TEST_DATABASE_URL;
  const template = (isShared && process.env.VIDGEN_TEST_TEMPLATE) || 'template0';
  const { url, drop } = await cloneDatabase(serverUrl ?? server!.url, template);
  const db = await openPostgres(url, { connectionsMax: 2 });
  const close = async () => {
    await db.close();
    await drop();
    await server?.stop();
  };
  return { url, db, close };
}

/** Routes all models to the fake, with short waits and frequent polls. */
function configText(baseUrl: string, { settleSeconds = 2, config }: InstallationOptions): string {
  const ark = {
    kind: 'modelark',
    baseUrl,
    apiKey: { env: 'ARK_API_KEY' },
    models: fakeModels,
    settleSeconds,
    getPerSecond: 500,
    listPerSecond: 20,
  };
  const routes = Object.fromEntries(modelNames.map((model) => [model, ['ark']]));
  return `export default ${JSON.stringify({ providers: { ark }, routes, ...config }, null, 2)};\n`;
}
