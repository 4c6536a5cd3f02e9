/** Admin API: the presets of declared providers, with the models that each can make. */
import { z } from 'zod';
import { listOf, nullableText } from './list.ts';
import { DeclaredFields } from './model-declaration.ts';
import { ModelId, ResolutionName } from './model-name.ts';
import { providerPresets } from './provider-kinds.ts';

/** `DeclareModelRequest` with `upstream` and without prices, which are the operator's. */
export const PresetModel = DeclaredFields.omit({ retires: true })
  .extend({
    name: ModelId,
    upstream: z.string().describe('Its name at the upstream, for `models` of the provider.'),
    resolutions: z.array(ResolutionName).min(1).describe('Each needs a price to be declared.'),
  })
  .meta({ id: 'PresetModel' });
export type PresetModel = z.infer<typeof PresetModel>;

export const ProviderPresetView = z
  .object({
    preset: z.enum(providerPresets),
    label: z.string(),
    base_url: nullableText(
      'An example where the host belongs to the account; null: none has to be sent.',
    ),
    models: z.array(PresetModel).describe('What it can make, to declare as models.'),
    contract_models: z
      .record(ModelId, z.string())
      .describe('What makes models of the contract, if `models` is not sent.'),
  })
  .meta({ id: 'ProviderPreset' });
export type ProviderPresetView = z.infer<typeof ProviderPresetView>;

export const ListProviderPresetsResponse = listOf(ProviderPresetView).meta({
  id: 'ProviderPresetList',
});
export type ListProviderPresetsResponse = z.infer<typeof ListProviderPresetsResponse>;
