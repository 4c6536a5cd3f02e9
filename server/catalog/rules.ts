/**
 * The rules of a create request that need the model or the mode (Spec 2.2, 4.3 and 8), in the
 * order of the contract's tables. Each looks at a draft and tells what is broken; none depends on
 * another.
 */
import { promptCharactersMax, seedMax } from '@vidgen/contract/create-generation.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import type { Problem } from '@vidgen/contract/problem.ts';
import { shownValue } from '@vidgen/contract/shown-value.ts';
import { textFault } from '@vidgen/contract/text.ts';
import { addressProblems } from './address-rules.ts';
import { type Catalogue, servedModels } from './catalog.ts';
import { broken, type CheckAddress, type Draft } from './draft.ts';
import { materialRules } from './material-rules.ts';
import { editingDuration } from './models.ts';

export type RuleContext = {
  readonly catalogue: Catalogue;
  readonly checkAddress: CheckAddress;
};
export type Rule = (draft: Draft, context: RuleContext) => readonly Problem[];

const modelIsServed: Rule = ({ modelName, model }, { catalogue }) => {
  const served = servedModels(catalogue);
  const allowed = (served.length > 0 ? served : modelNames).join(', ');
  if (modelName === undefined) return [broken('model', `is required: one of ${allowed}`)];
  if (model === null) {
    return [broken('model', `must be one of ${allowed} (got ${shownValue(modelName)})`)];
  }
  if (catalogue.served.has(model)) return [];
  return [broken('model', `${model} is not served by this installation`)];
};

const callbackIsCallable: Rule = ({ callbackUrl }, { checkAddress }) =>
  callbackUrl === undefined
    ? []
    : addressProblems(callbackUrl, { path: 'callback_url', kind: 'callback', checkAddress });

const promptSaysSomething: Rule = ({ input: { prompt } }) => {
  if (prompt === undefined) return [];
  const fault = textFault(prompt);
  if (fault !== null) return [broken('input.prompt', fault)];
  const trimmed = prompt.trim();
  if (trimmed === '') {
    return [broken('input.prompt', `must not be empty (got ${shownValue(prompt)})`)];
  }
  const characters = charactersOf(trimmed);
  if (characters <= promptCharactersMax) return [];
  const rule = `must be at most ${promptCharactersMax} characters (got ${characters})`;
  return [broken('input.prompt', rule)];
};

const durationSuitsModel: Rule = ({ model, limits, mode, input, materials }) => {
  const { duration } = input;
  if (duration === undefined || limits === null) return [];
  const { min, max } = limits.durationSeconds;
  const range = `${min} to ${max} for ${model}`;
  if (duration === editingDuration && limits.editing) {
    if (mode === null) return [];
    if (mode !== 'reference-to-video') {
      const only = 'which is video editing and only for reference-to-video';
      return [broken('input.duration', `must be ${range} in ${mode} (got ${duration}, ${only})`)];
    }
    if (materials.video_urls.length > 0) return [];
    const rule = `must be ${range} without a video in input.video_urls`;
    return [broken('input.duration', `${rule} (got ${duration}, which is video editing)`)];
  }
  if (duration >= min && duration <= max) return [];
  const isEditable = limits.editing && mode === 'reference-to-video';
  const editing = isEditable ? `, or ${editingDuration} to edit a video` : '';
  return [broken('input.duration', `must be ${range}${editing} (got ${duration})`)];
};

const aspectRatioSuitsMode: Rule = ({ model, limits, mode, input, materials }) => {
  const { aspect_ratio: ratio } = input;
  if (ratio === undefined || limits === null) return [];
  if (mode === 'image-to-video') {
    const allowed: readonly string[] = limits.imageToVideoAspectRatios;
    // Where every ratio is allowed, the schema has said what there is to say.
    if (allowed.length > 1 || allowed.includes(ratio)) return [];
    const rule = `must be ${allowed.join(', ')} for ${mode} with ${model}`;
    return [broken('input.aspect_ratio', `${rule} (got ${shownValue(ratio)})`)];
  }
  const isEditing =
    limits.editing !== null &&
    mode === 'reference-to-video' &&
    input.duration === editingDuration &&
    materials.video_urls.length > 0;
  if (!isEditing || ratio === 'adaptive') return [];
  const rule = `must be adaptive for video editing, input.duration ${editingDuration}`;
  return [broken('input.aspect_ratio', `${rule} (got ${shownValue(ratio)})`)];
};

const resolutionSuitsModel: Rule = ({ model, limits, input: { resolution } }) => {
  const allowed: readonly string[] = limits?.resolutions ?? [];
  if (resolution === undefined || limits === null || allowed.includes(resolution)) return [];
  const rule = `must be one of ${allowed.join(', ')} for ${model}`;
  return [broken('input.resolution', `${rule} (got ${shownValue(resolution)})`)];
};

const seedSuitsModel: Rule = ({ model, limits, input: { seed } }) => {
  if (seed === undefined) return [];
  if (limits?.seed === false) {
    return [broken('input.seed', `is not supported by ${model}, omit it`)];
  }
  if (seed >= -1 && seed <= seedMax) return [];
  return [broken('input.seed', `must be -1 or 0 to ${seedMax} (got ${seed})`)];
};

/** By code point: what a person would count, near enough, and what JSON Schema counts. */
function charactersOf(text: string): number {
  let characters = 0;
  for (const _ of text) characters++;
  return characters;
}

export const rules: readonly Rule[] = [
  modelIsServed,
  callbackIsCallable,
  promptSaysSomething,
  ...materialRules,
  durationSuitsModel,
  aspectRatioSuitsMode,
  resolutionSuitsModel,
  seedSuitsModel,
];
