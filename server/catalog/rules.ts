/**
 * The rules of a create request that depend on the model or the generation type (docs/spec.md 2.2,
 * 4.3 and 8), in the order of the contract's tables. Each checks a draft and reports what is
 * broken, independently of the others.
 */
import { promptCharactersMax, seedMax } from '@vidgen/contract/create-generation.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { metadataProblem } from '@vidgen/contract/metadata.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { type Problem, valueHint } from '@vidgen/contract/problem.ts';
import { textProblem } from '@vidgen/contract/text.ts';
import { type Catalog, servedModels } from './catalog.ts';
import { type CheckUrl, type Draft, ruleProblem } from './draft.ts';
import { materialRules, urlProblems } from './material-rules.ts';
import { editingDuration } from './models.ts';

type RuleContext = {
  readonly catalog: Catalog;
  readonly checkUrl: CheckUrl;
};
type Rule = (draft: Draft, context: RuleContext) => readonly Problem[];

const modelIsServed: Rule = ({ modelName, model }, { catalog }) => {
  const served = servedModels(catalog);
  const allowed = (served.length > 0 ? served : modelNames).join(', ');
  if (modelName === undefined) return [ruleProblem('model', `is required: one of ${allowed}`)];
  if (model === null) {
    return [ruleProblem('model', `must be one of ${allowed} ${gotOf(modelNames, modelName)}`)];
  }
  if (catalog.served.has(model)) return [];
  return [ruleProblem('model', `${model} is not served by this installation`)];
};

/** What was sent, and the allowed value that it may stand for. */
const gotOf = (allowed: readonly string[], value: string): string =>
  `(got ${formatValue(value)})${valueHint(allowed, value)}`;

const callbackIsCallable: Rule = ({ callbackUrl }, { checkUrl }) =>
  callbackUrl === undefined
    ? []
    : urlProblems(callbackUrl, { path: 'callback_url', kind: 'callback', checkUrl });

const promptIsNotEmpty: Rule = ({ input: { prompt } }) => {
  if (prompt === undefined) return [];
  const problem = textProblem(prompt);
  if (problem !== null) return [ruleProblem('input.prompt', problem)];
  const trimmed = prompt.trim();
  if (trimmed === '') {
    return [ruleProblem('input.prompt', `must not be empty (got ${formatValue(prompt)})`)];
  }
  const characters = countCharacters(trimmed);
  if (characters <= promptCharactersMax) return [];
  const rule = `must be at most ${promptCharactersMax} characters (got ${characters})`;
  return [ruleProblem('input.prompt', rule)];
};

const durationSuitsModel: Rule = ({ model, limits, generationType, input, materials }) => {
  const { duration } = input;
  if (duration === undefined || limits === null) return [];
  const { min, max } = limits.durationSeconds;
  const range = `${min} to ${max} for ${model}`;
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
  if (duration >= min && duration <= max) return [];
  const isEditable = limits.editing && generationType === 'reference-to-video';
  const editing = isEditable ? `, or ${editingDuration} to edit a video` : '';
  return [ruleProblem('input.duration', `must be ${range}${editing} (got ${duration})`)];
};

const aspectRatioSuitsType: Rule = ({ model, limits, generationType, input, materials }) => {
  const { aspect_ratio: ratio } = input;
  if (ratio === undefined || limits === null) return [];
  if (generationType === 'image-to-video') {
    const allowed: readonly string[] = limits.imageToVideoAspectRatios;
    // If every ratio is allowed, the schema has already reported an unknown one.
    if (allowed.length > 1 || allowed.includes(ratio)) return [];
    const rule = `must be ${allowed.join(', ')} for ${generationType} with ${model}`;
    return [ruleProblem('input.aspect_ratio', `${rule} ${gotOf(allowed, ratio)}`)];
  }
  const isEditing =
    limits.editing !== null &&
    generationType === 'reference-to-video' &&
    input.duration === editingDuration &&
    materials.video_urls.length > 0;
  if (!isEditing || ratio === 'adaptive') return [];
  const rule = `must be adaptive for video editing, input.duration ${editingDuration}`;
  return [ruleProblem('input.aspect_ratio', `${rule} (got ${formatValue(ratio)})`)];
};

const resolutionSuitsModel: Rule = ({ model, limits, input: { resolution } }) => {
  const allowed: readonly string[] = limits?.resolutions ?? [];
  if (resolution === undefined || limits === null || allowed.includes(resolution)) return [];
  const rule = `must be one of ${allowed.join(', ')} for ${model}`;
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
  promptIsNotEmpty,
  ...materialRules,
  durationSuitsModel,
  aspectRatioSuitsType,
  resolutionSuitsModel,
  seedSuitsModel,
  metadataFits,
];
