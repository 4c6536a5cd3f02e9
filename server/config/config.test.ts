import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, previewSlotsFor, readConfig } from './config.ts';
import { unknownSettings } from './env-reader.ts';

const repository = join(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(repository, file), 'utf8');

/** Read by Node itself, for webhooks and materials. */
const readByNode = 'NODE_EXTRA_CA_CERTS';

test('starts without any settings', () => {
  const { previewSlots, ...config } = readConfig({});
  assert.ok(previewSlots >= 1 && previewSlots <= availableParallelism(), String(previewSlots));
  assert.deepEqual(config, {
    role: 'all',
    processes: null,
    host: '127.0.0.1',
    port: 8787,
    home: join(repository, '.vidgen'),
    secret: null,
    publicUrl: null,
    adminToken: null,
    databaseUrl: null,
    databaseListenUrl: null,
    storageUrl: null,
    storageServe: 'stream',
    storageCdnUrl: null,
    aws: {},
    allowedNetworks: '',
    trustedProxies: '',
    allowedHosts: [],
    materials: 'lenient',
    materialBytesMax: { image: 31_457_280, video: 209_715_200, audio: 15_728_640 },
    resultTtlSeconds: 86_400,
    retentionDays: { prompts: 0, deliveries: 0, tasks: 0 },
    taskTimeoutSeconds: 3600,
    webhookRetryDelaysSeconds: [5, 30, 120, 600, 3600],
    createsPerMinuteMax: 100,
    statusQueriesPerMinuteMax: 600,
    accountCreatesPerMinuteMax: 1000,
    accountQueriesPerMinuteMax: 6000,
    accountRunningTasksMax: 0,
    metricsPort: null,
    metricsToken: null,
    drainSeconds: 0,
    smtpUrl: null,
    mailFrom: null,
    noticeWebhookUrl: null,
    openid: null,
    traces: null,
    logLevel: 'info',
    selfTest: true,
    posters: true,
    configFile: null,
  });
});

test('reads every setting', () => {
  const config = readConfig({
    HOST: '::1',
    PORT: '0',
    VIDGEN_ROLE: 'worker',
    VIDGEN_HOME: '/srv/vidgen',
    VIDGEN_SECRET: 's'.repeat(32),
    VIDGEN_PUBLIC_URL: 'https://video.example.com/',
    VIDGEN_ADMIN_TOKEN: 't'.repeat(32),
    VIDGEN_DATABASE_URL: 'postgres://vidgen@pooler.example.com:6432/vidgen',
    VIDGEN_DATABASE_LISTEN_URL: 'postgres://vidgen@db.example.com:5432/vidgen',
    VIDGEN_STORAGE_URL: 's3://videos/prefix',
    VIDGEN_STORAGE_SERVE: 'redirect',
    VIDGEN_STORAGE_CDN_URL: 'https://cdn.example.com?key_id=K2&key_file=/key.pem',
    AWS_PROFILE: 'videos',
    VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    VIDGEN_TRUSTED_PROXIES: '10.0.0.0/8',
    VIDGEN_ALLOWED_HOSTS: 'videos.internal, [fd00::1]',
    VIDGEN_MATERIALS: 'strict',
    VIDGEN_IMAGE_MEGABYTES: '1',
    VIDGEN_VIDEO_MEGABYTES: '512',
    VIDGEN_AUDIO_MEGABYTES: '2',
    VIDGEN_RESULT_TTL: '7d',
    VIDGEN_RETAIN_PROMPTS_DAYS: '30',
    VIDGEN_RETAIN_DELIVERIES_DAYS: '7',
    VIDGEN_RETAIN_TASKS_DAYS: '3650',
    VIDGEN_TASK_TIMEOUT: '15m',
    VIDGEN_WEBHOOK_RETRIES: '500ms, 1.5s',
    VIDGEN_RATE_CREATE: '0',
    VIDGEN_RATE_STATUS: '1200',
    VIDGEN_RATE_CREATE_ACCOUNT: '0',
    VIDGEN_RATE_STATUS_ACCOUNT: '5000',
    VIDGEN_RUNNING_TASKS_ACCOUNT: '20',
    VIDGEN_METRICS_PORT: '9464',
    VIDGEN_METRICS_TOKEN: 'a token that reads metrics and nothing else',
    VIDGEN_DRAIN_SECONDS: '8',
    VIDGEN_SMTP_URL: 'smtps://user:secret@mail.example.com:465',
    VIDGEN_MAIL_FROM: 'Videos <videos@example.com>',
    VIDGEN_NOTICE_WEBHOOK_URL: 'https://hooks.example.com/vidgen',
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
    VIDGEN_LOG_LEVEL: 'debug',
    VIDGEN_PREVIEW_SLOTS: '1',
    VIDGEN_SELF_TEST: 'off',
    VIDGEN_POSTERS: 'off',
    VIDGEN_CONFIG: 'elsewhere.ts',
  });
  assert.deepEqual(config, {
    role: 'worker',
    processes: null,
    host: '::1',
    port: 0,
    home: '/srv/vidgen',
    secret: 's'.repeat(32),
    // Without a trailing slash, because URLs are built with a slash.
    publicUrl: 'https://video.example.com',
    adminToken: 't'.repeat(32),
    databaseUrl: 'postgres://vidgen@pooler.example.com:6432/vidgen',
    databaseListenUrl: 'postgres://vidgen@db.example.com:5432/vidgen',
    storageUrl: 's3://videos/prefix',
    storageServe: 'redirect',
    storageCdnUrl: 'https://cdn.example.com?key_id=K2&key_file=/key.pem',
    aws: { AWS_PROFILE: 'videos' },
    allowedNetworks: '127.0.0.0/8,::1/128',
    trustedProxies: '10.0.0.0/8',
    allowedHosts: ['videos.internal', '[fd00::1]'],
    materials: 'strict',
    materialBytesMax: { image: 1024 ** 2, video: 512 * 1024 ** 2, audio: 2 * 1024 ** 2 },
    resultTtlSeconds: 7 * 86_400,
    retentionDays: { prompts: 30, deliveries: 7, tasks: 3650 },
    taskTimeoutSeconds: 15 * 60,
    webhookRetryDelaysSeconds: [0.5, 1.5],
    createsPerMinuteMax: 0,
    statusQueriesPerMinuteMax: 1200,
    accountCreatesPerMinuteMax: 0,
    accountQueriesPerMinuteMax: 5000,
    accountRunningTasksMax: 20,
    metricsPort: 9464,
    metricsToken: 'a token that reads metrics and nothing else',
    drainSeconds: 8,
    smtpUrl: 'smtps://user:secret@mail.example.com:465',
    mailFrom: 'Videos <videos@example.com>',
    noticeWebhookUrl: 'https://hooks.example.com/vidgen',
    openid: {
      issuer: 'https://id.example.com/',
      clientId: 'vidgen',
      clientSecret: 'a secret of the provider',
      name: 'Example',
      join: {
        domains: ['example.com'],
        accountId: '9732e462-0716-431e-a432-be2cc668e03e',
        role: 'developer',
      },
    },
    traces: {
      url: 'https://collector.example.test/v1/traces',
      headers: { 'x-token': 'a b' },
      service: 'videos',
      ratio: 0.1,
    },
    logLevel: 'debug',
    previewSlots: 1,
    selfTest: false,
    posters: false,
    configFile: 'elsewhere.ts',
  });
});

test('renders one preview per core, and fewer if memory is short', () => {
  const gibibyte = 1024 ** 3;
  const table = [
    { cores: 2, memory: 16, slots: 2 },
    { cores: 2, memory: 1, slots: 1 },
    { cores: 8, memory: 2, slots: 2 },
    { cores: 1, memory: 0.25, slots: 1 },
    { cores: 256, memory: 1024, slots: 64 },
  ];
  for (const { cores, memory, slots } of table) {
    assert.equal(previewSlotsFor({ cores, memoryBytes: memory * gibibyte }), slots);
  }
});

test('treats an empty setting as unset and trims values', () => {
  const blank = { PORT: '', VIDGEN_SECRET: '  ', VIDGEN_DATABASE_URL: '', VIDGEN_CONFIG: ' ' };
  assert.deepEqual(readConfig(blank), readConfig({}));
  assert.equal(readConfig({ PORT: ' 9000 ' }).port, 9000);
});

test('the command line overrides the role from the environment', () => {
  assert.equal(readConfig({ VIDGEN_ROLE: 'api' }, ['--role', 'worker']).role, 'worker');
  assert.equal(readConfig({}, ['--role=api']).role, 'api');
});

test('takes the number of processes from the command line or the environment', () => {
  assert.equal(readConfig({ VIDGEN_PROCESSES: '2' }, ['--processes', '4']).processes, 4);
  assert.equal(readConfig({ VIDGEN_PROCESSES: '2' }, ['--role=api']).processes, 2);
});

test('returns a frozen object', () => {
  assert.ok(Object.isFrozen(readConfig({})));
});

const invalid: readonly { given: Record<string, string>; args?: string[]; message: string }[] = [
  { given: { PORT: '80a' }, message: 'PORT must be a whole number, 0 to 65535 (got 80a)' },
  { given: { PORT: '65536' }, message: 'PORT must be a whole number, 0 to 65535 (got 65536)' },
  { given: { VIDGEN_ROLE: 'boss' }, message: 'VIDGEN_ROLE must be all, api or worker (got boss)' },
  { given: { VIDGEN_SECRET: 'short' }, message: 'VIDGEN_SECRET must have 32 characters or more' },
  {
    given: { VIDGEN_ADMIN_TOKEN: 'short' },
    message: 'VIDGEN_ADMIN_TOKEN must have 32 characters or more',
  },
  {
    given: { VIDGEN_PUBLIC_URL: 'video.example.com' },
    message: 'VIDGEN_PUBLIC_URL must be a URL that starts with http://… or https://…',
  },
  {
    given: { VIDGEN_DATABASE_URL: 'mysql://db' },
    message: 'VIDGEN_DATABASE_URL must be a URL that starts with postgres://… or postgresql://…',
  },
  {
    given: { VIDGEN_STORAGE_URL: 'gs://bucket' },
    message: 'VIDGEN_STORAGE_URL must be a URL that starts with s3://…',
  },
  {
    given: { VIDGEN_MATERIALS: 'loose' },
    message: 'VIDGEN_MATERIALS must be lenient or strict (got loose)',
  },
  ...['VIDGEN_IMAGE_MEGABYTES', 'VIDGEN_VIDEO_MEGABYTES', 'VIDGEN_AUDIO_MEGABYTES'].map((name) => ({
    given: { [name]: '513' },
    message: `${name} must be a whole number, 1 to 512 (got 513)`,
  })),
  {
    given: { VIDGEN_RESULT_TTL: '24' },
    message:
      'VIDGEN_RESULT_TTL must be a duration such as 90s, 15m, 24h or 7d, ' +
      'more than 0s and at most 3650d (got 24)',
  },
  {
    given: { VIDGEN_TASK_TIMEOUT: '0s' },
    message:
      'VIDGEN_TASK_TIMEOUT must be a duration such as 90s, 15m, 24h or 7d, ' +
      'more than 0s and at most 30d (got 0s)',
  },
  {
    // docs/spec.md 6.1.2: up to 5 retries.
    given: { VIDGEN_WEBHOOK_RETRIES: '1s,1s,1s,1s,1s,1s' },
    message:
      'VIDGEN_WEBHOOK_RETRIES must be up to five durations such as 5s,30s,2m,10m,1h, ' +
      'each at most 30d',
  },
  {
    given: { VIDGEN_RATE_CREATE: '-1' },
    message: 'VIDGEN_RATE_CREATE must be a whole number, 0 or more (got -1)',
  },
  {
    given: { VIDGEN_RATE_STATUS: 'many' },
    message: 'VIDGEN_RATE_STATUS must be a whole number, 0 or more (got many)',
  },
  {
    given: { VIDGEN_LOG_LEVEL: 'loud' },
    message: 'VIDGEN_LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent (got loud)',
  },
  {
    given: { VIDGEN_PREVIEW_SLOTS: '0' },
    message: 'VIDGEN_PREVIEW_SLOTS must be a whole number, 1 to 64 (got 0)',
  },
  {
    given: { VIDGEN_SELF_TEST: 'maybe' },
    message: 'VIDGEN_SELF_TEST must be on or off (got maybe)',
  },
  { given: { VIDGEN_POSTERS: '1' }, message: 'VIDGEN_POSTERS must be on or off (got 1)' },
  { given: {}, args: ['--role', 'boss'], message: '--role must be all, api or worker (got boss)' },
  { given: {}, args: ['--role'], message: '--role requires a value: all, api or worker' },
  {
    given: { VIDGEN_PROCESSES: '9' },
    message: 'VIDGEN_PROCESSES must be a whole number, 1 to 8 (got 9)',
  },
  { given: {}, args: ['--processes'], message: '--processes requires a value: 1 to 8' },
  {
    given: { VIDGEN_PROCESSES: '2' },
    args: ['--role', 'worker'],
    message: 'VIDGEN_PROCESSES requires the role all or api; start more workers instead',
  },
  {
    given: {},
    args: ['--verbose'],
    message:
      '--verbose is not a known option; use --role all, --role api, --role worker or --processes',
  },
];

test('rejects each invalid setting by name and says what is valid', () => {
  for (const { given, args, message } of invalid) {
    assert.deepEqual(errorsOf(given, args), [message]);
  }
});

test('names every invalid setting at once', () => {
  const settings = invalid.filter(({ args }) => args === undefined);
  const names = new Set(settings.flatMap(({ given }) => Object.keys(given)));
  const given = Object.assign({}, ...settings.map(({ given: one }) => one));
  const errors = errorsOf(given, ['--verbose']);
  assert.equal(errors.length, names.size + 1, errors.join('\n'));
  for (const name of [...names, '--verbose']) {
    assert.ok(
      errors.some((message) => message.startsWith(name)),
      `${name} is not named`,
    );
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

test('reports everything in one message', () => {
  const { message } = errorOf({ PORT: 'x', VIDGEN_ROLE: 'y' });
  assert.match(message, /^vidgen could not start:\n {2}- VIDGEN_ROLE .*\n {2}- PORT /);
});

test('.env.example lists each setting once, with its default', () => {
  const lines = [...textOf('.env.example').matchAll(/^# ([A-Z][A-Z_]*)=(.*)$/gm)];
  const names = lines.map(([, name]) => name!);
  assert.deepEqual(names.toSorted(), [...settingsRead(), readByNode].toSorted());
  const asWritten = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  assert.deepEqual(readConfig(asWritten), readConfig({}));
});

/** Every name that is looked up while the settings are read is a setting. */
function settingsRead(): string[] {
  const namesRead = new Set<string>();
  readConfig(
    new Proxy<Record<string, undefined>>(
      {},
      { get: (_, name) => void namesRead.add(String(name)) },
    ),
  );
  return [...namesRead];
}

function errorsOf(
  environment: Readonly<Record<string, string>>,
  args?: readonly string[],
): readonly string[] {
  return errorOf(environment, args).errors;
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

test('names variables that are no setting, with the nearest one', () => {
  readConfig({});
  const environment = {
    VIDGEN_DATABSE_URL: 'x',
    VIDGEN_HOME: 'x',
    VIDGEN_KEY: 'x',
    VIDGEN_TEST_ENGINE: 'x',
    VIDGEN_ARK_KEY: 'x',
    OTHER: 'x',
  };
  assert.deepEqual(unknownSettings(environment, ['VIDGEN_ARK_KEY']), [
    'VIDGEN_DATABSE_URL is not a setting; did you mean VIDGEN_DATABASE_URL?',
  ]);
  assert.deepEqual(unknownSettings({ VIDGEN_ZZZZZZZZZ: '' }), [
    'VIDGEN_ZZZZZZZZZ is not a setting',
  ]);
});
