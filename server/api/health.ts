/** Whether the process serves (`/healthz`), and whether the installation is complete (`/readyz`). */
import { missingMigrations } from '../database/migrate.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function healthz({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  return report({ database: await trial(() => lifecycle.db.query('select 1')) });
}

export async function readyz({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  const database = await trial(() => lifecycle.db.query('select 1'));
  const migrations = await trial(async () => {
    const missing = await missingMigrations(lifecycle.db);
    if (missing.length > 0) throw new Error(`not applied: ${missing.join(', ')}`);
  });
  const without = lifecycle.providers.unserved();
  const providers = without.length === 0 ? 'ok' : `no provider for ${without.join(', ')}`;
  return report({ database, migrations, providers });
}

function report(checks: Record<string, string>): Answer {
  const ok = Object.values(checks).every((said) => said === 'ok');
  return { status: ok ? 200 : 503, body: { ok, checks } };
}

async function trial(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return (error as Error).message || 'not reachable';
  }
}
