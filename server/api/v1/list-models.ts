/** Lists limits and prices of the models that the key can use. */
import assert from 'node:assert/strict';
import type { ModelName } from '@vidgen/contract/models.ts';
import { ModelsResponse } from '@vidgen/contract/models-response.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { modelsView } from '../../catalog/view.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiResponse, ApiServices } from '../http/handler.ts';

export const modelsResponse: ResponseDescription = {
  description: 'The models.',
  schema: ModelsResponse,
  examples: { defaults: ['At the default prices', modelsView(createCatalog())] },
};

export const listModels = endpoint({
  operationId: 'listModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'Limits and prices of each model',
  description: 'The models that the key can use. One page holds them all.',
  auth: 'key',
  extension: true,
  responses: { 200: modelsResponse },
  async handler(services, { identity }) {
    assert(identity);
    const { providers } = services.lifecycle;
    return servedModels(services, (model) => providers.routeFor(model, identity).length > 0);
  },
});

/** Only models with a price and a provider are served (Decisions, "Price"). */
export function servedModels(
  { lifecycle }: ApiServices,
  isServed: (model: ModelName) => boolean,
): ApiResponse {
  const { items, next_cursor } = modelsView(lifecycle.catalog);
  return { body: { items: items.filter(({ id }) => isServed(id)), next_cursor } };
}
