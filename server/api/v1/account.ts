/** The models that a key can use, and its balance. */
import assert from 'node:assert/strict';
import { notFound } from '@vidgen/contract/api-error.ts';
import { CreditsResponse } from '@vidgen/contract/credits-response.ts';

import {
  ModelParams,
  type ModelsResponse,
  NamedModel,
  NamedModelsResponse,
} from '@vidgen/contract/models-response.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { modelsView, namedModels } from '../../catalog/view.ts';
import { findBalances } from '../../ledger/ledger.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
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
    200: jsonResponse('The models.', NamedModelsResponse, {
      defaults: [
        'At the default prices',
        { ...defaultModels, ...namedModels(createCatalog(), createCatalog().names()) },
      ],
    }),
  },
  async handler(services, { identity }) {
    assert(identity);
    const { models, named } = modelsOfKey(services, identity);
    const body: NamedModelsResponse = { ...models, ...named };
    return { body };
  },
});

/** The models with a price and a provider for the key (Decisions, "Price"), and all their names. */
export function modelsOfKey(services: ApiServices, identity: KeyIdentity) {
  const { providers, catalog } = services.lifecycle;
  const { items, next_cursor } = modelsView(catalog, identity.prices);
  const served = items.filter(({ id }) => providers.routeFor(id, identity).length > 0);
  const models: ModelsResponse = { items: served, next_cursor };
  const ids = served.map(({ id }) => id);
  return { models, named: namedModels(catalog, ids) };
}

const getModel = endpoint({
  operationId: 'getModel',
  method: 'GET',
  path: '/v1/models/:id',
  summary: 'Get a model',
  description: 'One of the `data` of `GET /v1/models`, by its name or alias.',
  auth: 'key',
  extension: true,
  params: ModelParams,
  responses: {
    200: jsonResponse('The model.', NamedModel, {
      model: ['A model', namedModels(createCatalog(), ['vidgen-2-5']).data[0]],
    }),
  },
  errors: { not_found: 'No model found with this name.' },
  async handler(services, { identity, params }) {
    assert(identity);
    const { named } = modelsOfKey(services, identity);
    const found = named.data.find(({ id }) => id === params.id);
    if (!found) throw notFound('No model found with this name.');
    return { body: found };
  },
});

export const getCredits = endpoint({
  operationId: 'getCredits',
  method: 'GET',
  path: '/v1/credits',
  summary: 'Get the balance',
  auth: 'key',
  extension: true,
  responses: {
    200: jsonResponse('The account’s credits in the mode of the key.', CreditsResponse, {
      live: ['A live key', { available: 960, reserved: 40, mode: 'live' }],
    }),
  },
  async handler({ lifecycle }, { identity }) {
    assert(identity);
    const { accountId, mode } = identity;
    const balance = (await findBalances(lifecycle.db, [accountId])).get(accountId)?.[mode];
    return { body: { available: balance?.available ?? 0, reserved: balance?.reserved ?? 0, mode } };
  },
});

export const accountEndpoints = [listModels, getModel, getCredits];
