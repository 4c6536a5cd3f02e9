/** How codes and statuses of a description are interpreted, and the sizes that are requested. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { declaredLumen } from '../../../proof/kit/declared/fixture.ts';
import { unsupportedReason, valuesFor } from './body.ts';
import { meaningOf, parseStartResult } from './responses.ts';
import { DeclaredSettings } from './settings.ts';

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

test('uses the default meaning of a status unless the description has another', () => {
  const outcome = (status: number, start: Record<string, 'refused' | 'throttled'> = {}) =>
    parseStartResult({ kind: 'response', status, headers: {}, json: undefined }, { start }).outcome;
  assert.deepEqual(
    [400, 307, 500, 409, 200, 429].map((status) => outcome(status)),
    ['rejected', 'rejected', 'unknown', 'unknown', 'unknown', 'throttled'],
  );
  assert.equal(outcome(503, { '503': 'throttled' }), 'throttled');
  assert.equal(outcome(409, { '4*': 'refused' }), 'rejected');
});

test('requests sizes in pixels when the template has them', () => {
  const { seconds: _, ...rest } = DeclaredSettings.parse({
    ...declaredLumen,
    start: {
      ...declaredLumen.start,
      body: {
        ...declaredLumen.start.body,
        ...{ quality: '{{size}}', shape: { w: '{{width}}', h: '{{height}}' } },
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
