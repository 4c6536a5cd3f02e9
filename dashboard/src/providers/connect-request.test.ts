/** The request that the connect form becomes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderPresetView } from '@vidgen/contract/admin-presets.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { ApiError } from '../api/api-error.ts';
import {
  changeRequestOf,
  connectRequestOf,
  declarationAt,
  emptyForm,
  formOf,
  freeName,
  hintsOf,
  missingModels,
  ownDescription,
  presetFields,
  workflowHints,
} from './connect-request.ts';

const kling: ProviderPresetView = {
  preset: 'kling',
  label: 'Kling',
  base_url: null,
  models: [
    {
      name: 'kling-3',
      upstream: 'kling-v3',
      title: 'Kling 3',
      defaultResolution: '4k',
      generationTypes: ['text-to-video'],
      seconds: [5],
      resolutions: ['720p', '4k'],
    },
  ],
  contract_models: { 'vidgen-2-0': 'kling-v3' },
};
const luma: ProviderPresetView = { ...kling, preset: 'luma', models: [] };
const known = { takenNames: ['fal'], installed: modelNames, presets: [kling, luma] };

test('sends the key and the models that have a name', () => {
  const form = { ...emptyForm('fal', known), apiKey: ' key ' };
  assert.deepEqual(connectRequestOf(form), {
    name: 'fal-2',
    kind: 'fal',
    api_key: 'key',
    models: { 'vidgen-2-5': 'bytedance/seedance-2.5', 'vidgen-2-0': 'bytedance/seedance-2.0' },
  });
  assert.equal(freeName('fal', ['fal', 'fal-2']), 'fal-3');
});

test('sends the workflows of each model in order, and reads them back', () => {
  const workflow = { fps: '16', outputNode: '', models: ['vidgen-2-5', 'vidgen-2-0'] };
  const workflows = [
    { ...workflow, json: '{"1":{}}' },
    { ...workflow, json: '{"2":{}}', fps: '', outputNode: '58', models: ['vidgen-2-0'] },
  ];
  const form = { ...emptyForm('comfyui', known), baseUrl: 'http://gpu:8188', workflows };
  const text = { graph: { 1: {} }, fps: 16 };
  const frame = { graph: { 2: {} }, output_node: '58' };
  const request = connectRequestOf(form);
  assert.deepEqual(request.workflows, { 'vidgen-2-5': [text], 'vidgen-2-0': [text, frame] });
  assert.deepEqual(changeRequestOf(formOf(request, known)), changeRequestOf(form));
  const broken = { ...form, workflows: form.workflows.with(1, { ...workflows[1]!, json: '[' }) };
  assert.throws(() => connectRequestOf(broken), {
    message: /^workflows.vidgen-2-0.1.graph isn’t a/,
  });
  const hint = 'vidgen-2-0.1.graph lacks {{frames}}; vidgen-2-5.0.graph lacks {{width}}';
  assert.deepEqual(workflowHints(hint, form), ['Lacks {{width}}', 'Lacks {{frames}}']);
});

test('sends a preset, or an own description without models', () => {
  const form = emptyForm('declared', known);
  assert.partialDeepStrictEqual(connectRequestOf(form), {
    name: 'kling',
    preset: 'kling',
    models: { 'kling-3': 'kling-v3' },
  });
  assert.deepEqual(presetFields('luma', known).models, { 'vidgen-2-0': 'kling-v3' });
  const own = { ...form, preset: ownDescription, json: '{"baseUrl":"https://a"}' } as const;
  const { declaration, models, preset } = connectRequestOf(own);
  assert.deepEqual([declaration, models, preset], [{ baseUrl: 'https://a' }, undefined, undefined]);
});

test('declares the chosen models that the installation lacks, where they have a price', () => {
  const form = { ...emptyForm('declared', known), prices: { 'kling-3 720p': 8 } };
  const [missing] = missingModels(form, known);
  assert.deepEqual(declarationAt(missing!, form.prices), {
    name: 'kling-3',
    title: 'Kling 3',
    generationTypes: ['text-to-video'],
    seconds: [5],
    resolutions: { '720p': { perSecond: 8 } },
  });
  assert.deepEqual(missingModels(form, { ...known, installed: ['kling-3'] }), []);
});

test('shows what is wrong inside JSON at its field', () => {
  const message =
    'declaration.models is required; costs.models.x["720p"].perSecnd is not a known field';
  const response = { status: 400, requestId: null };
  const hints = hintsOf(new ApiError({ code: 'invalid_request', message }, response));
  assert.deepEqual(hints, {
    declaration: 'models is required',
    costs: 'models.x["720p"].perSecnd is not a known field',
  });
});
