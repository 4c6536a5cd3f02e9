/** The form that connects a provider, and the request that it becomes. */
import type { ConnectProviderRequest } from '@vidgen/contract/admin-providers.ts';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import {
  kindDescriptions,
  type ProviderKind,
  type ProviderPreset,
  presetModels,
} from '@vidgen/contract/provider-kinds.ts';

/** An own description instead of a preset. */
export const ownDescription = 'own';

export type ConnectForm = {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly dialect: NonNullable<ConnectProviderRequest['dialect']>;
  readonly preset: ProviderPreset | typeof ownDescription;
  /** What the provider calls each of our models; empty: it does not serve the model. */
  readonly models: Readonly<Record<ModelName, string>>;
  /** JSON: a workflow of ComfyUI, or an own description. */
  readonly json: string;
  readonly fps: string;
  /** The models that the workflow is for. */
  readonly workflowModels: readonly ModelName[];
};

export function emptyForm(kind: ProviderKind, takenNames: readonly string[]): ConnectForm {
  const { name, baseUrl, models } = kindDescriptions[kind];
  const preset = 'kling';
  const first = kind === 'declared' ? preset : name;
  return {
    kind,
    name: freeName(first, takenNames),
    apiKey: '',
    baseUrl: baseUrl ?? '',
    dialect: 'vllm',
    preset,
    models: allModels(kind === 'declared' ? presetModels[preset] : models),
    json: '',
    fps: '16',
    workflowModels: ['vidgen-2-0'],
  };
}

export const allModels = (named: Readonly<Partial<Record<ModelName, string>>>) =>
  Object.fromEntries(modelNames.map((model) => [model, named[model] ?? ''])) as Record<
    ModelName,
    string
  >;

/** `fal`, then `fal-2`. */
export function freeName(name: string, taken: readonly string[]): string {
  let number = 1;
  const candidate = () => (number === 1 ? name : `${name}-${number}`);
  while (taken.includes(candidate())) number += 1;
  return candidate();
}

/** Throws an error with a message for the person if the JSON cannot be read. */
export function connectRequestOf(form: ConnectForm): ConnectProviderRequest {
  const { kind, apiKey, baseUrl, preset } = form;
  const isOwn = kind === 'declared' && preset === ownDescription;
  const hasModels = kind !== 'comfyui' && !isOwn;
  const named = Object.entries(form.models)
    .map(([model, name]) => [model, name.trim()] as const)
    .filter(([, name]) => name !== '');
  return {
    name: form.name.trim(),
    kind,
    ...(apiKey.trim() === '' ? {} : { api_key: apiKey.trim() }),
    ...(baseUrl.trim() === '' || isOwn ? {} : { base_url: baseUrl.trim() }),
    ...(kind === 'openai-videos' ? { dialect: form.dialect } : {}),
    ...(kind === 'declared' && preset !== ownDescription ? { preset } : {}),
    ...(isOwn ? { declaration: parseJson(form.json, 'description') } : {}),
    ...(hasModels ? { models: Object.fromEntries(named) } : {}),
    ...(kind === 'comfyui' ? { workflows: workflowsOf(form) } : {}),
  };
}

function workflowsOf({ json, fps, workflowModels }: ConnectForm) {
  const graph = parseJson(json, 'workflow');
  const workflow = { graph, ...(fps.trim() === '' ? {} : { fps: Number(fps) }) };
  return Object.fromEntries(workflowModels.map((model) => [model, [workflow]]));
}

function parseJson(text: string, noun: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported below, with what to do.
  }
  throw new Error(`The ${noun} isn’t a JSON object. Paste the whole file.`);
}
