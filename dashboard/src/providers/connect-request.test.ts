/** The request that the connect form becomes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectRequestOf, emptyForm, freeName, ownDescription } from './connect-request.ts';

test('sends the key and the models that have a name', () => {
  const form = { ...emptyForm('fal', ['fal']), apiKey: ' key ' };
  assert.deepEqual(connectRequestOf(form), {
    name: 'fal-2',
    kind: 'fal',
    api_key: 'key',
    models: { 'vidgen-2-5': 'bytedance/seedance-2.5', 'vidgen-2-0': 'bytedance/seedance-2.0' },
  });
  assert.equal(freeName('fal', ['fal', 'fal-2']), 'fal-3');
});

test('sends a workflow for each chosen model, or says that it is no JSON', () => {
  const form = { ...emptyForm('comfyui', []), baseUrl: 'http://gpu:8188', json: '{"1":{}}' };
  assert.deepEqual(connectRequestOf(form).workflows, {
    'vidgen-2-0': [{ graph: { 1: {} }, fps: 16 }],
  });
  assert.throws(() => connectRequestOf({ ...form, json: '[' }), /workflow isn’t a JSON object/);
});

test('sends a preset, or an own description without models', () => {
  const form = emptyForm('declared', []);
  assert.equal(connectRequestOf(form).preset, 'kling');
  const own = { ...form, preset: ownDescription, json: '{"baseUrl":"https://a"}' } as const;
  const { declaration, models, preset } = connectRequestOf(own);
  assert.deepEqual([declaration, models, preset], [{ baseUrl: 'https://a' }, undefined, undefined]);
});
