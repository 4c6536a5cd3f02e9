/** Lists limits and prices of the models that the key can use. */
import assert from 'node:assert/strict';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import { type ModelsResponse, NamedModelsResponse } from '@vidgen/contract/models-response.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { modelsView, namedModels } from '../../catalog/view.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiServices } from '../http/handler.ts';

export const defaultModels = modelsView(createCatalog());

export const listModels = endpoint({
  operationId: 'listModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'List models',
  description:
    'The models that the key can use. One page holds them all. `data` has the same models, and ' +
    'their aliases, for clients of OpenAI.',
  auth: 'key',
  extension: true,
  responses: {
    200: {
      description: 'The models.',
      schema: NamedModelsResponse,
      examples: {
        defaults: [
          'At the default prices',
          { ...defaultModels, ...namedModels(createCatalog(), modelNames) },
        ],
      },
    },
  },
  async handler(services, { identity }) {
    assert(identity);
    const { providers, catalog } = services.lifecycle;
    const models = servedModels(
      services,
      (model) => providers.routeFor(model, identity).length > 0,
    );
    const names = models.items.map(({ id }) => id);
    const body: NamedModelsResponse = { ...models, ...namedModels(catalog, names) };
    return { body };
  },
});

/** Only models with a price and a provider are served (Decisions, "Price"). */
export function servedModels(
  { lifecycle }: ApiServices,
  isServed: (model: ModelName) => boolean,
): ModelsResponse {
  const { items, next_cursor } = modelsView(lifecycle.catalog);
  return { items: items.filter(({ id }) => isServed(id)), next_cursor };
}
