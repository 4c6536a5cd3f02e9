/** A second process of a test's service: on the same database, with another configuration. */
import { composeService, type ServiceDeps } from '../../server/compose.ts';
import { readConfig } from '../../server/config/config.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { testAdminToken } from './service.ts';

type FirstProcess = { readonly home: string; readonly databaseUrl: string };

type SecondOptions = Pick<ServiceDeps, 'providers'> &
  Partial<Pick<ServiceDeps, 'file' | 'isOnlyProcess'>> & {
    readonly environment?: Readonly<Record<string, string>>;
  };

/** Its worker does not run until the test starts it. */
export async function composeSecond(
  { home, databaseUrl }: FirstProcess,
  { environment = {}, file = {}, ...options }: SecondOptions = {},
) {
  const db = await openPostgres(databaseUrl);
  const config = readConfig({
    VIDGEN_HOME: home,
    VIDGEN_ROLE: 'worker',
    VIDGEN_LOG_LEVEL: 'silent',
    VIDGEN_SECRET: 'a secret that only tests know, 32 long',
    ...environment,
  });
  const log = createLog(config.logLevel);
  const publicUrl = () => 'http://127.0.0.1';
  const own = { config, file, db, log, publicUrl, adminToken: testAdminToken };
  const deps = { ...own, isOnlyProcess: false, ...options };
  const composed = await composeService(deps).catch(async (error) => {
    await db.close();
    throw error;
  });
  const close = async () => {
    await composed.close();
    await db.close();
  };
  return { ...composed, db, close, [Symbol.asyncDispose]: close };
}
