/** What the configuration file may say, and how a wrong setting is named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { createProviders, ProviderSettings, requiredEnvVars } from '../kinds.ts';
import { OpenAiVideosSettings } from './settings.ts';

const minimal = {
  kind: 'openai-videos',
  dialect: 'vllm',
  baseUrl: 'http://127.0.0.1:8091/v1',
  models: { 'vidgen-2-0': 'Wan-AI/Wan2.2-TI2V-5B-Diffusers' },
} as const;

const problems = (change: object): string[] =>
  problemsOf(OpenAiVideosSettings, { ...minimal, ...change }).map(({ message }) => message);

test('takes the least, and everything', () => {
  assert.deepEqual(problems({}), []);
  const maximal = {
    ...{ apiKey: { env: 'GPU_KEY' }, concurrency: 1, startsPerMinute: 6, usualSeconds: 200 },
    supports: { generationTypes: ['text-to-video'], resolutions: ['480p'], secondsMax: 5 },
    sizes: { 'vidgen-2-0': { '480p': { '16:9': '832x480' } } },
    ...{ seconds: [4, 5], fields: { fps: 16, num_inference_steps: 40 }, sound: true },
    ...{ forwardSeed: false, getPerSecond: 50, settleSeconds: 300 },
    webhookSecret: { env: 'GPU_SECRET' },
  };
  assert.deepEqual(problems(maximal), []);
});

test('names what is wrong', () => {
  const table: readonly (readonly [object, RegExp])[] = [
    [{ dialect: 'sora' }, /dialect/],
    [{ baseUrl: 'gpu:8091' }, /baseUrl/],
    [{ sizes: { 'vidgen-2-0': { '480p': { '16:9': '832*480' } } } }, /1280x720/],
    [{ sizes: { 'vidgen-2-0': { '480p': { adaptive: '832x480' } } } }, /adaptive/],
    [{ fields: { prompt: 'mine' } }, /prompt/],
    [{ fields: { output_path: '/srv' } }, /output_path/],
    [{ dialect: 'sglang', sound: true }, /sound/],
    [{ markModel: true }, /markModel/],
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

test('names every variable it needs, and works without any', () => {
  const settings = ProviderSettings.parse({ ...minimal, webhookSecret: { env: 'HOOK_SECRET' } });
  assert.deepEqual(requiredEnvVars(settings), ['HOOK_SECRET']);
  const parts = {
    fetchMaterial: async () => ({ saved: false }),
    materialBytesMax: { image: 1, video: 1, audio: 1 },
    tempFolder: '/nowhere',
    read: () => () => 'secret',
  };
  const [provider, ...others] = createProviders('gpu', settings, parts);
  assert.deepEqual([provider?.name, provider?.credential, others], ['gpu', undefined, []]);
  assert.equal(provider?.sharesCallbackUrl, true);
  assert.deepEqual(provider?.models, ['vidgen-2-0'], 'it is configured for no other');
});
