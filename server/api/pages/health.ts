/**
 * Whether the process serves (`/healthz`), and whether the installation is complete (`/readyz`).
 * Anybody may ask, so what exactly is wrong with the database is told to the log alone.
 */
import type { Database } from '../../database/database.ts';
import { missingMigrations } from '../../database/migrate.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

export async function healthz(
  { lifecycle }: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  return healthResponse({ database: await runCheck(lifecycle, databaseCheck, 'not reachable') });
}

export async function readyz(
  { lifecycle }: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  const unserved = lifecycle.providers.unserved();
  return healthResponse({
    database: await runCheck(lifecycle, databaseCheck, 'not reachable'),
    migrations: await runCheck(lifecycle, migrationCheck, 'cannot be read'),
    providers: unserved.length === 0 ? 'ok' : `no provider for ${unserved.join(', ')}`,
  });
}

async function databaseCheck(db: Database): Promise<string> {
  await db.query('select 1');
  return 'ok';
}

async function migrationCheck(db: Database): Promise<string> {
  const missing = await missingMigrations(db);
  return missing.length === 0 ? 'ok' : `not applied: ${missing.join(', ')}`;
}

function healthResponse(checks: Record<string, string>): ApiResponse {
  const ok = Object.values(checks).every((result) => result === 'ok');
  return { status: ok ? 200 : 503, body: { ok, checks } };
}

async function runCheck(
  { db, log }: LifecycleContext,
  check: (db: Database) => Promise<string>,
  failureText: string,
): Promise<string> {
  try {
    return await check(db);
  } catch (error) {
    log.error({ error }, 'a health check failed');
    return failureText;
  }
}
