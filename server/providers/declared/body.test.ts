/** The values of a task for a template, and which tasks a description can express. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { declaredLumen } from '../../../proof/kit/declared/fixture.ts';
import { unsupportedReason, valuesFor } from './body.ts';
import { meaningOf } from './responses.ts';
import { DeclaredSettings } from './settings.ts';

const described = DeclaredSettings.parse(declaredLumen);
const imageUrls = ['https://cdn.example.test/a.png'];
const framed = { generationType: 'image-to-video', imageUrls } as const;

const values = (change: Partial<Generation>, rules: Partial<DeclaredSettings>) =>
  valuesFor(sampleStart(change), { ...described, ...rules });
const unsupported = (change: Partial<Generation>, rules: Partial<DeclaredSettings>) =>
  unsupportedReason(sampleGeneration(change), { ...described, ...rules });

test('leaves the ratio out where the description has null for it', () => {
  const ratios = { '16:9': 'wide', adaptive: null };
  const adaptive = { aspectRatio: 'adaptive' } as const;
  assert.equal(values({}, { ratios }).aspect_ratio, 'wide');
  assert.equal(values(adaptive, { ratios }).aspect_ratio, undefined);
  assert.equal(unsupported(adaptive, { ratios }), null);
  assert.match(unsupported({ aspectRatio: '1:1' }, { ratios })!, /^input\.aspect_ratio 1:1/);
  assert.match(unsupported(adaptive, { ratios: { '16:9': 'wide' } })!, /adaptive is not supported/);
});

test('accepts only adaptive for a first frame whose shape the upstream follows', () => {
  const rules = { followsFirstFrame: true, ratios: { '16:9': 'wide' } };
  assert.match(unsupported(framed, rules)!, /^input\.aspect_ratio 16:9 is not supported/);
  assert.equal(unsupported({ ...framed, aspectRatio: 'adaptive' }, rules), null);
  assert.equal(values({ ...framed, aspectRatio: 'adaptive' }, rules).aspect_ratio, undefined);
  assert.equal(values({}, rules).aspect_ratio, 'wide');
});

test('leaves the length to the source where the upstream takes it', () => {
  const edit = {
    generationType: 'reference-to-video',
    videoUrls: imageUrls,
    duration: -1,
  } as const;
  assert.match(unsupported(edit, {})!, /^input\.duration -1/);
  assert.equal(unsupported(edit, { takesSourceLength: true }), null);
  assert.equal(values(edit, { takesSourceLength: true }).seconds, -1);
});

test('sends only https callback URLs where the upstream refuses others', () => {
  const callbackUrl = (url: string, httpsOnly: boolean) =>
    valuesFor(sampleStart({}, { providerCallbackUrl: url }), {
      ...described,
      callbacks: { httpsOnly },
    }).callback_url;
  assert.equal(callbackUrl('https://a.test/c', true), 'https://a.test/c');
  assert.equal(callbackUrl('http://a.test/c', true), undefined);
  assert.equal(callbackUrl('http://a.test/c', false), 'http://a.test/c');
});

test('matches codes by pattern, exact ones first', () => {
  const meanings = { '*Sensitive*': 1, 'Invalid*': 2, InvalidKey: 3, 'a*b*c': 4 };
  const meaning = (code: string) => meaningOf(code, meanings);
  assert.deepEqual(
    ['InputSensitiveText', 'Sensitive', 'InvalidUrl', 'InvalidKey', 'a-b-c', 'abc', 'acb', 'x'].map(
      meaning,
    ),
    [1, 1, 2, 3, 4, 4, undefined, undefined],
  );
  assert.equal(meaningOf('constructor', {}), undefined);
});

test('requests sizes in pixels when the template has them', () => {
  const { seconds: _, ...rest } = DeclaredSettings.parse({
    ...declaredLumen,
    start: {
      ...declaredLumen.start,
      body: {
        ...declaredLumen.start.body,
        quality: '{{size}}',
        shape: { w: '{{width}}', h: '{{height}}' },
      },
    },
    resolutions: undefined,
  });
  const sizes = { '720p': { '16:9': '1280x704' } } as const;
  const of = (change: Partial<Generation>, rules: object = {}) =>
    valuesFor(sampleStart(change), { ...rest, ...rules });
  assert.equal(of({}).size, '1280x720');
  assert.deepEqual([of({}, { sizes }).width, of({}, { sizes }).height], [1280, 704]);
  const unsupported = (change: Partial<Generation>, rules: object = {}) =>
    unsupportedReason(sampleGeneration(change), { ...rest, ...rules });
  assert.equal(unsupported({}), null);
  assert.match(unsupported({ aspectRatio: 'adaptive' })!, /^input\.aspect_ratio adaptive/);
  assert.match(unsupported({ resolution: '480p' }, { sizes })!, /at 480p$/);
});
