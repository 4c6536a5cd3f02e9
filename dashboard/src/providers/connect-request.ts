/** The form that connects a provider, and the requests that it becomes. */
import type { PresetModel, ProviderPresetView } from '@vidgen/contract/admin-presets.ts';
import type {
  ConnectProviderRequest,
  ProviderConnection,
} from '@vidgen/contract/admin-providers.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import {
  kindDescriptions,
  type ProviderKind,
  type ProviderPreset,
} from '@vidgen/contract/provider-kinds.ts';
import { ApiError, fieldHints } from '../api/api-error.ts';
import { capitalize } from '../components/value-labels.ts';

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
  /** JSON: an own description. */
  readonly json: string;
  readonly workflows: readonly WorkflowForm[];
  /** JSON, of a provider that is corrected; empty: none of its own. */
  readonly costs: string;
};

/** A workflow of ComfyUI. A model takes the first of its workflows that fits a task. */
export type WorkflowForm = {
  /** What was exported in API format. */
  readonly json: string;
  readonly fps: string;
  readonly outputNode: string;
  readonly models: readonly ModelName[];
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
    workflows: [emptyWorkflow(known)],
    costs: '',
  };
  return kind === 'declared' ? { ...form, ...presetFields('kling', known) } : form;
}

export const emptyWorkflow = ({ installed }: Known): WorkflowForm => ({
  json: '',
  fps: '16',
  outputNode: '',
  models: installed.slice(0, 1),
});

/** The form of a provider that is connected. Its key stays unless one is entered. */
export function formOf(connection: ProviderConnection, known: Known): ConnectForm {
  const { name, kind, base_url, dialect = 'vllm', preset, declaration, models } = connection;
  const workflows = new Map<string, WorkflowForm>();
  for (const [model, list] of Object.entries(connection.workflows ?? {})) {
    for (const workflow of list) {
      const key = JSON.stringify(workflow);
      const { graph, fps, output_node: outputNode = '' } = workflow;
      const served = [...(workflows.get(key)?.models ?? []), model];
      const json = JSON.stringify(graph, null, 2);
      workflows.set(key, { json, fps: String(fps ?? ''), outputNode, models: served });
    }
  }
  return {
    ...emptyForm(kind, known),
    name,
    baseUrl: base_url ?? '',
    dialect,
    preset: preset ?? ownDescription,
    models: models ?? {},
    json: declaration ? JSON.stringify(declaration, null, 2) : '',
    workflows: [...workflows.values()],
    costs: connection.costs ? JSON.stringify(connection.costs, null, 2) : '',
  };
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
    ...(isOwn ? { declaration: parseJson(form.json, 'declaration') } : {}),
    ...(hasModels ? { models: Object.fromEntries(named) } : {}),
    ...(kind === 'comfyui' ? { workflows: workflowsOf(form) } : {}),
  };
}

function workflowsOf({ workflows }: ConnectForm) {
  const byModel: NonNullable<ConnectProviderRequest['workflows']> = {};
  for (const { json, fps, outputNode, models } of workflows) {
    const [first] = models;
    if (first === undefined) throw new Error('Choose a model for each workflow.');
    const graph = parseJson(json, `workflows.${first}.${byModel[first]?.length ?? 0}.graph`);
    const workflow = {
      graph,
      ...(fps.trim() === '' ? {} : { fps: Number(fps) }),
      ...(outputNode.trim() === '' ? {} : { output_node: outputNode.trim() }),
    };
    for (const model of models) byModel[model] = [...(byModel[model] ?? []), workflow];
  }
  return byModel;
}

/** What corrects a connection: all of its request that can be changed. */
export function changeRequestOf(form: ConnectForm) {
  const { name: _, kind: __, preset: ___, api_key: ____, ...changes } = connectRequestOf(form);
  const costs = form.costs.trim() === '' ? null : parseJson(form.costs, 'costs');
  return { ...changes, costs };
}

const requestFields = [
  'name',
  'api_key',
  'base_url',
  'declaration',
  'models',
  'workflows',
  'costs',
];

/** What the service says of each field; what is about none of them is under ''. */
export function hintsOf(error: Error | null): Readonly<Record<string, string>> {
  if (error === null) return {};
  const isAboutFields = error instanceof ApiError && error.code === 'invalid_request';
  return isAboutFields ? fieldHints(error, requestFields) : { '': error.message };
}

/**
 * Splits `vidgen-2-0.1.graph has no prompt` by the workflow of the form that it is about. What is
 * about none is at the first.
 */
export function workflowHints(hint: string | undefined, { workflows }: ConnectForm) {
  const hints: (string | undefined)[] = workflows.map(() => undefined);
  for (const part of hint?.split('; ') ?? []) {
    const [place = '', text = part] = part.split('.graph ');
    const dot = place.lastIndexOf('.');
    const serving = workflows.filter(({ models }) => models.includes(place.slice(0, dot)));
    const at = Math.max(0, workflows.indexOf(serving[Number(place.slice(dot + 1))]!));
    hints[at] ??= capitalize(text);
  }
  return hints;
}

/** `field` begins the message, so that it is shown there. */
function parseJson(text: string, field: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported below, with what to do.
  }
  const message = `${field} isn’t a JSON object: check its braces, quotes and commas.`;
  throw new ApiError({ code: 'invalid_request', message }, { status: 0, requestId: null });
}
