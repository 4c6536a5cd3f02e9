import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { ConfigError } from './config.ts';
import {
  type ConfigFile,
  credential,
  missingCredentials,
  readConfigFile,
  takeSecrets,
} from './config-file.ts';

const example = join(import.meta.dirname, '../../vidgen.config.example.ts');
const folder = makeTemporaryFolder('config');

/** Each file has a unique name, because a module is imported only once. */
function writeConfig(name: string, text: string): string {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, text);
  return file;
}

async function errorsOf(file: string): Promise<readonly string[]> {
  const thrown = await readConfigFile(file).then(
    () => assert.fail(`${file} was accepted`),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof ConfigError);
  return thrown.errors;
}

test('reads the example configuration file', async () => {
  const { providers, routes, prices, aliases } = await readConfigFile(example);
  assert.deepEqual(Object.keys(providers ?? {}), ['ark']);
  assert.deepEqual(routes?.['vidgen-2-0-mini'], ['preview']);
  assert.deepEqual(prices?.['vidgen-2-5']?.['1080p'], { perSecond: 20, perSecondWithVideo: 32 });
  assert.equal(aliases?.['sora-2'], 'vidgen-2-5');
});

test('a configured file must exist', async () => {
  const missing = join(folder, 'missing.ts');
  assert.deepEqual(await errorsOf(missing), [
    `VIDGEN_CONFIG points to ${missing}, which does not exist`,
  ]);
});

test('names the line of a mistake in the code, without a stack trace', async () => {
  const typo = writeConfig('typo', 'export default {\n  routes: {\n} syntax error\n');
  const [message, ...others] = await errorsOf(typo);
  assert.match(message!, /typo\.ts(, line \d+)?: Expected/);
  assert.deepEqual(others, []);
  const thrown = writeConfig('thrown', 'const a = null;\nexport default a.b;\n');
  assert.deepEqual(await errorsOf(thrown), [
    `${thrown}, line 2: Cannot read properties of null (reading 'b')`,
  ]);
});

test('names every invalid part of the file at once', async () => {
  const file = writeConfig(
    'wrong',
    `export default {
      providers: { ark: { kind: 'modelark', baseUrl: 'nowhere', models: {} } },
      prices: { 'vidgen-2-5': { '720p': { perSecond: 'eight' } } },
      aliases: { 'sora-2': 'vidgen-9', 'with a space': 'vidgen-2-5' },
      routes: { 'vidgen-2-5': [['ark', 'preview']] },
      color: 'blue',
    };`,
  );
  const errors = await errorsOf(file);
  const parts = [
    ...['providers.ark.baseUrl', 'providers.ark.apiKey', 'prices', 'aliases', 'color'],
    "routes.vidgen-2-5[0] must be the name of a provider, such as 'ark', or [{",
  ];
  for (const part of parts) {
    assert.ok(
      errors.some((message) => message.includes(part)),
      `${part} is not named in:\n${errors.join('\n')}`,
    );
  }
});

test('an unknown kind of provider is answered with the known ones', async () => {
  const file = writeConfig('kind', `export default { providers: { gpu: { kind: 'openai' } } };`);
  const [message = ''] = await errorsOf(file);
  assert.match(
    message,
    /providers\.gpu\.kind must be one of modelark, openai-videos, .*\(got "openai"\)$/,
  );
});

test('checks top-ups with the rest and names their missing secrets', async () => {
  const stripe = (settings: string) => `export default { topUps: { stripe: ${settings} } };`;
  const file = writeConfig(
    'wrong-top-ups',
    stripe(`{ secretKey: 'sk_live_written_out', webhookSecret: { env: 'B' }, currency: 'USD',
      packs: [{ id: 'a', credits: 0, price: 1.5 }], color: 'blue' }`),
  );
  assert.deepEqual(
    (await errorsOf(file)).map((message) => message.replace(`${file}: topUps.stripe.`, '')),
    [
      "secretKey must name an environment variable: { env: 'NAME' }",
      'currency must be three lower-case letters, such as usd (got "USD")',
      'packs[0].credits must be at least 1 (got 0)',
      'packs[0].price must be an integer (got 1.5)',
      'color is not a known field, known fields: ' +
        'secretKey, webhookSecret, currency, packs, address',
    ],
  );
  const twice = writeConfig(
    'twice',
    stripe(`{ secretKey: { env: 'A' }, webhookSecret: { env: 'B' }, currency: 'usd', packs: [
      { id: 'a', credits: 1, price: 1 }, { id: 'a', credits: 2, price: 2 }] }`),
  );
  assert.match((await errorsOf(twice))[0]!, /packs must have a unique id for each/);
  const { topUps } = await readConfigFile(example);
  assert.deepEqual(missingCredentials({ topUps }), ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']);
});

test('a credential is named in the file and read from the environment when used', async () => {
  const { topUps: _, ...file } = await readConfigFile(example);
  const name = 'ARK_API_KEY';
  const before = process.env[name];
  try {
    delete process.env[name];
    assert.deepEqual(missingCredentials(file), [name]);
    const read = credential({ env: name });
    assert.throws(read, /ARK_API_KEY is not set/);
    process.env[name] = 'first';
    assert.deepEqual(missingCredentials(file), []);
    assert.equal(read(), 'first');
    process.env[name] = 'changed while running';
    assert.equal(read(), 'changed while running');
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
});

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
