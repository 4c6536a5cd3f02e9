/**
 * The service as processes on a PostgreSQL of its own, with accounts that have credits and keys.
 * Rate limits are off unless given, as no account could create thousands of tasks per second.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import { type SeededAccount, seedAccount, testSecret } from '../kit/seed.ts';
import { testAdminToken } from '../kit/service.ts';
import { type BenchDatabase, startDatabase } from './database.ts';

type Role = 'api' | 'worker' | 'all';

export type ServiceStack = Awaited<ReturnType<typeof startServiceStack>>;

type ServiceStackOptions = {
  /** A folder that the caller deletes. */
  readonly folder: string;
  readonly accounts: number;
  /** The processes, in the order of their start. */
  readonly roles: readonly Role[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly prepare?: (database: BenchDatabase) => Promise<void>;
};

export const creditsEach = 1_000_000_000;

export async function startServiceStack(options: ServiceStackOptions) {
  const { folder, roles } = options;
  mkdirSync(folder, { recursive: true });
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await startDatabase(join(folder, 'database')));
  const accounts = await seedAccounts(database, options.accounts);
  await options.prepare?.(database);
  const port = await reservePort();
  /** Starts one more process; it ends with the others at the latest. */
  const start = async (role: Role) => {
    const service = new ServiceProcess({
      environment: {
        VIDGEN_SECRET: testSecret,
        VIDGEN_ADMIN_TOKEN: testAdminToken,
        VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
        VIDGEN_SELF_TEST: 'off',
        VIDGEN_RATE_CREATE: '0',
        VIDGEN_RATE_STATUS: '0',
        ...options.environment,
        VIDGEN_HOME: join(folder, 'home'),
        VIDGEN_DATABASE_URL: database.url,
        VIDGEN_ROLE: role,
        PORT: String(port),
      },
      logFile: join(folder, `${role}.log`),
    });
    owned.defer(async () => void (await service.stop()));
    if (role !== 'worker') await service.waitUntilServing();
    return service;
  };
  const owned = stack.move();
  const pids: number[] = [];
  for (const role of roles) pids.push((await start(role)).pid);
  const dispose = () => owned.disposeAsync();
  return { database, accounts, port, pids, start, [Symbol.asyncDispose]: dispose };
}

export async function seedAccounts({ db }: BenchDatabase, count: number): Promise<SeededAccount[]> {
  const seed = () => seedAccount(db, { credits: creditsEach });
  const accounts: SeededAccount[] = [];
  // As many at once as the pool has connections.
  while (accounts.length < count) {
    const size = Math.min(10, count - accounts.length);
    accounts.push(...(await Promise.all(Array.from({ length: size }, seed))));
  }
  return accounts;
}

export const createBody = {
  model: 'vidgen-2-0-mini',
  input: { prompt: 'A paper boat drifts on a quiet lake', resolution: '480p' },
} as const;
