/**
 * The service of a soak run and all that is around it: a home, a database, the provider, receivers,
 * accounts, and one or two processes. The first process is never killed where there are two, so
 * that what it gathers over the whole run can be seen; the second dies again and again.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { fakeModels } from '../../kit/modelark/fake.ts';
import { type Client, clientOf, makeAccount, testAdminToken } from '../../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import type { Engine } from '../installation.ts';
import { reservePort, ServiceProcess } from '../service-process.ts';
import type { SoakDatabase } from './database.ts';
import { type SoakProvider, startSoakProvider } from './provider.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { accountsMax, type Disturbance } from './schedule.ts';

export type SoakEnvironmentOptions = {
  readonly engine: Engine;
  readonly processes: 1 | 2;
  readonly seed: number;
  readonly resultSeconds: number;
  /** PostgreSQL only. */
  readonly database: SoakDatabase | null;
};

export type SoakAccount = Awaited<ReturnType<typeof makeAccount>>;
type Member = { readonly name: 'steady' | 'restless'; readonly port: number };

export const grantedCredits = 10_000_000;
/** For so long after the database is back, requests may still fail: it is connected to anew. */
const disturbedMs = 10_000;

/** A held resource: everything ends at `close`. */
export class SoakEnvironment {
  readonly options: SoakEnvironmentOptions;
  readonly home: string;
  readonly provider: SoakProvider;
  readonly receivers: Receivers;
  readonly accounts: SoakAccount[] = [];
  /** Beside the service, to look at its tables. */
  readonly db: Database | null;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #members: readonly Member[];
  readonly #running = new Map<Member['name'], ServiceProcess>();
  #disturbedUntilMs = 0;
  #closing = false;

  private constructor(parts: Parts) {
    ({ options: this.options, home: this.home, db: this.db } = parts);
    ({ provider: this.provider, receivers: this.receivers } = parts);
    this.#environment = parts.environment;
    this.#members = parts.members;
  }

  static async open(options: SoakEnvironmentOptions): Promise<SoakEnvironment> {
    const { processes, seed, database, resultSeconds } = options;
    const home = makeTemporaryFolder('soak');
    chmodSync(home, 0o755);
    mkdirSync(join(home, 'vidgen'));
    const members: Member[] = [{ name: 'steady', port: await reservePort() }];
    if (processes === 2) members.push({ name: 'restless', port: await reservePort() });
    const receivers = await startReceivers({ resultLifeMs: resultSeconds * 1000 });
    const provider = await startSoakProvider(seed);
    const configFile = join(home, 'soak.config.mjs');
    await writeFile(configFile, configText(provider.fake.baseUrl));
    const environment = {
      VIDGEN_HOME: join(home, 'vidgen'),
      VIDGEN_CONFIG: configFile,
      ARK_API_KEY: provider.fake.apiKey,
      VIDGEN_PUBLIC_URL: `http://127.0.0.1:${members[0]!.port}`,
      VIDGEN_ADMIN_TOKEN: testAdminToken,
      VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      VIDGEN_LOG_LEVEL: 'warn',
      VIDGEN_SELF_TEST: 'off',
      VIDGEN_RESULT_TTL: `${resultSeconds}s`,
      VIDGEN_WEBHOOK_RETRIES: '1s,1s,2s,4s,8s',
      // Never reached, but counted: the windows are part of what must stay small.
      VIDGEN_RATE_CREATE: '100000',
      VIDGEN_RATE_STATUS: '1000000',
      ...(database ? { VIDGEN_DATABASE_URL: database.url } : {}),
    };
    const db = database ? await openPostgres(database.url, { connectionsMax: 2 }) : null;
    return new SoakEnvironment({ options, home, members, receivers, provider, environment, db });
  }

  /** The first start makes the database; the second process finds it made. */
  async start(): Promise<void> {
    for (const { name } of this.#members) await this.#start(name);
    for (let at = 1; at <= accountsMax; at++) {
      const accountOptions = { live: grantedCredits, name: `Harbour ${at}` };
      this.accounts.push(await makeAccount(this.steadyUrl, this.admin, accountOptions));
    }
  }

  get steadyUrl(): string {
    return this.#urlOf(this.#members[0]!);
  }

  get admin(): Client {
    return clientOf(this.steadyUrl, testAdminToken);
  }

  /** Where customers ask, the dead process included: they cannot know. */
  urlFor(number: number): string {
    return this.#urlOf(this.#members[number % this.#members.length]!);
  }

  get processes(): readonly { readonly name: string; readonly process: ServiceProcess }[] {
    return [...this.#running].map(([name, process]) => ({ name, process }));
  }

  /**
   * Whether the database is away, or was just now: then a request may be answered with a 500, and
   * at no other time. A killed process answers nothing at all.
   */
  get isDisturbed(): boolean {
    return monotonicMs() < this.#disturbedUntilMs;
  }

  /** Answers when everything is up again. */
  async disturb({ kind, awayMs }: Disturbance): Promise<void> {
    if (kind !== 'database') {
      return await this.#replace(this.#members.at(-1)!.name, { kind, awayMs });
    }
    this.#disturbedUntilMs = Number.POSITIVE_INFINITY;
    await this.options.database!.crash!(awayMs);
    this.#disturbedUntilMs = monotonicMs() + disturbedMs;
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.processes.map(({ process }) => process.kill()));
    await this.db?.close();
    await this.provider.close();
    await this.receivers.close();
    await this.options.database?.close();
    deleteFolder(this.home);
  }

  async #replace(
    name: Member['name'],
    { kind, awayMs }: { kind: 'kill' | 'stop'; awayMs: number },
  ): Promise<void> {
    const victim = this.#running.get(name)!;
    this.#running.delete(name);
    const { code } = kind === 'kill' ? await victim.kill() : await victim.stop();
    if (kind === 'stop' && code !== 0) throw new Error(`a stop ended with ${code}`);
    await sleep(awayMs);
    if (!this.#closing) await this.#start(name);
  }

  async #start(name: Member['name']): Promise<void> {
    const { port } = this.#members.find((member) => member.name === name)!;
    const environment = { ...this.#environment, PORT: String(port) };
    const process = new ServiceProcess({ environment, logFile: this.logFile });
    this.#running.set(name, process);
    await process.waitUntilServing();
  }

  get logFile(): string {
    return join(this.home, 'processes.log');
  }

  #urlOf({ port }: Member): string {
    return `http://127.0.0.1:${port}`;
  }
}

type Parts = Pick<SoakEnvironment, 'options' | 'home' | 'provider' | 'receivers' | 'db'> & {
  readonly environment: Readonly<Record<string, string>>;
  readonly members: readonly Member[];
};

function configText(baseUrl: string): string {
  const fake = {
    kind: 'modelark',
    baseUrl,
    apiKey: { env: 'ARK_API_KEY' },
    models: fakeModels,
    settleSeconds: 2,
    getPerSecond: 500,
    listPerSecond: 20,
  };
  const routes = Object.fromEntries(modelNames.map((model) => [model, ['double']]));
  return `export default ${JSON.stringify({ providers: { double: fake }, routes }, null, 2)};\n`;
}
