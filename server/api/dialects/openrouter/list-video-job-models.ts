/** Lists the models that the key can use in OpenRouter's format, with their aliases. */
import assert from 'node:assert/strict';
import { VideoJobModels } from '@vidgen/contract/openrouter-videos.ts';
import { type Catalog, createCatalog } from '../../../catalog/catalog.ts';
import { modelsView, namedModels } from '../../../catalog/view.ts';
import { endpoint } from '../../http/endpoint.ts';
import { servedModels } from '../../v1/list-models.ts';
import { resolveModel } from '../translated-create.ts';
import { openRouterDefinition } from './definition.ts';

export const listVideoJobModels = endpoint({
  ...openRouterDefinition,
  operationId: 'listVideoJobModels',
  method: 'GET',
  path: '/api/v1/videos/models',
  summary: 'List models',
  description: 'The models that the key can use, and their aliases. Prices: `GET /v1/models`.',
  responses: {
    200: {
      description: 'The models.',
      schema: VideoJobModels,
      examples: { defaults: ['All models', viewOf(createCatalog(), modelsView(createCatalog()))] },
    },
  },
  async handler(services, { identity }) {
    assert(identity);
    const { providers, catalog } = services.lifecycle;
    const served = servedModels(
      services,
      (model) => providers.routeFor(model, identity).length > 0,
    );
    return { body: viewOf(catalog, served) };
  },
});

function viewOf(catalog: Catalog, { items }: ReturnType<typeof servedModels>): VideoJobModels {
  const { data } = namedModels(
    catalog,
    items.map(({ id }) => id),
  );
  return {
    data: data.map(({ id, created }) => {
      const model = items.find((item) => item.id === resolveModel(catalog, id))!;
      const { min, max } = model.duration;
      return {
        id,
        canonical_slug: model.id,
        name: id,
        created,
        supported_durations: Array.from({ length: max - min + 1 }, (_, at) => min + at),
        supported_resolutions: model.resolutions.map((name) => (name === '4k' ? '4K' : name)),
        supported_aspect_ratios: (model.aspect_ratios['text-to-video'] ?? []).filter(
          (ratio) => ratio !== 'adaptive',
        ),
        supported_sizes: null,
        supported_frame_images: ['first_frame', 'last_frame'],
        generate_audio: true,
        seed: model.seed !== null,
        creativity: null,
        upscale_factor: null,
        allowed_passthrough_parameters: [],
      };
    }),
  };
}
