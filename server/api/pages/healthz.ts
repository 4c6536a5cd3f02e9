/** Whether the process serves requests, reaches its database and can store results. */
import { endpoint } from '../http/endpoint.ts';
import { checkDatabase, healthDescription, healthResponse } from './health-check.ts';

export const healthz = endpoint({
  operationId: 'healthz',
  method: 'GET',
  path: '/healthz',
  summary: 'Is it alive',
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
  handler: async ({ lifecycle, storeProblems }) =>
    healthResponse({ ...storeProblems(), database: await checkDatabase(lifecycle) }),
});
