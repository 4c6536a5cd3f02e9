/** What a description may say, and how a wrong one is named; what words and sizes come to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { sampleGeneration, sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { declaredLumen } from '../../../proof/kit/declared/fixture.ts';
import { declaredModelArk } from '../../../proof/kit/declared/modelark.ts';
import { createProviders, ProviderSettings } from '../kinds.ts';
import { unsupportedReason, valuesFor } from './body.ts';
import { meaningOf, parseStartResult } from './responses.ts';
import { DeclaredSettings } from './settings.ts';

const problems = (change: object): string[] =>
  problemsOf(DeclaredSettings, { ...declaredLumen, ...change }).map(({ message }) => message);
const { start, status } = declaredLumen;
const body = (change: object) => ({ start: { ...start, body: { ...start.body, ...change } } });

test('takes both descriptions', () => {
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problemsOf(DeclaredSettings, declaredModelArk), []);
});

test('makes a provider of one from the configuration file', async () => {
  const [provider] = createProviders('lumen', ProviderSettings.parse(declaredLumen), {
    fetchMaterial: async () => ({ saved: false }),
    materialBytesMax: { image: 1, video: 1, audio: 1 },
    tempFolder: '/nowhere',
    read: () => () => 'secret',
  });
  const { name, credential, protection } = provider!;
  assert.deepEqual([name, credential, protection], ['lumen', 'LUMEN_KEY', 'idempotency-key']);
  await provider!.close?.();
});

test('names what is wrong', () => {
  const { video: _, ...noVideo } = status;
  const table: readonly (readonly [object, RegExp])[] = [
    [body({ text: '{{promt}}' }), /start\.body holds an unknown placeholder \{\{promt\}\}/],
    [body({ text: 'a fox' }), /start\.body lacks \{\{prompt\}\}/],
    [body({ seconds: 5 }), /start\.body lacks \{\{seconds\}\}/],
    [body({ shape: 'wide' }), /start\.body lacks \{\{resolution\}\} and/],
    [body({ '{{seed}}': 1 }), /start\.body holds \{\{seed\}\} as the name of a field/],
    [{ start: { ...start, operation: '$.id' } }, /start\.operation must be a place/],
    [{ start: { ...start, path: '/x/{{seed}}' } }, /start\.path may hold/],
    [{ status: { ...status, path: '/renders' } }, /status\.path must hold \{\{operation\}\}/],
    [{ status: { ...status, states: { '1': 'busy' } } }, /status\.states/],
    [{ status: { ...status, states: { '1': 'running' } } }, /which state is completed/],
    [{ status: noVideo }, /status\.video/],
    [{ auth: { header: 'x-key', value: 'secret' } }, /auth\.value must hold \{\{key\}\}/],
    [{ auth: { header: 'x key', value: '{{key}}' } }, /auth\.header/],
    [{ errors: { start: { 500: 'perhaps' } } }, /errors\.start/],
    [{ cancel: { path: '/renders/{{operation}}', from: ['done'] } }, /cancel\.from/],
    [{ baseUrl: 'lumen' }, /baseUrl/],
    [{ color: 'blue' }, /color/],
  ];
  for (const [change, pattern] of table) {
    const found = problems(change);
    assert.ok(
      found.some((problem) => pattern.test(problem)),
      `${pattern} in ${found.join('; ')}`,
    );
  }
});

test('knows words by patterns, the exact one first', () => {
  const meanings = { '*Sensitive*': 1, 'Invalid*': 2, InvalidKey: 3, 'a*b*c': 4 };
  const meaning = (word: string) => meaningOf(word, meanings);
  assert.deepEqual(
    ['InputSensitiveText', 'Sensitive', 'InvalidUrl', 'InvalidKey', 'a-b-c', 'abc', 'acb', 'x'].map(
      meaning,
    ),
    [1, 1, 2, 3, 4, 4, undefined, undefined],
  );
  assert.equal(meaningOf('constructor', {}), undefined);
});

test('takes as proof only what is one, unless the description says otherwise', () => {
  const outcome = (httpStatus: number, start: Record<string, 'refused' | 'throttled'> = {}) =>
    parseStartResult(
      { kind: 'answered', status: httpStatus, headers: {}, json: undefined },
      { start },
    ).outcome;
  assert.deepEqual(
    [400, 401, 404, 422, 307].map((code) => outcome(code)),
    Array(5).fill('refused'),
  );
  assert.deepEqual(
    [500, 502, 504, 408, 409, 499, 200].map((code) => outcome(code)),
    Array(7).fill('unknown'),
  );
  assert.equal(outcome(429), 'throttled');
  assert.equal(outcome(503, { '503': 'throttled' }), 'throttled');
  assert.equal(outcome(409, { '4*': 'refused' }), 'refused');
});

test('asks for pixels where the upstream wants them, in its own sizes', () => {
  const { seconds: _, ...rest } = DeclaredSettings.parse({
    ...declaredLumen,
    ...body({ quality: '{{size}}', shape: { w: '{{width}}', h: '{{height}}' } }),
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
