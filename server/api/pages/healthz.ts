/** Whether the process serves requests, reaches its database and can store results. */
import { endpoint } from '../http/endpoint.ts';
import type { ApiResponse, ApiServices } from '../http/handler.ts';
import { checkDatabase, healthDescription, healthResponse } from './health-check.ts';

export const healthz = endpoint({
  operationId: 'healthz',
  method: 'GET',
  path: '/healthz',
  summary: 'Check liveness',
  auth: 'none',
  responses: {
    200: healthDescription('Requests are served, and database and storage work.', [
      'up',
      'Up',
      { database: 'ok' },
    ]),
    503: healthDescription('The database is not reachable, or the storage has been failing.', [
      'down',
      'Down',
      { database: 'not reachable' },
    ]),
  },
  handler: checkHealth,
});

type HealthDeps = Pick<ApiServices, 'lifecycle' | 'storeProblems'>;

export async function checkHealth({ lifecycle, storeProblems }: HealthDeps): Promise<ApiResponse> {
  return healthResponse({ ...storeProblems(), database: await checkDatabase(lifecycle) });
}
