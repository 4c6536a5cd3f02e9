/**
 * The models and the balance of a key in OpenRouter's format, which clients read at the start.
 */
import assert from 'node:assert/strict';
import type { ModelsResponse } from '@vidgen/contract/models-response.ts';
import {
  OpenRouterCredits,
  OpenRouterModels,
  VideoJobModels,
} from '@vidgen/contract/openrouter-videos.ts';
import { type Catalog, createCatalog } from '../../../catalog/catalog.ts';
import { namedModels } from '../../../catalog/view.ts';
import { findBalances } from '../../../ledger/ledger.ts';
import { endpoint, jsonResponse } from '../../http/endpoint.ts';
import { defaultModels, modelsOfKey } from '../../v1/account.ts';
import { resolveModel } from '../translated-create.ts';
import { openRouterDefinition } from './videos.ts';

const exampleNames = namedModels(createCatalog(), createCatalog().names());

const listOpenRouterModels = endpoint({
  ...openRouterDefinition,
  operationId: 'listOpenRouterModels',
  method: 'GET',
  path: '/api/v1/models',
  summary: 'List models',
  description:
    'The models that the key can use, and their aliases. Their limits: ' +
    '`GET /api/v1/videos/models`; their prices: `GET /v1/models`.',
  responses: {
    200: jsonResponse('The models.', OpenRouterModels, {
      defaults: ['All models', listOf(exampleNames)],
    }),
  },
  async handler(services, { identity }) {
    assert(identity);
    return { body: listOf(modelsOfKey(services, identity).named) };
  },
});

/** Prices per token are required there, and there are none here. */
function listOf({ data }: ReturnType<typeof namedModels>): OpenRouterModels {
  return {
    data: data.map(({ id, created }) => ({
      id,
      canonical_slug: id,
      name: id,
      created,
      context_length: null,
      architecture: {
        input_modalities: ['text', 'image', 'video', 'audio'],
        output_modalities: ['video'],
        modality: 'text+image+video+audio->video',
      },
      pricing: { prompt: '0', completion: '0' },
      top_provider: { context_length: null, max_completion_tokens: null, is_moderated: false },
      per_request_limits: null,
      supported_parameters: ['seed'],
      supported_voices: null,
      default_parameters: null,
      links: { details: '/v1/models' },
    })),
    links: { next: null },
    total_count: data.length,
  };
}

const getOpenRouterCredits = endpoint({
  ...openRouterDefinition,
  operationId: 'getOpenRouterCredits',
  method: 'GET',
  path: '/api/v1/credits',
  summary: 'Get the balance',
  responses: {
    200: jsonResponse(
      'What was granted, and what is used or reserved, in the mode of the key.',
      OpenRouterCredits,
      { live: ['A live key', { data: { total_credits: 1000, total_usage: 40 } }] },
    ),
  },
  async handler({ lifecycle }, { identity }) {
    assert(identity);
    const { accountId, mode } = identity;
    const balance = (await findBalances(lifecycle.db, [accountId])).get(accountId)?.[mode];
    assert(balance);
    const { available, reserved, spent, suspended } = balance;
    const total_usage = reserved + spent + suspended;
    return { body: { data: { total_credits: available + total_usage, total_usage } } };
  },
});

const listVideoJobModels = endpoint({
  ...openRouterDefinition,
  operationId: 'listVideoJobModels',
  method: 'GET',
  path: '/api/v1/videos/models',
  summary: 'List models',
  description: 'The models that the key can use, and their aliases. Prices: `GET /v1/models`.',
  responses: {
    200: jsonResponse('The models.', VideoJobModels, {
      defaults: ['All models', videoModels(createCatalog(), defaultModels, exampleNames)],
    }),
  },
  async handler(services, { identity }) {
    assert(identity);
    const { models, named } = modelsOfKey(services, identity);
    return { body: videoModels(services.lifecycle.catalog, models, named) };
  },
});

function videoModels(
  catalog: Catalog,
  { items }: ModelsResponse,
  { data }: ReturnType<typeof namedModels>,
): VideoJobModels {
  return {
    data: data.map(({ id, created }) => {
      const model = items.find((item) => item.id === resolveModel(catalog, id))!;
      const { min, max } = model.duration;
      return {
        id,
        canonical_slug: model.id,
        name: id,
        created,
        supported_durations:
          model.duration.values ?? Array.from({ length: max - min + 1 }, (_, at) => min + at),
        supported_resolutions: model.resolutions.map((name) => name.replace('k', 'K')),
        supported_aspect_ratios: (model.aspect_ratios['text-to-video'] ?? []).filter(
          (ratio) => ratio !== 'adaptive',
        ),
        supported_sizes: null,
        supported_frame_images: model.generation_types.includes('image-to-video')
          ? ['first_frame', 'last_frame'].slice(0, model.image_to_video.images_max)
          : [],
        generate_audio: model.sound !== 'never',
        seed: model.seed !== null,
        creativity: null,
        upscale_factor: null,
        allowed_passthrough_parameters: [],
      };
    }),
  };
}

export const openRouterAccountEndpoints = [
  listOpenRouterModels,
  getOpenRouterCredits,
  listVideoJobModels,
];
