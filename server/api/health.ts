/**
 * Whether the process serves (`/healthz`), and whether the installation is complete (`/readyz`).
 * Anybody may ask, so what exactly is wrong with the database is told to the log alone.
 */
import { modelNames } from '@vidgen/contract/models.ts';
import type { Database } from '../database/database.ts';
import { missingMigrations } from '../database/migrate.ts';
import type { Lifecycle } from '../lifecycle/context.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function healthz({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  return report({ database: await trial(lifecycle, databaseCheck, 'not reachable') });
}

export async function readyz({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  const { providers, catalogue } = lifecycle;
  const unpriced = modelNames.filter((model) => !catalogue.served.has(model));
  return report({
    database: await trial(lifecycle, databaseCheck, 'not reachable'),
    migrations: await trial(lifecycle, migrationCheck, 'cannot be read'),
    // Neither is served: a create of such a model is refused.
    providers: completeness('no provider', providers.unserved()),
    prices: completeness('no complete price', unpriced),
  });
}

const completeness = (lacks: string, models: readonly string[]): string =>
  models.length === 0 ? 'ok' : `${lacks} for ${models.join(', ')}`;

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
