/** Returns one model in OpenAI's format, as its clients ask for it. */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { ModelParams, NamedModel } from '@vidgen/contract/models-response.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { namedModels } from '../../catalog/view.ts';
import { endpoint } from '../http/endpoint.ts';
import { servedModels } from './list-models.ts';

export const getModel = endpoint({
  operationId: 'getModel',
  method: 'GET',
  path: '/v1/models/:id',
  summary: 'Get a model',
  description: 'One of the `data` of `GET /v1/models`, by its name or alias.',
  auth: 'key',
  extension: true,
  params: ModelParams,
  responses: {
    200: {
      description: 'The model.',
      schema: NamedModel,
      examples: {
        model: ['A model', namedModels(createCatalog(), ['vidgen-2-5']).data[0]],
      },
    },
  },
  errors: { not_found: 'No model found with this name.' },
  async handler(services, { identity, params }) {
    assert(identity);
    const { providers, catalog } = services.lifecycle;
    const { items } = servedModels(
      services,
      (model) => providers.routeFor(model, identity).length > 0,
    );
    const names = items.map(({ id }) => id);
    const found = namedModels(catalog, names).data.find(({ id }) => id === params.id);
    if (!found) throw new ApiError('not_found', 'No model found with this name.');
    return { body: found };
  },
});
