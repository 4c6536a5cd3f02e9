/** Extensions about what can be asked for and paid: models and credits. */
import { CreditsAnswer } from '@vidgen/contract/credits-answer.ts';
import { ModelsAnswer } from '@vidgen/contract/models-answer.ts';
import { createCatalogue } from '../../catalog/catalog.ts';
import { modelsAnswer } from '../../catalog/view.ts';
import type { RouteDescription } from '../route-description.ts';
import { keyRefusals, refusals } from './refusals.ts';

export const listModels: RouteDescription = {
  operationId: 'listModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'Limits and prices of each model',
  description: 'The models that the key can use. One page holds them all.',
  tag: 'Account',
  auth: 'key',
  extension: true,
  answers: {
    200: {
      description: 'The models.',
      schema: ModelsAnswer,
      examples: {
        defaults: { summary: 'At the default prices', value: modelsAnswer(createCatalogue()) },
      },
    },
    ...refusals(keyRefusals.filter((code) => code !== 'forbidden')),
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
  answers: {
    200: {
      description: 'The account’s credits in the mode of the key.',
      schema: CreditsAnswer,
      examples: {
        live: { summary: 'A live key', value: { available: 960, reserved: 40, mode: 'live' } },
      },
    },
    ...refusals(keyRefusals.filter((code) => code !== 'forbidden')),
  },
};
