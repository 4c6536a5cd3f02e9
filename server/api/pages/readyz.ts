/** Whether the installation is complete: migrations are applied, and each model has a provider. */
import { missingMigrations } from '../../database/migrate.ts';
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
      'Migrations are applied, and every model has a provider: one without is not served.',
      ['ready', 'Ready', { migrations: 'ok', providers: 'ok' }],
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
  const [database, migrations] = await Promise.all([
    checkDatabase(lifecycle),
    runCheck(lifecycle, 'cannot be read', async (db) => {
      const missing = await missingMigrations(db);
      return missing.length === 0 ? 'ok' : `not applied: ${missing.join(', ')}`;
    }),
  ]);
  return healthResponse({
    database,
    migrations,
    providers: unserved.length === 0 ? 'ok' : `no provider for ${unserved.join(', ')}`,
  });
}
