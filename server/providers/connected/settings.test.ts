/** What an administrator enters becomes the settings of a provider, or a message about a field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerPresets } from '@vidgen/contract/provider-kinds.ts';
import { presets } from '../../../presets/all.ts';
import { kling } from '../../../presets/kling.ts';
import { resolveSettings } from './settings.ts';
import type { StoredSettings } from './store.ts';

const resolve = (stored: StoredSettings, credentials: readonly string[] = ['db_1']) =>
  resolveSettings(stored, { presets, credentials });
const problemOf = (stored: StoredSettings, credentials?: readonly string[]): string => {
  const resolved = resolve(stored, credentials);
  assert.ok('problem' in resolved, JSON.stringify(resolved));
  return resolved.problem;
};

const engine: StoredSettings = {
  kind: 'openai-videos',
  dialect: 'vllm',
  base_url: 'http://10.0.0.7:8000/v1',
  models: { 'vidgen-2-0': 'wan' },
};

test('accepts an engine in a private network, with and without a key', () => {
  for (const credentials of [[], ['db_2', 'db_1']]) {
    const resolved = resolve(engine, credentials);
    assert.ok('settings' in resolved);
    const { settings } = resolved;
    assert.equal(settings.baseUrl, 'http://10.0.0.7:8000/v1');
    assert.deepEqual(
      [settings.apiKey ?? []].flat().map(({ env }) => env),
      credentials,
    );
  }
});

test('refuses URLs of metadata services, with credentials, and of other protocols', () => {
  const hosts = ['169.254.169.254', '2852039166', '0xa9fea9fe', '[fe80::1]', '[::ffff:a9fe:a9fe]'];
  const mapped = ['[64:ff9b::a9fe:a9fe]', '[::169.254.169.254]', '[2002:a9fe:a9fe::]'];
  const others = ['[fd00:ec2::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16'];
  const names = ['metadata.google.internal', 'METADATA', 'instance-data', 'metadata.'];
  for (const host of [...hosts, ...mapped, ...others, ...names]) {
    const problem = problemOf({ ...engine, base_url: `http://${host}/v1` });
    assert.match(problem, /^base_url must not be a link-local address/, host);
  }
  assert.match(problemOf({ ...engine, base_url: 'file:///etc/passwd' }), /http or https/);
  assert.match(problemOf({ ...engine, base_url: 'http://a:b@c/v1' }), /user name or password/);
  assert.match(problemOf({ ...engine, base_url: 'http://c/v1?x=1' }), /query/);
});

test('names what a kind requires', () => {
  const models = { 'vidgen-2-0': 'bytedance/seedance-2.0' };
  assert.equal(problemOf({ kind: 'fal', models }, []), 'api_key is required for this kind');
  assert.match(problemOf({ kind: 'modelark', models }), /^base_url is required for this kind/);
  assert.match(
    problemOf({ kind: 'comfyui', base_url: 'http://gpu:8188' }),
    /workflows is required/,
  );
  assert.match(problemOf({ kind: 'declared' }), /preset or declaration is required/);
  assert.match(problemOf({ kind: 'declared', preset: 'wan' }), /^base_url is required/);
  const body = { text: '{{promt}}' };
  const declaration = { ...kling, start: { ...kling.start, body }, status: undefined };
  assert.match(
    problemOf({ kind: 'declared', declaration }),
    /^declaration\.start\.body has an unknown .* \{\{prompt\}\}.*; declaration\.status is required/,
  );
});

test('never reads an environment variable that a description names', () => {
  const declaration = {
    ...kling,
    apiKey: { env: 'VIDGEN_SECRET' },
    webhookSecret: { env: 'VIDGEN_SECRET' },
  };
  const resolved = resolve({ kind: 'declared', declaration });
  assert.ok('settings' in resolved);
  assert.ok(!JSON.stringify(resolved.settings).includes('VIDGEN_SECRET'));
});

test('connects every preset, with its own models or with names that are declared later', () => {
  const models = { 'acme/later': 'upstream-1' };
  for (const preset of providerPresets) {
    const { exampleUrl, provider } = presets[preset];
    const stored = { kind: 'declared', preset, ...(exampleUrl ? { base_url: exampleUrl } : {}) };
    for (const [sent, expected] of [
      [{}, provider.models] as const,
      [{ models }, models] as const,
    ]) {
      const resolved = resolve({ ...stored, ...sent } as StoredSettings);
      assert.ok('settings' in resolved && 'models' in resolved.settings, preset);
      assert.deepEqual(resolved.settings.models, expected);
    }
  }
});

test('takes a workflow itself, and says what it lacks', () => {
  const graph = { 1: { class_type: 'Text', inputs: { text: '{{prompt}}' } } };
  const problem = problemOf({
    kind: 'comfyui',
    base_url: 'http://gpu:8188',
    workflows: { 'vidgen-2-0': [{ graph }] },
  });
  assert.match(problem, /workflows\.vidgen-2-0\.0\.graph lacks the placeholder \{\{width\}\}/);
});
