/** Whether the process serves requests and reaches its database. */
import { endpoint } from '../http/endpoint.ts';
import { checkDatabase, healthDescription, healthResponse } from './health-check.ts';

export const healthz = endpoint({
  operationId: 'healthz',
  method: 'GET',
  path: '/healthz',
  summary: 'Is it alive',
  auth: 'none',
  responses: {
    200: healthDescription('Requests are served and the database is reachable.', {
      name: 'up',
      summary: 'Up',
      checks: { database: 'ok' },
    }),
    503: healthDescription('The database is not reachable.', {
      name: 'down',
      summary: 'Down',
      checks: { database: 'not reachable' },
    }),
  },
  handler: async ({ lifecycle }) => healthResponse({ database: await checkDatabase(lifecycle) }),
});
