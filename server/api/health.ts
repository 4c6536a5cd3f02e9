/**
 * Whether the process serves (`/healthz`), and whether the installation is complete (`/readyz`).
 * Anybody may ask, so what exactly is wrong with the database is told to the log alone.
 */
import type { Database } from '../database/database.ts';
import { missingMigrations } from '../database/migrate.ts';
import type { Lifecycle } from '../lifecycle/context.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function healthz({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  return report({ database: await trial(lifecycle, databaseCheck, 'not reachable') });
}

export async function readyz({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  const unserved = lifecycle.providers.unserved();
  return report({
    database: await trial(lifecycle, databaseCheck, 'not reachable'),
    migrations: await trial(lifecycle, migrationCheck, 'cannot be read'),
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

function report(checks: Record<string, string>): Answer {
  const ok = Object.values(checks).every((said) => said === 'ok');
  return { status: ok ? 200 : 503, body: { ok, checks } };
}

async function trial(
  { db, log }: Lifecycle,
  check: (db: Database) => Promise<string>,
  otherwise: string,
): Promise<string> {
  try {
    return await check(db);
  } catch (error) {
    log.error({ error }, 'a health check failed');
    return otherwise;
  }
}
