/** The form that connects a provider, and the requests that it becomes. */
import type { PresetModel, ProviderPresetView } from '@vidgen/contract/admin-presets.ts';
import type { ConnectProviderRequest } from '@vidgen/contract/admin-providers.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import {
  kindDescriptions,
  type ProviderKind,
  type ProviderPreset,
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
  /** Credits per second by `kling-3 720p`, of models that are declared with the provider. */
  readonly prices: Readonly<Record<string, number | ''>>;
  /** JSON: a workflow of ComfyUI, or an own description. */
  readonly json: string;
  readonly fps: string;
  /** The models that the workflow is for. */
  readonly workflowModels: readonly ModelName[];
};

/** What the form is filled from. */
export type Known = {
  readonly takenNames: readonly string[];
  readonly installed: readonly ModelName[];
  readonly presets: readonly ProviderPresetView[];
};

export function emptyForm(kind: ProviderKind, known: Known): ConnectForm {
  const { name, baseUrl, models } = kindDescriptions[kind];
  const form: ConnectForm = {
    kind,
    name: freeName(name, known.takenNames),
    apiKey: '',
    baseUrl: baseUrl ?? '',
    dialect: 'vllm',
    preset: ownDescription,
    models: installedOf(models, known),
    prices: {},
    json: '',
    fps: '16',
    workflowModels: known.installed.slice(0, 1),
  };
  return kind === 'declared' ? { ...form, ...presetFields('kling', known) } : form;
}

function installedOf(models: Readonly<Partial<Record<ModelName, string>>>, { installed }: Known) {
  const served = Object.entries(models).filter(([name]) => installed.includes(name));
  return Object.fromEntries(served) as Record<ModelName, string>;
}

export const presetOf = ({ preset }: Pick<ConnectForm, 'preset'>, { presets }: Known) =>
  presets.find((one) => one.preset === preset);

/** The first model of the preset is chosen; a preset without any makes those of the contract. */
export function presetFields(preset: ProviderPreset, known: Known) {
  const { models = [], contract_models = {} } = presetOf({ preset }, known) ?? {};
  const [first] = models;
  return {
    preset,
    name: freeName(preset, known.takenNames),
    baseUrl: '',
    models: first ? { [first.name]: first.upstream } : installedOf(contract_models, known),
  };
}

/** The models of the preset that are chosen, and that the installation lacks. */
export function missingModels(form: ConnectForm, known: Known): PresetModel[] {
  const models = presetOf(form, known)?.models ?? [];
  return models.filter(({ name }) => form.models[name] && !known.installed.includes(name));
}

export const priceKey = ({ name }: PresetModel, resolution: string): string =>
  `${name} ${resolution}`;

/** What declares a model. A resolution without a price is not offered. */
export function declarationAt(model: PresetModel, prices: ConnectForm['prices']) {
  const { upstream: _, resolutions, defaultResolution, ...fields } = model;
  const rates = resolutions.flatMap((resolution) => {
    const perSecond = prices[priceKey(model, resolution)] ?? '';
    return perSecond === '' ? [] : [[resolution, { perSecond }] as const];
  });
  const isDefaultSold = rates.some(([resolution]) => resolution === defaultResolution);
  return {
    ...fields,
    resolutions: Object.fromEntries(rates),
    ...(isDefaultSold ? { defaultResolution } : {}),
  };
}

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
