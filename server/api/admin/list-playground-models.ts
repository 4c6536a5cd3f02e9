/** Lists limits and prices of the models that are served in either mode. */
import { keyModes, modelNames } from '@vidgen/contract/models.ts';
import {
  PlaygroundModelsResponse,
  type PlaygroundModelsResponse as ResponseBody,
} from '@vidgen/contract/models-response.ts';
import { endpoint } from '../http/endpoint.ts';
import { defaultModels, servedModels } from '../v1/account.ts';

export const listPlaygroundModels = endpoint({
  operationId: 'listPlaygroundModels',
  method: 'GET',
  path: '/admin/models',
  summary: 'List models of the playground',
  description: 'The models that are served in either mode, all on one page.',
  auth: 'person',
  responses: {
    200: {
      description: 'The models.',
      schema: PlaygroundModelsResponse,
      examples: {
        defaults: [
          'At the default prices, without a provider for one model',
          { ...defaultModels, live_previews: ['vidgen-2-0-mini'] },
        ],
      },
    },
  },
  async handler(services) {
    const { providers } = services.lifecycle;
    const models = servedModels(services, (model) =>
      keyModes.some((mode) => providers.routeFor(model, { mode, demo: false }).length > 0),
    );
    const body: ResponseBody = {
      ...models,
      live_previews: modelNames.filter((model) => providers.isPreviewed(model)),
    };
    return { body };
  },
});
