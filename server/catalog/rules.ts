/**
 * The rules of a create request that depend on the model or the generation type (docs/spec.md 2.2,
 * 4.3 and 8), in the order of the contract's tables. Each checks a draft and reports what is
 * broken, independently of the others.
 */
import {
  editingDuration,
  promptCharactersMax,
  seedMax,
} from '@vidgen/contract/create-generation.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { metadataProblem } from '@vidgen/contract/metadata.ts';
import type { ModelOption } from '@vidgen/contract/model-declaration.ts';
import { aspectRatios, type ModelName, modelNames } from '@vidgen/contract/models.ts';
import { type Problem, ruleProblem, valueHint } from '@vidgen/contract/problem.ts';
import { suggestName } from '@vidgen/contract/suggest-name.ts';
import { isBlank, textProblem } from '@vidgen/contract/text.ts';
import type { Catalog } from './catalog.ts';
import type { CheckUrl, Draft } from './draft.ts';
import { materialRules, urlProblems } from './material-rules.ts';

export type RuleContext = {
  readonly catalog: Catalog;
  readonly checkUrl: CheckUrl;
  /** Whether a provider makes a model of the catalog; by default each is made. */
  readonly hasProvider?: (model: ModelName) => boolean;
};
type Rule = (draft: Draft, context: RuleContext) => readonly Problem[];

const modelIsServed: Rule = ({ modelName, model }, { catalog, hasProvider = () => true }) => {
  if (model !== null && catalog.find(model) && hasProvider(model)) return [];
  const served = catalog.names().filter(hasProvider);
  const allowed = (served.length > 0 ? served : modelNames).join(', ');
  if (modelName === undefined) return [ruleProblem('model', `is required: one of ${allowed}`)];
  if (model !== null) {
    return [ruleProblem('model', `${modelName} is not served by this installation`)];
  }
  const hint = valueHint(served, modelName) || nearestHint(served, modelName);
  const rule = `must be one of ${allowed} (got ${formatValue(modelName)})${hint}`;
  return [ruleProblem('model', rule)];
};

/** A model may have been renamed or removed. */
function nearestHint(names: readonly string[], name: string): string {
  // Candidates with a period would be taken for paths.
  const plain = (text: string) => text.replaceAll('.', '-');
  const near = suggestName(plain(name), names.map(plain));
  const found = names.find((one) => plain(one) === near);
  return found === undefined ? '' : `, did you mean ${found}?`;
}

const typeSuitsModel: Rule = ({ model, limits, generationType }) => {
  if (limits === null || generationType === null) return [];
  if (limits.generationTypes.includes(generationType)) return [];
  const allowed = oneOf(limits.generationTypes);
  const rule = `must be ${allowed} for ${model} (got ${formatValue(generationType)})`;
  return [ruleProblem('input.generation_type', rule)];
};

const oneOf = (values: readonly (string | number)[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;

/** What was sent, and the allowed value that it may stand for. */
const gotOf = (allowed: readonly string[], value: string): string =>
  `(got ${formatValue(value)})${valueHint(allowed, value)}`;

const callbackIsCallable: Rule = ({ callbackUrl }, { checkUrl }) =>
  callbackUrl === undefined
    ? []
    : urlProblems(callbackUrl, { path: 'callback_url', kind: 'callback', checkUrl });

const promptFits: Rule = ({ model, limits, input: { prompt } }) => {
  if (prompt === undefined) return [];
  const problem = textProblem(prompt);
  if (problem !== null) return [ruleProblem('input.prompt', problem)];
  if (isBlank(prompt)) {
    return [ruleProblem('input.prompt', `must not be empty (got ${formatValue(prompt)})`)];
  }
  const characters = countCharacters(prompt.trim());
  const max = limits?.promptCharactersMax ?? promptCharactersMax;
  if (characters <= max) return [];
  const where = max < promptCharactersMax ? ` for ${model}` : '';
  const rule = `must be at most ${max} characters${where} (got ${characters})`;
  return [ruleProblem('input.prompt', rule)];
};

const durationSuitsModel: Rule = ({ model, limits, generationType, input, materials }) => {
  const { duration } = input;
  if (duration === undefined || limits === null) return [];
  const { min, max } = limits.durationSeconds;
  const lengths = limits.durations ? oneOf(limits.durations) : `${min} to ${max}`;
  const range = `${lengths} for ${model}`;
  if (duration === editingDuration && limits.editing) {
    if (generationType === null) return [];
    if (generationType !== 'reference-to-video') {
      const only = 'which is video editing and only for reference-to-video';
      return [
        ruleProblem(
          'input.duration',
          `must be ${range} in ${generationType} (got ${duration}, ${only})`,
        ),
      ];
    }
    if (materials.video_urls.length > 0) return [];
    const rule = `must be ${range} without a video in input.video_urls`;
    return [ruleProblem('input.duration', `${rule} (got ${duration}, which is video editing)`)];
  }
  if (limits.durations?.includes(duration) ?? (duration >= min && duration <= max)) return [];
  const isEditable = limits.editing && generationType === 'reference-to-video';
  const editing = isEditable ? `, or ${editingDuration} to edit a video` : '';
  return [ruleProblem('input.duration', `must be ${range}${editing} (got ${duration})`)];
};

const aspectRatioSuitsType: Rule = ({ model, limits, generationType, input, materials }) => {
  const { aspect_ratio: ratio } = input;
  if (ratio === undefined || limits === null) return [];
  const isEditing =
    limits.editing !== null &&
    generationType === 'reference-to-video' &&
    input.duration === editingDuration &&
    materials.video_urls.length > 0;
  if (isEditing) {
    if (ratio === 'adaptive') return [];
    const rule = `must be adaptive for video editing, input.duration ${editingDuration}`;
    return [ruleProblem('input.aspect_ratio', `${rule} (got ${formatValue(ratio)})`)];
  }
  const allowed: readonly string[] = generationType ? limits.aspectRatios[generationType] : [];
  // If every ratio is allowed, the schema has already reported an unknown one.
  if (generationType === null || allowed.length === aspectRatios.length) return [];
  if (allowed.includes(ratio)) return [];
  const rule = `must be ${oneOf(allowed)} for ${generationType} with ${model}`;
  return [ruleProblem('input.aspect_ratio', `${rule} ${gotOf(allowed, ratio)}`)];
};

const soundSuitsModel: Rule = ({ model, limits, input: { generate_audio: sound } }) => {
  if (sound === undefined || limits === null || limits.sound === 'optional') return [];
  const only = limits.sound === 'always';
  if (sound === only) return [];
  const why = only ? 'makes no silent videos' : 'makes no sound';
  const rule = `must be ${only} for ${model}, which ${why}`;
  return [ruleProblem('input.generate_audio', `${rule} (got ${sound})`)];
};

const resolutionSuitsModel: Rule = ({ model, limits, input: { resolution } }) => {
  const allowed: readonly string[] = limits?.resolutions ?? [];
  if (resolution === undefined || limits === null || allowed.includes(resolution)) return [];
  const rule = `must be ${oneOf(allowed)} for ${model}`;
  return [ruleProblem('input.resolution', `${rule} ${gotOf(allowed, resolution)}`)];
};

const seedSuitsModel: Rule = ({ model, limits, input: { seed } }) => {
  if (seed === undefined) return [];
  if (limits?.seed === false) {
    return [ruleProblem('input.seed', `is not supported by ${model}, omit it`)];
  }
  if (seed >= -1 && seed <= seedMax) return [];
  return [ruleProblem('input.seed', `must be -1 or 0 to ${seedMax} (got ${seed})`)];
};

const optionsSuitModel: Rule = ({ model, limits, input: { options = {} } }) => {
  if (limits === null) return [];
  const names = Object.keys(limits.options);
  return Object.entries(options).flatMap(([name, value]) => {
    const path = `input.options.${name}`;
    const option = Object.hasOwn(limits.options, name) ? limits.options[name] : undefined;
    if (!option) {
      const known = names.length > 0 ? `, which has ${names.join(', ')}` : ', which has none';
      return ruleProblem(path, `is not an option of ${model}${valueHint(names, name) || known}`);
    }
    const rule = optionRule(option, value);
    return rule === null ? [] : ruleProblem(path, `must be ${rule} (got ${formatValue(value)})`);
  });
};

function optionRule(option: ModelOption, value: string | number | boolean): string | null {
  switch (option.type) {
    case 'text': {
      const isText = typeof value === 'string' && textProblem(value) === null;
      return isText && countCharacters(value) <= option.max
        ? null
        : `text of at most ${option.max} characters`;
    }
    case 'number':
      return typeof value === 'number' && value >= option.min && value <= option.max
        ? null
        : `a number from ${option.min} to ${option.max}`;
    case 'boolean':
      return typeof value === 'boolean' ? null : 'true or false';
    case 'choice':
      return option.values.some((allowed) => allowed === value) ? null : oneOf(option.values);
  }
}

const metadataFits: Rule = ({ metadata }) => {
  const problem = metadata === undefined ? null : metadataProblem(metadata);
  return problem === null ? [] : [ruleProblem('metadata', problem)];
};

/** Counts code points, as JSON Schema does, which is close to what a person would count. */
function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters++;
  return characters;
}

export const rules: readonly Rule[] = [
  modelIsServed,
  callbackIsCallable,
  promptFits,
  typeSuitsModel,
  ...materialRules,
  durationSuitsModel,
  aspectRatioSuitsType,
  resolutionSuitsModel,
  soundSuitsModel,
  seedSuitsModel,
  optionsSuitModel,
  metadataFits,
];
