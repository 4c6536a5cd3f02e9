/** What the configuration file may say, and how a wrong setting is named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { requiredEnvVars } from '../kinds.ts';
import { ReplicateSettings } from './settings.ts';

const minimal = {
  kind: 'replicate',
  apiKey: { env: 'REPLICATE_API_TOKEN' },
  models: { 'vidgen-2-0': 'bytedance/seedance-2.0' },
} as const;

const problems = (change: object): string[] =>
  problemsOf(ReplicateSettings, { ...minimal, ...change }).map(({ message }) => message);

test('takes the least, and everything', () => {
  assert.deepEqual(problems({}), []);
  const maximal = {
    models: {
      'vidgen-2-5': 'bytedance/seedance-2.5',
      'vidgen-2-0-fast': 'acme/fast:5c7d5dc6dd8bf75c1acaa856',
      'vidgen-2-0-mini': 'deployments/acme/mini',
    },
    inputs: { prompt: 'text', lastFrame: null, sound: null },
    limits: { images: 4, seconds: 30, promptCharacters: 2_000 },
    ...{ fields: { fps: 24 }, usualSeconds: 200, getPerSecond: 10, settleSeconds: 300 },
    ...{ concurrency: 10, baseUrl: 'https://proxy.example.test/v1' },
    webhookSecret: { env: 'REPLICATE_WEBHOOK_SECRET' },
  };
  assert.deepEqual(problems(maximal), []);
});

test('names what is wrong', () => {
  const wrong = [
    { models: { 'vidgen-2-0': 'seedance' } },
    { models: { 'vidgen-2-0': '../predictions' } },
    { models: { 'vidgen-2-0': 'bytedance/..' } },
    { models: { 'vidgen-2-0': 'deployments/acme/mini:5' } },
    { inputs: { prompt: null } },
    { inputs: { picture: 'image' } },
    { baseUrl: 'ftp://x' },
  ];
  for (const change of wrong) assert.equal(problems(change).length, 1, JSON.stringify(change));
});

test('names the variables it needs', () => {
  const settings = ReplicateSettings.parse({ ...minimal, webhookSecret: { env: 'SECRET' } });
  assert.deepEqual(requiredEnvVars(settings), ['REPLICATE_API_TOKEN', 'SECRET']);
});
