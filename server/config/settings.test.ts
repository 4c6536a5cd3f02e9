import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { ConfigError } from './config.ts';
import { readSettings } from './settings.ts';

async function errorsOf(environment: Record<string, string>): Promise<readonly string[]> {
  const error = await readSettings(environment).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert(error instanceof ConfigError);
  return error.errors;
}

test('names every invalid setting of the environment and the file at once', async () => {
  const path = join(makeTemporaryFolder('settings'), 'vidgen.config.ts');
  await writeFile(
    path,
    `export default {
      providers: {
        ark: {
          kind: 'modelark',
          baseUrl: 'https://ark.example.com',
          apiKey: { env: 'NOT_SET' },
          models: { 'vidgen-2-5': 'seedance' },
          costs: { models: { 'vidgen-2.5': { '720p': { perSecond: 0.1 } } } },
        },
      },
      routes: { 'vidgen-2-5': ['ark', 'elsewhere'] },
      prices: { 'vidgen-2-0-mini': { '4k': { perSecond: 1 } } },
    };`,
  );
  const errors = await errorsOf({
    PORT: 'x',
    VIDGEN_ALLOWED_NETWORKS: 'banana',
    VIDGEN_TRUSTED_PROXIES: '10.0.0.0/99',
    VIDGEN_DATABASE_LISTEN_URL: 'postgres://db.example.com/vidgen',
    VIDGEN_CONFIG: path,
  });
  const message = errors.join('\n');
  for (const pattern of [
    /^PORT must/m,
    /^VIDGEN_ALLOWED_NETWORKS must .*banana/m,
    /^VIDGEN_TRUSTED_PROXIES must .*10\.0\.0\.0\/99/m,
    /^VIDGEN_DATABASE_LISTEN_URL is set without VIDGEN_DATABASE_URL/m,
    /NOT_SET is not set/,
    /the route of vidgen-2-5 has the unknown provider elsewhere/,
    /prices\.vidgen-2-0-mini\.4k/,
    /providers\.ark\.costs\.models\.vidgen-2\.5 is not a model, did you mean vidgen-2-5/,
  ]) {
    assert.match(message, pattern);
  }
});

test('requires what processes with a bucket and homes of their own must share', async () => {
  const shared = {
    VIDGEN_STORAGE_URL: 's3://videos?region=eu-west-1',
    VIDGEN_DATABASE_URL: 'postgres://db.example.com/vidgen',
  };
  const reason = 'processes that share a database and a bucket have homes of their own';
  assert.deepEqual(await errorsOf(shared), [
    `VIDGEN_ADMIN_TOKEN is not set; ${reason}, so set the same token for each`,
    `VIDGEN_PUBLIC_URL is not set; ${reason}, so set the URL that clients use for each`,
  ]);
  const worker = await errorsOf({ ...shared, VIDGEN_ROLE: 'worker' });
  assert.deepEqual(worker.length, 1);
  assert.deepEqual(await errorsOf({ VIDGEN_STORAGE_URL: 's3://videos?x=1' }), [
    'VIDGEN_STORAGE_URL must have no parameter x; ' +
      'use region, endpoint, public_endpoint, path_style',
  ]);
  const cdn = { VIDGEN_STORAGE_CDN_URL: 'https://cdn.example.com' };
  assert.deepEqual(await errorsOf(cdn), [
    'VIDGEN_STORAGE_CDN_URL requires VIDGEN_STORAGE_SERVE=redirect; set both',
  ]);
  const bucket = { VIDGEN_STORAGE_URL: 's3://videos', VIDGEN_STORAGE_SERVE: 'redirect' };
  assert.match((await errorsOf({ ...cdn, ...bucket })).join(), /_CDN_URL must have key_id and/);
  assert.deepEqual(await errorsOf({ VIDGEN_STORAGE_SERVE: 'redirect' }), [
    'VIDGEN_STORAGE_SERVE=redirect requires VIDGEN_STORAGE_URL; set both',
  ]);
});

test('names a mistyped variable beside the error that it causes', async () => {
  const openid = {
    VIDGEN_OIDC_ISSUER: 'https://login.example.com',
    VIDGEN_OIDC_CLIENT_ID: 'vidgen',
    VIDGEN_OIDC_CLENT_SECRET: 'x',
    VIDGEN_ARK_KEY: 'named by a file that may be unreadable',
  };
  assert.deepEqual(await errorsOf(openid), [
    'VIDGEN_OIDC_ISSUER, VIDGEN_OIDC_CLIENT_ID and VIDGEN_OIDC_CLIENT_SECRET require each other; ' +
      'set all',
    'VIDGEN_OIDC_CLENT_SECRET is not a setting; did you mean VIDGEN_OIDC_CLIENT_SECRET?',
  ]);
});
