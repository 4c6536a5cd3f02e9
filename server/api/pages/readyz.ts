/** Whether the installation is complete: migrations are applied, and each model has a provider. */
import { missingMigrations } from '../../database/migrate.ts';
import { hasLiveWorker } from '../../processes/processes.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiResponse, ApiServices } from '../http/handler.ts';
import { checkDatabase, healthDescription, healthResponse, runCheck } from './health-check.ts';

export const readyz = endpoint({
  operationId: 'readyz',
  method: 'GET',
  path: '/readyz',
  summary: 'Check readiness',
  auth: 'none',
  responses: {
    200: healthDescription(
      'Migrations are applied, and every model has a provider: one without is not served. ' +
        '`worker` says whether tasks are worked on, by any process; without one they wait.',
      ['ready', 'Ready', { migrations: 'ok', providers: 'ok', worker: 'ok' }],
    ),
    503: healthDescription('Not yet.', [
      'waiting',
      'Not yet',
      { migrations: 'ok', providers: 'no provider for vidgen-2-0-mini' },
    ]),
  },
  handler: async (services) =>
    services.isStopping()
      ? healthResponse({ process: 'stopping' })
      : await checkReadiness(services),
});

export async function checkReadiness({
  lifecycle,
}: Pick<ApiServices, 'lifecycle'>): Promise<ApiResponse> {
  const unserved = lifecycle.providers.unserved();
  const [database, migrations, worker] = await Promise.all([
    checkDatabase(lifecycle),
    runCheck(lifecycle, 'cannot be read', async (db) => {
      const missing = await missingMigrations(db);
      return missing.length === 0 ? 'ok' : `not applied: ${missing.join(', ')}`;
    }),
    runCheck(lifecycle, 'unknown', async (db) =>
      (await hasLiveWorker(db)) ? 'ok' : 'none is running',
    ),
  ]);
  const providers = unserved.length === 0 ? 'ok' : `no provider for ${unserved.join(', ')}`;
  // Without a worker tasks wait, and all else is served: no reason to send requests elsewhere.
  return healthResponse({ database, migrations, providers }, { worker });
}
