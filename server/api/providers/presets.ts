/** The presets of declared providers, with what each can make, for the dashboard to offer. */
import {
  ListProviderPresetsResponse,
  type ProviderPresetView,
} from '@vidgen/contract/admin-presets.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { providerPresets } from '@vidgen/contract/provider-kinds.ts';
import type { Presets } from '../../providers/connected/settings.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';

const presetSample: ProviderPresetView = {
  preset: 'kling',
  label: 'Kling',
  base_url: null,
  models: [
    {
      name: 'kling-3',
      upstream: 'kling-v3',
      title: 'Kling 3',
      generationTypes: ['text-to-video', 'image-to-video'],
      seconds: { min: 3, max: 15 },
      resolutions: ['720p', '1080p', '4k'],
      frames: { last: true },
    },
  ],
  contract_models: { 'vidgen-2-0': 'kling-v3' },
};

const listPresets = endpoint({
  operationId: 'listProviderPresets',
  method: 'GET',
  path: '/admin/providers/presets',
  summary: 'List provider presets',
  description:
    'To sell a model, connect a provider with its name in `models`, declare the model with ' +
    'prices, and name the provider in its route.',
  auth: 'admin',
  responses: {
    200: jsonResponse('The presets, all on one page.', ListProviderPresetsResponse, {
      kling: ['One preset', { items: [presetSample], next_cursor: null }],
    }),
  },
  async handler({ connections: { presets } }) {
    const items = providerPresets.map((preset) => presetView(preset, presets[preset]));
    const body: ListProviderPresetsResponse = { items, next_cursor: null };
    return { body };
  },
});

function presetView(
  preset: ProviderPresetView['preset'],
  { label, exampleUrl, models, provider }: Presets[typeof preset],
): ProviderPresetView {
  const ofContract = modelNames.filter((name) => provider.models[name] !== undefined);
  return {
    preset,
    label,
    base_url: exampleUrl ?? null,
    models: Object.entries(models).map(([name, model]) => ({ name, ...model })),
    contract_models: Object.fromEntries(ofContract.map((name) => [name, provider.models[name]!])),
  };
}

export const presetEndpoints = [listPresets];
