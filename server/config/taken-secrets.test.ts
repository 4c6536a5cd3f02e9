import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigFile, credential, takeSecrets } from './config-file.ts';

test('secrets leave the environment at the start, and credentials can still be read', () => {
  const providers = { fal: { kind: 'fal', apiKey: { env: 'TEST_FAL_KEY' } } };
  const file = { providers } as unknown as ConfigFile;
  const environment: NodeJS.ProcessEnv = {
    PATH: '/bin',
    TEST_FAL_KEY: 'the key of an upstream',
    VIDGEN_SECRET: 'the root secret of this installation',
    VIDGEN_ADMIN_TOKEN: 'the admin token of this installation',
    VIDGEN_DATABASE_URL: 'postgres://user:password@127.0.0.1/vidgen',
    PGPASSWORD: 'another password',
    VIDGEN_SMTP_URL: 'smtps://user:password@mail.example.com',
    VIDGEN_NOTICE_WEBHOOK_URL: 'https://hooks.example.com/a-token',
    VIDGEN_OIDC_CLIENT_SECRET: 'the secret of a client',
    AWS_ACCESS_KEY_ID: 'the key of a bucket',
    AWS_SECRET_ACCESS_KEY: 'the secret key of a bucket',
    AWS_SESSION_TOKEN: 'the token of a bucket',
  };
  takeSecrets(file, environment);
  assert.deepEqual(environment, { PATH: '/bin' });
  assert.equal(credential({ env: 'TEST_FAL_KEY' })(), 'the key of an upstream');
});
