/** Lists the providers with their health as this process sees it, and the route of each model. */
import {
  ListProvidersResponse,
  type ListProvidersResponse as ResponseBody,
} from '@vidgen/contract/admin-providers.ts';
import { endpoint } from '../http/endpoint.ts';
import { providerHealth, providerRoute } from './provider-samples.ts';
import { listProviderViews, routeViews } from './provider-views.ts';

export const listProviders = endpoint({
  operationId: 'listProviders',
  method: 'GET',
  path: '/admin/providers',
  summary: 'List providers',
  description:
    'Measured by the process that handles the request; `open_tasks` and `last_30_days` count all ' +
    'processes.',
  auth: 'admin',
  responses: {
    200: {
      description: 'The providers, and the route of each model.',
      schema: ListProvidersResponse,
      examples: {
        one: [
          'One provider',
          { items: [providerHealth], next_cursor: null, routes: [providerRoute] },
        ],
      },
    },
  },
  async handler(services) {
    const items = await listProviderViews(services);
    const body: ResponseBody = { items, next_cursor: null, routes: routeViews(services) };
    return { body };
  },
});
