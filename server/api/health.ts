/**
 * Whether the process serves (`/healthz`), and whether the installation is complete (`/readyz`).
 * Anybody may ask, so what exactly is wrong with the database is told to the log alone.
 */
import { missingMigrations } from '../database/migrate.ts';
import type { Log } from '../log.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function healthz({ lifecycle: { db, log } }: Service, _: Asked): Promise<Answer> {
  return report({ database: await trial(log, () => db.query('select 1')) });
}

export async function readyz({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  const { db, log, providers } = lifecycle;
  const without = providers.unserved();
  let missing: readonly string[] = [];
  const database = await trial(log, async () => {
    missing = await missingMigrations(db);
  });
  return report({
    database,
    migrations: missing.length === 0 ? database : `not applied: ${missing.join(', ')}`,
    providers: without.length === 0 ? 'ok' : `no provider for ${without.join(', ')}`,
  });
}

function report(checks: Record<string, string>): Answer {
  const ok = Object.values(checks).every((said) => said === 'ok');
  return { status: ok ? 200 : 503, body: { ok, checks } };
}

async function trial(log: Log, work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    log.error({ error }, 'the database does not answer');
    return 'not reachable';
  }
}
