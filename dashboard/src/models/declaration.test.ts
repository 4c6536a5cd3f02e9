/** Declarations as JSON and in the form. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstalledModel } from '@vidgen/contract/admin-models.ts';
import { modelOf } from '../../../server/catalog/declared-model.ts';
import { modelView } from '../../../server/catalog/view.ts';
import { models } from '../playground/testing/forms.ts';
import { changeOf, type Declaration, declarationOf, readDeclaration } from './declaration.ts';
import { declarationIn, formOf, formRules, sampleSeconds } from './model-form.ts';

const full: Declaration = {
  name: 'acme/kite',
  title: 'Kite',
  generationTypes: ['text-to-video', 'image-to-video', 'reference-to-video'],
  seconds: { min: 3, max: 15, default: 5 },
  resolutions: { '480p': { perTask: 0 }, '768p': { perSecond: 16.8, perSecondSilent: 11.2 } },
  defaultResolution: '480p',
  aspectRatios: ['16:9', 'adaptive'],
  frames: { last: true },
  references: { images: 4, videos: 0, total: 4, secondsMax: 20, audioAlone: true },
  sound: 'always',
  seed: true,
  editing: { min: 4, max: 20 },
  promptCharactersMax: 300,
  options: { cfg: { type: 'number', min: 0, max: 1 }, style: { type: 'choice', values: ['a, b'] } },
  retires: '2026-11-11',
};
const byType = { ...full, seconds: [4, 8], aspectRatios: { 'text-to-video': ['1:1'] } } as const;

test('the form keeps every field of a declaration', () => {
  for (const declared of [full, byType]) {
    const { declared: read, errors } = readDeclaration(JSON.stringify(declared));
    assert.deepEqual(errors, {});
    assert.deepEqual(declarationIn(formOf(read)), declared);
  }
  assert.equal(sampleSeconds(formOf(full)), 5);
  assert.equal(sampleSeconds(formOf(byType as unknown as Declaration)), 4);
});

test('a model of the contract can be declared again under another name', () => {
  const contract = models.filter(({ id }) => id !== 'kite');
  for (const view of contract) {
    const installed = { ...view, source: 'contract', declaration: null } as InstalledModel;
    const { name, ...declared } = declarationIn(formOf(declarationOf(installed)));
    const { reference_to_video: reference, ...rest } = modelView(modelOf(name, declared, 'file'));
    // The length of each reference cannot be declared.
    const each = { video_seconds: view.reference_to_video.video_seconds };
    const audio = { audio_seconds: view.reference_to_video.audio_seconds };
    assert.deepEqual({ ...rest, reference_to_video: { ...reference, ...each, ...audio } }, view);
  }
});

test('reads an entry of the configuration file', () => {
  const { name, ...fields } = full;
  assert.deepEqual(readDeclaration(JSON.stringify({ [name]: fields })).declared, full);
});

test('names what it cannot read by its field, and fills the form with the rest', () => {
  const { declared, errors } = readDeclaration(
    '{"name": "kite", "seconds": "5", "resolutions": {"720p": 6}, "sounds": true}',
  );
  assert.deepEqual(Object.keys(declared), ['name']);
  assert.match(errors.seconds ?? '', /^Must be a range such as \{"min": 3/);
  assert.match(errors.resolutions ?? '', /^Must be prices such as/);
  assert.equal(errors.sounds, 'Is not a known field');
  assert.equal(formOf(declared).name, 'kite');
  for (const text of ['[', '[]', 'null', '"kling-3"', '']) {
    assert.throws(() => readDeclaration(text), /isn’t a JSON object/);
  }
});

test('a change removes the fields that are gone, and no texts are lost unseen', () => {
  const { title: _, ...after } = full;
  const { title, name, seed } = changeOf(full, after) as Record<string, unknown>;
  assert.deepEqual([title, name, seed], [null, undefined, true]);
  for (const text of ['', '3-', 'three', '4, x']) assert.notEqual(formRules.seconds(text), null);
  assert.notEqual(formRules.editing('4'), null);
  assert.notEqual(formRules.options('{'), null);
  const rows = formOf({ resolutions: { '720p': {} } }).resolutions;
  assert.notEqual(formRules.resolutions([...rows, ...rows]), null);
});
