/** What the configuration file may say, and how a wrong setting is named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { requiredEnvVars } from '../kinds.ts';
import { FalSettings } from './settings.ts';

const minimal = {
  kind: 'fal',
  apiKey: { env: 'FAL_KEY' },
  models: { 'vidgen-2-0': 'bytedance/seedance-2.0' },
} as const;

const problems = (change: object): string[] =>
  problemsOf(FalSettings, { ...minimal, ...change }).map(({ message }) => message);

test('takes the least, and everything', () => {
  assert.deepEqual(problems({}), []);
  const maximal = {
    models: {
      'vidgen-2-5': 'bytedance/seedance-2.5/us',
      'vidgen-2-0': { 'text-to-video': 'fal-ai/wan/v2.2/text-to-video' },
    },
    ...{ forwardSeed: false, fields: { bitrate_mode: 'high' }, keepSeconds: 3_600, retries: true },
    ...{ usualSeconds: 100, getPerSecond: 5, concurrency: 4 },
    ...{ baseUrl: 'https://proxy.test/fal', keySetUrl: 'https://proxy.test/jwks.json' },
  };
  assert.deepEqual(problems(maximal), []);
});

test('names what is wrong', () => {
  const wrong = [
    { models: { 'vidgen-2-0': 'seedance' } },
    { models: { 'vidgen-2-0': 'https://queue.fal.run/a/b' } },
    { models: { 'vidgen-2-0': '../a/b' } },
    { keepSeconds: 1 },
    { baseUrl: 'queue.fal.run' },
    { webhookSecret: { env: 'X' } },
  ];
  for (const change of wrong) assert.equal(problems(change).length, 1, JSON.stringify(change));
});

test('names the variables it needs', () => {
  assert.deepEqual(requiredEnvVars(FalSettings.parse(minimal)), ['FAL_KEY']);
});
