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
    200: healthDescription('Requests are served and the database is reachable.', [
      'up',
      'Up',
      { database: 'ok' },
    ]),
    503: healthDescription('The database is not reachable.', [
      'down',
      'Down',
      { database: 'not reachable' },
    ]),
  },
  handler: async ({ lifecycle }) => healthResponse({ database: await checkDatabase(lifecycle) }),
});
