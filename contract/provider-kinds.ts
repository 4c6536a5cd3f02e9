/**
 * The kinds of providers that can be connected in the dashboard, with what its form needs: plain
 * data without schemas, so that a browser loads little.
 */
import type { ModelName } from './models.ts';

export const providerKinds = [
  'modelark',
  'fal',
  'replicate',
  'openai-videos',
  'comfyui',
  'declared',
] as const;
export type ProviderKind = (typeof providerKinds)[number];

export const providerDialects = [
  'vllm',
  'sglang',
  'gateway',
  'openrouter',
  'openai',
  'vidgen',
] as const;

export const providerPresets = [
  'gemini-omni',
  'kling',
  'ltx',
  'luma',
  'minimax',
  'minimax-h3',
  'runway',
  'wan',
  'wavespeed',
  'xai',
] as const;
export type ProviderPreset = (typeof providerPresets)[number];

export type KindDescription = {
  readonly label: string;
  readonly description: string;
  /** Suggested as the name of the provider. */
  readonly name: string;
  /** The upstream's names of our models, to begin with. */
  readonly models: Readonly<Partial<Record<ModelName, string>>>;
  /** Filled in to begin with; null: it has its own and the form has no field. */
  readonly baseUrl: string | null;
  readonly key: 'required' | 'optional';
};

export const kindDescriptions: Readonly<Record<ProviderKind, KindDescription>> = {
  modelark: {
    label: 'ModelArk',
    description: 'Seedance on BytePlus ModelArk or Volcengine Ark',
    name: 'modelark',
    models: {
      'vidgen-2-5': 'dreamina-seedance-2-5-260628',
      'vidgen-2-0': 'dreamina-seedance-2-0-260128',
      'vidgen-2-0-fast': 'dreamina-seedance-2-0-fast-260128',
    },
    baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
    key: 'required',
  },
  fal: {
    label: 'fal',
    description: 'Seedance and other models on fal.ai',
    name: 'fal',
    models: { 'vidgen-2-5': 'bytedance/seedance-2.5', 'vidgen-2-0': 'bytedance/seedance-2.0' },
    baseUrl: null,
    key: 'required',
  },
  replicate: {
    label: 'Replicate',
    description: 'Seedance and other models on replicate.com',
    name: 'replicate',
    models: { 'vidgen-2-5': 'bytedance/seedance-2.5', 'vidgen-2-0': 'bytedance/seedance-2.0' },
    baseUrl: null,
    key: 'required',
  },
  'openai-videos': {
    label: 'OpenAI-compatible',
    description: 'vLLM-Omni, SGLang, LiteLLM, OpenRouter, Azure, another vidgen',
    name: 'engine',
    models: {},
    baseUrl: '',
    key: 'optional',
  },
  comfyui: {
    label: 'ComfyUI',
    description: 'Your own server and workflows',
    name: 'comfyui',
    models: {},
    baseUrl: '',
    key: 'optional',
  },
  declared: {
    label: 'Another API',
    description:
      'Kling, Gemini Omni, LTX, Luma, MiniMax, Runway, Wan, xAI, or your own description',
    name: 'custom',
    models: {},
    baseUrl: null,
    key: 'optional',
  },
};
