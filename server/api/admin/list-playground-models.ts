/** Lists limits and prices of the models that are served in either mode. */
import { keyModes } from '@vidgen/contract/models.ts';
import { endpoint } from '../http/endpoint.ts';
import { modelsResponse, servedModels } from '../v1/list-models.ts';

export const listPlaygroundModels = endpoint({
  operationId: 'listPlaygroundModels',
  method: 'GET',
  path: '/admin/models',
  summary: 'Limits and prices of each model, for people',
  description: 'Those that are served in either mode. One page holds them all.',
  auth: 'person',
  responses: { 200: modelsResponse },
  async handler(services) {
    const { providers } = services.lifecycle;
    const body = servedModels(services, (model) =>
      keyModes.some((mode) => providers.routeFor(model, { mode, demo: false }).length > 0),
    );
    return { body };
  },
});
