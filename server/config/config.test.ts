/** Every setting is read, checked and documented; all invalid ones are reported at once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Config, ConfigError, previewSlotsFor, readConfig } from './config.ts';
import { unknownSettings } from './env-reader.ts';

const thisFile = fileURLToPath(import.meta.url);
const example = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');

/** Read by Node itself, for webhooks and materials. */
const readByNode = 'NODE_EXTRA_CA_CERTS';

/** A setting that has no expected value here is read as it is given. */
const settings: readonly (readonly [name: string, given: string, keyof Config, unknown?])[] = [
  ['HOST', '::1', 'host'],
  ['PORT', ' 0 ', 'port', 0],
  ['VIDGEN_ROLE', 'api', 'role'],
  ['VIDGEN_PROCESSES', '2', 'processes', 2],
  ['VIDGEN_HOME', '/srv/vidgen', 'home'],
  ['VIDGEN_SECRET', 's'.repeat(32), 'secret'],
  // The trailing slash goes, because URLs are built with a slash.
  ['VIDGEN_PUBLIC_URL', 'https://a.example/below/', 'publicUrl', 'https://a.example/below'],
  ['VIDGEN_ADMIN_TOKEN', 't'.repeat(32), 'adminToken'],
  ['VIDGEN_DATABASE_URL', 'postgres://vidgen@pooler.example.com:6432/a', 'databaseUrl'],
  ['VIDGEN_DATABASE_LISTEN_URL', 'postgres://vidgen@db.example.com:5432/a', 'databaseListenUrl'],
  ['VIDGEN_STORAGE_URL', 's3://videos/prefix', 'storageUrl'],
  ['VIDGEN_STORAGE_SERVE', 'redirect', 'storageServe'],
  ['VIDGEN_STORAGE_CDN_URL', 'https://cdn.example.com?key_id=K2&key_file=/k', 'storageCdnUrl'],
  ['AWS_PROFILE', 'videos', 'aws', { AWS_PROFILE: 'videos' }],
  ['VIDGEN_ALLOWED_NETWORKS', '127.0.0.0/8,::1/128', 'allowedNetworks'],
  ['VIDGEN_TRUSTED_PROXIES', '10.0.0.0/8', 'trustedProxies'],
  ['VIDGEN_ALLOWED_HOSTS', 'a.internal, [fd00::1]', 'allowedHosts', ['a.internal', '[fd00::1]']],
  ['VIDGEN_MATERIALS', 'strict', 'materials'],
  ['VIDGEN_RESULT_TTL', '3650d', 'resultTtlSeconds', 3650 * 86_400],
  ['VIDGEN_TASK_TIMEOUT', '30d', 'taskTimeoutSeconds', 30 * 86_400],
  ['VIDGEN_WEBHOOK_RETRIES', '500ms, 1.5s, 30d', 'webhookRetryDelaysSeconds', [0.5, 1.5, 2592e3]],
  ['VIDGEN_RATE_CREATE', '0', 'createsPerMinuteMax', 0],
  ['VIDGEN_RATE_STATUS', '1200', 'statusQueriesPerMinuteMax', 1200],
  ['VIDGEN_RATE_CREATE_ACCOUNT', '0', 'accountCreatesPerMinuteMax', 0],
  ['VIDGEN_RATE_STATUS_ACCOUNT', '5000', 'accountQueriesPerMinuteMax', 5000],
  ['VIDGEN_RUNNING_TASKS_ACCOUNT', '20', 'accountRunningTasksMax', 20],
  ['VIDGEN_METRICS_PORT', '9464', 'metricsPort', 9464],
  ['VIDGEN_METRICS_TOKEN', 'a token that reads metrics and nothing else', 'metricsToken'],
  ['VIDGEN_DRAIN_SECONDS', '8', 'drainSeconds', 8],
  ['VIDGEN_SMTP_URL', 'smtps://user:secret@mail.example.com:465', 'smtpUrl'],
  ['VIDGEN_MAIL_FROM', 'Videos <videos@example.com>', 'mailFrom'],
  ['VIDGEN_NOTICE_WEBHOOK_URL', 'https://hooks.example.com/vidgen', 'noticeWebhookUrl'],
  ['VIDGEN_LOG_LEVEL', 'debug', 'logLevel'],
  ['VIDGEN_PREVIEW_SLOTS', '1', 'previewSlots', 1],
  ['VIDGEN_SELF_TEST', 'off', 'selfTest', false],
  ['VIDGEN_POSTERS', 'off', 'posters', false],
  ['VIDGEN_VERIFY', 'key', 'verify'],
  ['VIDGEN_CONFIG', 'elsewhere.ts', 'configFile'],
];

/** Settings that are read together. */
const groups = {
  VIDGEN_IMAGE_MEGABYTES: '1',
  VIDGEN_VIDEO_MEGABYTES: '512',
  VIDGEN_AUDIO_MEGABYTES: '2',
  VIDGEN_RETAIN_PROMPTS_DAYS: '30',
  VIDGEN_RETAIN_DELIVERIES_DAYS: '7',
  VIDGEN_RETAIN_TASKS_DAYS: '3650',
  VIDGEN_OIDC_ISSUER: 'https://id.example.com',
  VIDGEN_OIDC_CLIENT_ID: 'vidgen',
  VIDGEN_OIDC_CLIENT_SECRET: 'a secret of the provider',
  VIDGEN_OIDC_NAME: 'Example',
  VIDGEN_OIDC_DOMAINS: 'example.com',
  VIDGEN_OIDC_ACCOUNT: '9732e462-0716-431e-a432-be2cc668e03e',
  VIDGEN_OIDC_ROLE: 'developer',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.test/',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b',
  OTEL_SERVICE_NAME: 'videos',
  OTEL_TRACES_SAMPLER_ARG: '0.1',
  VIDGEN_C2PA_CERT: '/run/c2pa.pem',
  VIDGEN_C2PA_KEY: '/run/c2pa.key',
};

test('reads every setting', () => {
  const given = Object.fromEntries(settings.map(([name, value]) => [name, value]));
  const all = { ...given, ...groups };
  for (const name of settingsRead()) assert.ok(name in all, `${name} is not tested`);
  const config = readConfig(all);
  for (const [name, value, field, expected = value] of settings) {
    assert.deepEqual(config[field], expected, name);
  }
  const { materialBytesMax, retentionDays, openid, traces, boughtSigner } = config;
  assert.deepEqual(boughtSigner, { certificate: '/run/c2pa.pem', key: '/run/c2pa.key' });
  assert.deepEqual(materialBytesMax, { image: 2 ** 20, video: 512 * 2 ** 20, audio: 2 * 2 ** 20 });
  assert.deepEqual(retentionDays, { prompts: 30, deliveries: 7, tasks: 3650 });
  assert.deepEqual(openid, {
    issuer: 'https://id.example.com/',
    clientId: 'vidgen',
    clientSecret: 'a secret of the provider',
    name: 'Example',
    join: {
      domains: ['example.com'],
      accountId: '9732e462-0716-431e-a432-be2cc668e03e',
      role: 'developer',
    },
  });
  assert.deepEqual(traces, {
    url: 'https://collector.example.test/v1/traces',
    headers: { 'x-token': 'a b' },
    service: 'videos',
    ratio: 0.1,
  });
});

test('renders one preview per core, and fewer if memory is short', () => {
  const table = [
    { cores: 2, gibibytes: 16, slots: 2 },
    { cores: 2, gibibytes: 1, slots: 1 },
    { cores: 8, gibibytes: 2, slots: 2 },
    { cores: 1, gibibytes: 0.25, slots: 1 },
    { cores: 256, gibibytes: 1024, slots: 64 },
  ];
  for (const { cores, gibibytes, slots } of table) {
    assert.equal(previewSlotsFor({ cores, memoryBytes: gibibytes * 1024 ** 3 }), slots);
  }
});

test('treats an empty setting as unset, and returns a frozen object', () => {
  const blank = { PORT: '', VIDGEN_SECRET: '  ', VIDGEN_DATABASE_URL: '', VIDGEN_CONFIG: ' ' };
  assert.deepEqual(readConfig(blank), readConfig({}));
  assert.ok(Object.isFrozen(readConfig({})));
});

test('the command line overrides the environment', () => {
  assert.equal(readConfig({ VIDGEN_ROLE: 'api' }, ['--role', 'worker']).role, 'worker');
  assert.equal(readConfig({}, ['--role=api']).role, 'api');
  assert.equal(readConfig({ VIDGEN_PROCESSES: '2' }, ['--processes', '4']).processes, 4);
});

const wholeNumber = 'must be a whole number,';
const duration = 'must be a duration such as 90s, 15m, 24h or 7d, more than 0s and at most';
const retries = 'must be up to five durations such as 5s,30s,2m,10m,1h, each at most 30d';
const noCredentials = 'must have no user name, password, query or fragment';

const invalid: readonly (readonly [name: string, value: string, message: string])[] = [
  ['PORT', '80a', `${wholeNumber} 0 to 65535 (got 80a)`],
  ['PORT', '65536', `${wholeNumber} 0 to 65535 (got 65536)`],
  ['VIDGEN_ROLE', 'boss', 'must be all, api or worker (got boss)'],
  ['VIDGEN_PROCESSES', '9', `${wholeNumber} 1 to 8 (got 9)`],
  ['VIDGEN_HOME', thisFile, `must be a folder; ${thisFile} is a file`],
  ['VIDGEN_HOME', `${thisFile}/below`, `must be a folder; ${thisFile} is a file`],
  ['VIDGEN_SECRET', 'short', 'must have 32 characters or more'],
  ['VIDGEN_PUBLIC_URL', 'a.example', 'must be a URL that starts with http://… or https://…'],
  ['VIDGEN_PUBLIC_URL', 'https://a.example/?', noCredentials],
  ['VIDGEN_PUBLIC_URL', 'https://a.example/#top', noCredentials],
  ['VIDGEN_PUBLIC_URL', 'https://me:secret@a.example', noCredentials],
  [
    'VIDGEN_DATABASE_URL',
    'mysql://db',
    'must be a URL that starts with postgres://… or postgresql://…',
  ],
  ['VIDGEN_STORAGE_URL', 'gs://bucket', 'must be a URL that starts with s3://…'],
  ['VIDGEN_MATERIALS', 'loose', 'must be lenient or strict (got loose)'],
  ['VIDGEN_IMAGE_MEGABYTES', '513', `${wholeNumber} 1 to 512 (got 513)`],
  ['VIDGEN_RESULT_TTL', '24', `${duration} 3650d (got 24)`],
  ['VIDGEN_RESULT_TTL', '9999999d', `${duration} 3650d (got 9999999d)`],
  ['VIDGEN_TASK_TIMEOUT', '0s', `${duration} 30d (got 0s)`],
  ['VIDGEN_RETAIN_PROMPTS_DAYS', '-1', `${wholeNumber} 0 to 3650 (got -1)`],
  // docs/spec.md 6.1.2: up to 5 retries.
  ['VIDGEN_WEBHOOK_RETRIES', '1s,1s,1s,1s,1s,1s', retries],
  ['VIDGEN_WEBHOOK_RETRIES', '5s,999999d', retries],
  ['VIDGEN_RATE_CREATE', '-1', `${wholeNumber} 0 or more (got -1)`],
  ['VIDGEN_DRAIN_SECONDS', '21', `${wholeNumber} 0 to 20 (got 21)`],
  ['VIDGEN_METRICS_PORT', '0', `${wholeNumber} 1 to 65535 (got 0)`],
  ['VIDGEN_SMTP_URL', 'https://a', 'must be a URL that starts with smtp://… or smtps://…'],
  ['VIDGEN_NOTICE_WEBHOOK_URL', 'ftp://a', 'must be a URL that starts with https://… or http://…'],
  [
    'VIDGEN_LOG_LEVEL',
    'loud',
    'must be fatal, error, warn, info, debug, trace or silent (got loud)',
  ],
  ['VIDGEN_PREVIEW_SLOTS', '0', `${wholeNumber} 1 to 64 (got 0)`],
  ['VIDGEN_SELF_TEST', 'maybe', 'must be on or off (got maybe)'],
  ['VIDGEN_OIDC_ROLE', 'owner', 'must be developer or viewer (got owner)'],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'grpc://a',
    'must be a URL that starts with http://… or https://…',
  ],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b\r\nx: y', 'must be name=value, separated by commas'],
  ['OTEL_TRACES_SAMPLER_ARG', '2', 'must be a number from 0 to 1 (got 2)'],
];

const oidcTogether =
  'VIDGEN_OIDC_ISSUER, VIDGEN_OIDC_CLIENT_ID and VIDGEN_OIDC_CLIENT_SECRET require each other; ' +
  'set all';
const joinTogether =
  'VIDGEN_OIDC_DOMAINS and VIDGEN_OIDC_ACCOUNT require each other; set both, the account by ID';

const invalidStarts: readonly (readonly [Record<string, string>, string[], ...string[]])[] = [
  [{ VIDGEN_OIDC_CLIENT_ID: 'vidgen' }, [], oidcTogether],
  [{ VIDGEN_OIDC_DOMAINS: 'example.com' }, [], joinTogether],
  [
    { VIDGEN_OIDC_DOMAINS: '@example.com' },
    [],
    'VIDGEN_OIDC_DOMAINS must be host names without ports, such as videos.internal',
    joinTogether,
  ],
  [{}, ['--role', 'boss'], '--role must be all, api or worker (got boss)'],
  [{}, ['--role'], '--role requires a value: all, api or worker'],
  [{}, ['--processes'], '--processes requires a value: 1 to 8'],
  [
    { VIDGEN_PROCESSES: '2' },
    ['--role', 'worker'],
    'VIDGEN_PROCESSES requires the role all or api; start more workers instead',
  ],
  [
    {},
    ['--verbose'],
    '--verbose is not a known option; use --role all, --role api, --role worker or --processes',
  ],
];

test('rejects each invalid setting by name and says what is valid', () => {
  for (const [name, value, message] of invalid) {
    assert.deepEqual(errorOf({ [name]: value }).errors, [`${name} ${message}`]);
  }
  for (const [given, args, ...messages] of invalidStarts) {
    assert.deepEqual(errorOf(given, args).errors, messages);
  }
});

test('names every invalid setting at once, in one message', () => {
  const given = Object.fromEntries(invalid.map(([name, value]) => [name, value]));
  const { errors, message } = errorOf(given, ['--verbose']);
  const named = errors.map((error) => error.split(' ')[0]);
  assert.deepEqual(named.toSorted(), [...Object.keys(given), '--verbose'].toSorted());
  assert.equal(message, `vidgen could not start:\n${errors.map((one) => `  - ${one}`).join('\n')}`);
});

test('the issuer has TLS, except on this machine, and keeps its path', () => {
  const openidOf = (issuer: string) =>
    readConfig({
      VIDGEN_OIDC_ISSUER: issuer,
      VIDGEN_OIDC_CLIENT_ID: 'vidgen',
      VIDGEN_OIDC_CLIENT_SECRET: 'a secret',
    }).openid;
  for (const issuer of ['https://a.example/realms/b/', 'https://a.example/c', 'http://[::1]:9/']) {
    assert.equal(openidOf(issuer)?.issuer, issuer);
  }
  const insecure = ['http://a.example', 'ftp://a.example', 'a.example', 'https://a.example/?b'];
  for (const issuer of [...insecure, 'http://127.0.0.1.evil.example', 'https://me@a.example']) {
    assert.throws(() => openidOf(issuer), /VIDGEN_OIDC_ISSUER must be a URL/);
  }
});

test('takes the database password from PGPASSWORD, unless the URL has one', () => {
  const urlWith = (url: string) =>
    readConfig({ VIDGEN_DATABASE_URL: url, PGPASSWORD: 'p&w' }).databaseUrl;
  assert.equal(urlWith('postgres://u@h/db'), 'postgres://u@h/db?password=p%26w');
  assert.equal(urlWith('postgres:///db?host=/run'), 'postgres:///db?host=%2Frun&password=p%26w');
  assert.equal(urlWith('postgres://u:own@h/db'), 'postgres://u:own@h/db');
  assert.equal(urlWith('postgres://h/db?password=own'), 'postgres://h/db?password=own');
});

test('.env.example lists each setting once, with its default', () => {
  const lines = [...example.matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/gm)];
  const names = lines.map(([, name]) => name!);
  assert.deepEqual(names.toSorted(), [...settingsRead(), readByNode].toSorted());
  const asWritten = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  assert.deepEqual(readConfig(asWritten), readConfig({}));
});

test('names variables that are no setting, with the nearest one', () => {
  readConfig({});
  const names = ['DATABSE_URL', 'HOME', 'KEY', 'TEST_ENGINE', 'ARK_KEY', 'ZZZZZZZZZ'];
  const environment = Object.fromEntries(names.map((name) => [`VIDGEN_${name}`, 'x']));
  assert.deepEqual(unknownSettings({ ...environment, OTHER: 'x' }, ['VIDGEN_ARK_KEY']), [
    'VIDGEN_DATABSE_URL is not a setting; did you mean VIDGEN_DATABASE_URL?',
    'VIDGEN_ZZZZZZZZZ is not a setting',
  ]);
});

/** Every name that is looked up while the settings are read is a setting. */
function settingsRead(): string[] {
  const namesRead = new Set<string>();
  const noted = (_: unknown, name: string | symbol) => void namesRead.add(String(name));
  readConfig(new Proxy<Record<string, undefined>>({}, { get: noted }));
  return [...namesRead];
}

function errorOf(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): ConfigError {
  try {
    readConfig(environment, args);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error;
  }
  assert.fail(`${JSON.stringify(environment)} ${args.join(' ')} was accepted`);
}
