/**
 * Every setting, its default and its check. The environment is read once into a frozen object; an
 * invalid setting stops the start, and all invalid ones are reported at once.
 */
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { logLevels } from '../telemetry/log.ts';
import { type Environment, EnvReader } from './env-reader.ts';

const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

export type Config = ReturnType<typeof readConfig>;

export class ConfigError extends Error {
  readonly errors: readonly string[];
  constructor(errors: readonly string[]) {
    super(`vidgen could not start:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
    this.name = 'ConfigError';
    this.errors = errors;
  }
}

const repository = join(import.meta.dirname, '../..');

/** An account may have any number of keys; by default it gets as much as this many. */
const keysPerAccountDefault = 10;

export function readConfig(environment: Environment, args: readonly string[] = []) {
  const read = new EnvReader(environment);
  const databaseUrl = (name: string) =>
    withPassword(read.url(name, ['postgres:', 'postgresql:']), environment);
  const config = {
    role: read.oneOf('VIDGEN_ROLE', roles, 'all', read.option(args, 'role', 'all, api or worker')),
    /** How many API processes share the port; null serves from this process alone. */
    processes: read.processes('VIDGEN_PROCESSES', args),
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', { fallback: 8787, min: 0, max: 65_535 }),
    home: read.folder('VIDGEN_HOME', join(repository, '.vidgen')),
    secret: read.textOfLength('VIDGEN_SECRET', 32),
    publicUrl: read.baseUrl('VIDGEN_PUBLIC_URL', ['http:', 'https:']),
    adminToken: read.textOfLength('VIDGEN_ADMIN_TOKEN', 32),
    databaseUrl: databaseUrl('VIDGEN_DATABASE_URL'),
    /** The same database without a pooler, for notifications. */
    databaseListenUrl: databaseUrl('VIDGEN_DATABASE_LISTEN_URL'),
    /** A bucket for results and uploads; null keeps them in the home directory. */
    storageUrl: read.url('VIDGEN_STORAGE_URL', ['s3:']),
    /** Whether clients fetch results from the bucket, or from this service. */
    storageServe: read.oneOf('VIDGEN_STORAGE_SERVE', ['redirect', 'stream'] as const, 'stream'),
    /** A CloudFront distribution in front of the bucket, for redirects. */
    storageCdnUrl: read.url('VIDGEN_STORAGE_CDN_URL', ['https:']),
    /** The variables of the AWS clients, for the credentials of the bucket. */
    aws: read.withPrefix('AWS_'),
    allowedNetworks: read.text('VIDGEN_ALLOWED_NETWORKS') ?? '',
    /** Proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: read.text('VIDGEN_TRUSTED_PROXIES') ?? '',
    /** Further names under which a service on loopback is reached. */
    allowedHosts: read.hostNames('VIDGEN_ALLOWED_HOSTS'),
    materials: read.oneOf('VIDGEN_MATERIALS', ['lenient', 'strict'] as const, 'lenient'),
    ...readLimits(read),
    resultTtlSeconds: read.duration('VIDGEN_RESULT_TTL', { fallback: '24h', daysMax: 3650 }),
    taskTimeoutSeconds: read.duration('VIDGEN_TASK_TIMEOUT', { fallback: '60m', daysMax: 30 }),
    webhookRetryDelaysSeconds: read.durations('VIDGEN_WEBHOOK_RETRIES', '5s,30s,2m,10m,1h'),
    /** Where a worker without an API serves its health and metrics; null does not. */
    metricsPort: read.integer('VIDGEN_METRICS_PORT', { fallback: 0, min: 1, max: 65_535 }) || null,
    metricsToken: read.textOfLength('VIDGEN_METRICS_TOKEN', 32),
    /** How long `/readyz` fails before a process that is told to stop closes its port. */
    drainSeconds: read.integer('VIDGEN_DRAIN_SECONDS', { fallback: 0, min: 0, max: 20 }),
    /** The mail server, with its user and password; null sends no mail. */
    smtpUrl: read.url('VIDGEN_SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: read.text('VIDGEN_MAIL_FROM'),
    /** Receives notices; null leaves it to the dashboard. */
    noticeWebhookUrl: read.url('VIDGEN_NOTICE_WEBHOOK_URL', ['https:', 'http:']),
    /** Sign-in by OpenID Connect; null leaves it at passwords. */
    openid: read.openid(),
    /** Where traces are sent, by the variables of OpenTelemetry; null sends none. */
    traces: read.traces(),
    logLevel: read.oneOf('VIDGEN_LOG_LEVEL', logLevels, 'info'),
    /** Concurrent renders of the built-in preview provider. */
    previewSlots: read.integer('VIDGEN_PREVIEW_SLOTS', {
      fallback: previewSlotsFor({ cores: availableParallelism(), memoryBytes: memoryBytes() }),
      min: 1,
      max: previewSlotsMax,
    }),
    /**
     * Whether a worker renders a one-second clip at its start and reports what this machine can do.
     */
    selfTest: read.oneOf('VIDGEN_SELF_TEST', ['on', 'off'] as const, 'on') === 'on',
    /** Whether a worker makes a small image of each video that it collects, for lists. */
    posters: read.oneOf('VIDGEN_POSTERS', ['on', 'off'] as const, 'on') === 'on',
    /** Who may ask whether a file was made here. */
    verify: read.oneOf('VIDGEN_VERIFY', ['public', 'key', 'off'] as const, 'public'),
    /** Files with a bought certificate for results, and its key; null signs with our own. */
    boughtSigner: readBoughtSigner(read),
    configFile: read.text('VIDGEN_CONFIG'),
  };
  read.rejectUnknown(args);
  if (config.role === 'worker' && config.processes !== null) {
    read.errors.push('VIDGEN_PROCESSES requires the role all or api; start more workers instead');
  }
  if (read.errors.length > 0) throw new ConfigError(read.errors);
  return Object.freeze(config);
}

function readBoughtSigner(read: EnvReader) {
  const certificate = read.text('VIDGEN_C2PA_CERT');
  const key = read.text('VIDGEN_C2PA_KEY');
  if (certificate !== null && key !== null) return { certificate, key };
  if (certificate !== null || key !== null) {
    read.errors.push('VIDGEN_C2PA_CERT and VIDGEN_C2PA_KEY require each other; set both');
  }
  return null;
}

/** Limits of requests, tasks and files, and how long an account's data is kept. */
function readLimits(read: EnvReader) {
  const createsPerMinuteMax = read.integer('VIDGEN_RATE_CREATE', { fallback: 100, min: 0 });
  const statusQueriesPerMinuteMax = read.integer('VIDGEN_RATE_STATUS', { fallback: 600, min: 0 });
  return {
    /** Maximum bytes of each material, by kind. */
    materialBytesMax: {
      image: read.mebibytes('VIDGEN_IMAGE_MEGABYTES', 30),
      video: read.mebibytes('VIDGEN_VIDEO_MEGABYTES', 200),
      audio: read.mebibytes('VIDGEN_AUDIO_MEGABYTES', 15),
    },
    /** In days; 0 keeps the part. An account may differ. */
    retentionDays: {
      prompts: read.days('VIDGEN_RETAIN_PROMPTS_DAYS'),
      deliveries: read.days('VIDGEN_RETAIN_DELIVERIES_DAYS'),
      tasks: read.days('VIDGEN_RETAIN_TASKS_DAYS'),
    },
    createsPerMinuteMax,
    statusQueriesPerMinuteMax,
    /** Over all keys of an account. */
    accountCreatesPerMinuteMax: read.integer('VIDGEN_RATE_CREATE_ACCOUNT', {
      fallback: createsPerMinuteMax * keysPerAccountDefault,
      min: 0,
    }),
    accountQueriesPerMinuteMax: read.integer('VIDGEN_RATE_STATUS_ACCOUNT', {
      fallback: statusQueriesPerMinuteMax * keysPerAccountDefault,
      min: 0,
    }),
    /** Tasks in progress of an account, in each mode; 0 is no limit. */
    accountRunningTasksMax: read.integer('VIDGEN_RUNNING_TASKS_ACCOUNT', {
      fallback: 0,
      min: 0,
      max: 1_000_000,
    }),
  };
}

/** The driver would read PGPASSWORD at every connect, after it was removed from the environment. */
function withPassword(text: string | null, environment: Environment): string | null {
  if (text === null || !environment.PGPASSWORD) return text;
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password')) return text;
  // A URL of a socket has no host, and so no place for a password but here.
  url.searchParams.set('password', environment.PGPASSWORD);
  return url.href;
}

const previewSlotsMax = 64;
/** What a clip of up to 1080p takes, and what the process needs, including its database. */
const bytesPerPreview = 0.75 * 1024 ** 3;
const processBytes = 0.5 * 1024 ** 3;

/** One slot per core, as far as memory allows. */
export function previewSlotsFor(machine: { cores: number; memoryBytes: number }): number {
  const slotsByMemory = Math.floor((machine.memoryBytes - processBytes) / bytesPerPreview);
  return Math.max(1, Math.min(machine.cores, slotsByMemory, previewSlotsMax));
}

/** A container can have less memory than its machine; 0 means no limit. */
const memoryBytes = (): number => Math.min(totalmem(), process.constrainedMemory() || totalmem());
