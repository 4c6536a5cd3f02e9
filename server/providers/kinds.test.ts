/** What the configuration file accepts for each kind of provider, and how it reports an error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerationType } from '@vidgen/contract/models.ts';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { z } from 'zod';
import { graphOf, writeWorkflows } from '../../proof/kit/comfyui/workflows.ts';
import { sampleGeneration, sampleStart } from '../../proof/kit/conformance-fixture.ts';
import { declaredLumen } from '../../proof/kit/declared/fixture.ts';
import { createProviders, limitsOf, ProviderSettings, requiredEnvVars } from './kinds.ts';
import { unsupported } from './settings.ts';

const misspelt = graphOf({
  '6': { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}} {{negative}}' } },
});
const workflows = await writeWorkflows({ good: graphOf(), misspelt });
const [workflow, badWorkflow] = workflows as [object, object];
const oneWorkflow = (settings: object) => ({ workflows: { 'vidgen-2-0': [settings] } });
const { start, status } = declaredLumen;
const { video: _, ...statusWithoutVideo } = status;
const startBody = (change: object) => ({ start: { ...start, body: { ...start.body, ...change } } });

type SettingsTable = {
  readonly minimal: object;
  /** Changes that are accepted. */
  readonly accepted: readonly object[];
  /** Changes that are not, and a pattern that the only message matches. */
  readonly rejected: readonly (readonly [change: object, message: RegExp])[];
};

const tables: Record<ProviderSettings['kind'], SettingsTable> = {
  modelark: {
    minimal: {
      kind: 'modelark',
      apiKey: { env: 'ARK_KEY' },
      baseUrl: 'https://ark.example.test/api/v3',
      models: { 'vidgen-2-0': 'dreamina-seedance-2-0-260128' },
    },
    accepted: [{ forwardSeed: false, getPerSecond: 5, listPerSecond: 0.5, settleSeconds: 300 }],
    rejected: [[{ baseUrl: 'ark' }, /baseUrl/]],
  },
  fal: {
    minimal: {
      kind: 'fal',
      apiKey: { env: 'FAL_KEY' },
      models: { 'vidgen-2-0': 'bytedance/seedance-2.0' },
    },
    accepted: [
      {
        models: {
          'vidgen-2-5': 'bytedance/seedance-2.5/us',
          'vidgen-2-0': { 'text-to-video': 'fal-ai/wan/v2.2/text-to-video' },
        },
        forwardSeed: false,
        fields: { bitrate_mode: 'high' },
        keepSeconds: 3_600,
        retries: true,
        usualSeconds: 100,
        getPerSecond: 5,
        concurrency: 4,
        baseUrl: 'https://proxy.test/fal',
        keySetUrl: 'https://proxy.test/jwks.json',
      },
    ],
    rejected: [
      [{ models: { 'vidgen-2-0': 'seedance' } }, /models/],
      [{ models: { 'vidgen-2-0': 'https://queue.fal.run/a/b' } }, /models/],
      [{ models: { 'vidgen-2-0': '../a/b' } }, /models/],
      [{ keepSeconds: 1 }, /keepSeconds/],
      [{ baseUrl: 'queue.fal.run' }, /baseUrl/],
      [{ webhookSecret: { env: 'X' } }, /webhookSecret/],
    ],
  },
  replicate: {
    minimal: {
      kind: 'replicate',
      apiKey: { env: 'REPLICATE_API_TOKEN' },
      models: { 'vidgen-2-0': 'bytedance/seedance-2.0' },
    },
    accepted: [
      {
        models: {
          'vidgen-2-5': 'bytedance/seedance-2.5',
          'vidgen-2-0-fast': 'acme/fast:5c7d5dc6dd8bf75c1acaa856',
          'vidgen-2-0-mini': 'deployments/acme/mini',
        },
        inputs: { prompt: 'text', lastFrame: null, sound: null },
        limits: { images: 4, seconds: 30, promptCharacters: 2_000 },
        fields: { fps: 24 },
        usualSeconds: 200,
        getPerSecond: 10,
        settleSeconds: 300,
        concurrency: 10,
        baseUrl: 'https://proxy.example.test/v1',
        webhookSecret: { env: 'REPLICATE_WEBHOOK_SECRET' },
      },
    ],
    rejected: [
      [{ models: { 'vidgen-2-0': 'seedance' } }, /models/],
      [{ models: { 'vidgen-2-0': '../predictions' } }, /models/],
      [{ models: { 'vidgen-2-0': 'bytedance/..' } }, /models/],
      [{ models: { 'vidgen-2-0': 'deployments/acme/mini:5' } }, /models/],
      [{ inputs: { prompt: null } }, /inputs/],
      [{ inputs: { picture: 'image' } }, /inputs/],
      [{ baseUrl: 'ftp://x' }, /baseUrl must be an http or https URL/],
    ],
  },
  'openai-videos': {
    minimal: {
      kind: 'openai-videos',
      dialect: 'vllm',
      baseUrl: 'http://127.0.0.1:8091/v1',
      models: { 'vidgen-2-0': 'Wan-AI/Wan2.2-TI2V-5B-Diffusers' },
    },
    accepted: [
      {
        apiKey: { env: 'GPU_KEY' },
        concurrency: 1,
        startsPerMinute: 6,
        usualSeconds: 200,
        supports: { generationTypes: ['text-to-video'], resolutions: ['480p'], secondsMax: 5 },
        sizes: { 'vidgen-2-0': { '480p': { '16:9': '832x480' } } },
        references: { videos: 1 },
        seconds: [4, 5],
        fields: { fps: 16, num_inference_steps: 40 },
        sound: true,
        forwardSeed: false,
        getPerSecond: 50,
        settleSeconds: 300,
        webhookSecret: { env: 'GPU_SECRET' },
      },
      { dialect: 'gateway', idempotencyKey: true },
    ],
    rejected: [
      [{ dialect: 'sora' }, /dialect/],
      [{ baseUrl: 'gpu:8091' }, /baseUrl/],
      [{ sizes: { 'vidgen-2-0': { '480p': { '16:9': '832*480' } } } }, /1280x720/],
      [{ sizes: { 'vidgen-2-0': { '480p': { adaptive: '832x480' } } } }, /adaptive/],
      [{ fields: { prompt: 'mine' } }, /prompt/],
      [{ fields: { output_path: '/srv' } }, /output_path/],
      [{ dialect: 'sglang', sound: true }, /sound/],
      [{ dialect: 'gateway', references: { videos: 1 } }, /references/],
      [{ markModel: true }, /markModel/],
      [{ color: 'blue' }, /color/],
    ],
  },
  comfyui: {
    minimal: { kind: 'comfyui', baseUrl: 'http://127.0.0.1:8188', ...oneWorkflow(workflow) },
    accepted: [
      { apiKey: { env: 'PROXY_KEY' }, concurrency: 3, usualSeconds: 90, settleSeconds: 60 },
    ],
    rejected: [
      [oneWorkflow(badWorkflow), /workflows\S*file has an unknown placeholder \{\{negative\}\}/],
      [oneWorkflow({ ...workflow, file: '/no/wan.json' }), /names a file that does not exist/],
      [oneWorkflow({ ...workflow, fps: undefined }), /file requires the setting fps/],
      [oneWorkflow({ ...workflow, color: 1 }), /color/],
      [{ baseUrl: 'gpu:8188' }, /baseUrl/],
      [{ workflows: { 'vidgen-2-0': [] } }, /workflows/],
    ],
  },
  declared: {
    minimal: declaredLumen,
    // `declared/settings.test.ts` has the others.
    accepted: [{ takesSourceLength: true }],
    rejected: [
      [startBody({ text: '{{promt}}' }), /body has an unknown placeholder \{\{promt\}\}/],
      [startBody({ text: 'a fox' }), /start\.body lacks \{\{prompt\}\}/],
      [startBody({ seconds: 5 }), /start\.body lacks \{\{seconds\}\}/],
      [startBody({ shape: 'wide' }), /start\.body lacks \{\{resolution\}\} and/],
      [startBody({ '{{seed}}': 1 }), /start\.body has \{\{seed\}\} as a field name/],
      [{ start: { ...start, operation: '$.id' } }, /start\.operation must be a path/],
      [{ start: { ...start, path: '/x/{{seed}}' } }, /start\.path may contain/],
      [{ status: { ...status, path: '/renders' } }, /status\.path must contain \{\{operation\}\}/],
      [{ status: { ...status, states: { '1': 'busy', '2': 'completed' } } }, /status\.states/],
      [{ status: { ...status, states: { '1': 'running' } } }, /which state is completed/],
      [{ status: statusWithoutVideo }, /status\.video/],
      [{ auth: { header: 'x-key', value: 'secret' } }, /auth\.value must contain \{\{key\}\}/],
      [{ auth: { header: 'x key', value: '{{key}}' } }, /auth\.header/],
      [{ errors: { start: { 500: 'perhaps' } } }, /errors\.start/],
      [{ cancel: { path: '/renders/{{operation}}', from: ['done'] } }, /cancel\.from/],
      [{ baseUrl: 'lumen' }, /baseUrl/],
      [{ color: 'blue' }, /color/],
    ],
  },
};

const File = z.strictObject({ provider: ProviderSettings });

for (const [kind, { minimal, accepted, rejected }] of Object.entries(tables)) {
  const problems = (change: object): string[] =>
    problemsOf(File, { provider: { ...minimal, ...change } }).map(({ message }) => message);

  test(`accepts the minimal and the complete settings of ${kind}`, () => {
    for (const change of [{}, ...accepted]) assert.deepEqual(problems(change), []);
  });

  test(`names the setting of ${kind} that is wrong`, () => {
    for (const [change, message] of rejected) {
      const [first = '', ...others] = problems(change);
      assert.match(first, message);
      assert.deepEqual(others, [], JSON.stringify(change));
    }
  });
}

const deps = {
  fetchMaterial: async () => ({ saved: false }),
  materialBytesMax: { image: 1, video: 1, audio: 1 },
  tempFolder: '/nowhere',
  read: () => () => 'secret',
};
const parse = (kind: keyof typeof tables, change: object = {}) =>
  ProviderSettings.parse({ ...tables[kind].minimal, ...change });

test('names every environment variable that the settings need', () => {
  const webhookSecret = { env: 'SECRET' };
  assert.deepEqual(requiredEnvVars(parse('fal')), ['FAL_KEY']);
  assert.deepEqual(requiredEnvVars(parse('openai-videos', { webhookSecret })), ['SECRET']);
  assert.deepEqual(requiredEnvVars(parse('replicate', { webhookSecret })), [
    ...['REPLICATE_API_TOKEN', 'SECRET'],
  ]);
});

test('creates one provider per credential, and one without any', async () => {
  const settings = parse('openai-videos', { webhookSecret: { env: 'SECRET' } });
  const [gpu, ...others] = await createProviders('gpu', settings, deps);
  assert.deepEqual([gpu?.name, gpu?.credential, others], ['gpu', undefined, []]);
  assert.equal(gpu?.sharesCallbackUrl, true);
  assert.deepEqual(gpu?.models, ['vidgen-2-0'], 'the configured models only');
  const [lumen] = await createProviders('lumen', parse('declared'), deps);
  assert.deepEqual(
    [lumen?.name, lumen?.credential, lumen?.protection],
    ['lumen', 'LUMEN_KEY', 'idempotency-key'],
  );
  await lumen?.close?.();
});

test('refuses a task whose model is not configured, without a call', async () => {
  for (const kind of Object.keys(tables) as (keyof typeof tables)[]) {
    const nothing = kind === 'comfyui' ? { workflows: {} } : { models: {} };
    const [provider] = await createProviders(kind, parse(kind, nothing), deps);
    const result = await provider!.start(sampleStart());
    assert.partialDeepStrictEqual(result, { outcome: 'rejected', canFailOver: true }, kind);
    await provider!.close?.();
  }
});

test('limits ComfyUI to one running and one waiting task by default', () => {
  assert.deepEqual(limitsOf(parse('comfyui')), { concurrency: 2 });
  assert.deepEqual(limitsOf(parse('comfyui', { concurrency: 5 })), { concurrency: 5 });
});

test('restricts the resolutions of one generation type', () => {
  const supports = { resolutions: { 'reference-to-video': ['480p' as const] } };
  const why = (generationType: GenerationType) =>
    unsupported(supports, sampleGeneration({ generationType }));
  assert.equal(why('text-to-video'), null, 'what is not configured is not restricted');
  const expected = 'input.resolution 720p is not supported with reference-to-video';
  assert.equal(why('reference-to-video'), expected);
});

test('names the field of a generation that is excluded', () => {
  const supports: Parameters<typeof unsupported>[0] = {
    generationTypes: ['text-to-video'],
    resolutions: ['480p', '720p'],
    secondsMax: 10,
    promptCharactersMin: 3,
    promptCharactersMax: 2_000,
  };
  const why = (change: Parameters<typeof sampleGeneration>[0]) =>
    unsupported(supports, sampleGeneration(change));
  assert.equal(why({}), null);
  assert.match(
    why({ generationType: 'image-to-video' })!,
    /^input\.generation_type image-to-video/,
  );
  assert.match(why({ resolution: '1080p' })!, /^input\.resolution 1080p is not supported/);
  assert.equal(why({ duration: 11 }), 'input.duration 11 is not supported (at most 10)');
  assert.equal(why({ duration: -1 }), null, 'as long as its source is no length');
  const tooLong = 'input.prompt with 2001 characters is not supported (at most 2000)';
  assert.equal(why({ prompt: 'x'.repeat(2_001) }), tooLong);
  const tooShort = 'input.prompt with 2 characters is not supported (at least 3)';
  assert.equal(why({ prompt: 'go' }), tooShort);
});
