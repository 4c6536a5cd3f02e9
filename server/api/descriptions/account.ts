/** Extensions about what can be asked for and paid: models and credits. */
import { CreditsResponse } from '@vidgen/contract/credits-response.ts';
import { ModelsResponse } from '@vidgen/contract/models-response.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { modelsView } from '../../catalog/view.ts';
import type { RouteDescription } from '../http/endpoint.ts';
import { apiKeyErrors, errorResponses } from './errors.ts';

export const listModels: RouteDescription = {
  operationId: 'listModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'Limits and prices of each model',
  description: 'The models that the key can use. One page holds them all.',
  tag: 'Account',
  auth: 'key',
  extension: true,
  responses: {
    200: {
      description: 'The models.',
      schema: ModelsResponse,
      examples: {
        defaults: { summary: 'At the default prices', value: modelsView(createCatalog()) },
      },
    },
    ...errorResponses(apiKeyErrors.filter((code) => code !== 'forbidden')),
  },
};

export const getCredits: RouteDescription = {
  operationId: 'getCredits',
  method: 'GET',
  path: '/v1/credits',
  summary: 'The balance of the key',
  tag: 'Account',
  auth: 'key',
  extension: true,
  responses: {
    200: {
      description: 'The account’s credits in the mode of the key.',
      schema: CreditsResponse,
      examples: {
        live: { summary: 'A live key', value: { available: 960, reserved: 40, mode: 'live' } },
      },
    },
    ...errorResponses(apiKeyErrors.filter((code) => code !== 'forbidden')),
  },
};
