/**
 * Every setting, its default and its check. The environment is read once into a frozen object; an
 * invalid setting stops the start, and all invalid ones are reported at once.
 */
import { existsSync, statSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { unescape as decoded } from 'node:querystring';
import { suggestName } from '@vidgen/contract/suggest-name.ts';
import { type LogLevel, logLevels } from './log.ts';

const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

export type Config = {
  readonly role: Role;
  /** How many API processes share the port; null serves from this process alone. */
  readonly processes: number | null;
  readonly host: string;
  readonly port: number;
  readonly home: string;
  readonly secret: string | null;
  readonly publicUrl: string | null;
  readonly adminToken: string | null;
  readonly databaseUrl: string | null;
  /** The same database without a pooler, for notifications. */
  readonly databaseListenUrl: string | null;
  /** A bucket for results and uploads; null keeps them in the home directory. */
  readonly storageUrl: string | null;
  /** Whether clients fetch results from the bucket, or from this service. */
  readonly storageServe: 'redirect' | 'stream';
  /** A CloudFront distribution in front of the bucket, for redirects. */
  readonly storageCdnUrl: string | null;
  /** The variables of the AWS clients, for the credentials of the bucket. */
  readonly aws: Readonly<Record<string, string>>;
  readonly allowedNetworks: string;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: string;
  /** Further names under which a service on loopback is reached. */
  readonly allowedHosts: readonly string[];
  readonly materials: 'lenient' | 'strict';
  /** Maximum bytes of each material, by kind. */
  readonly materialBytesMax: Readonly<Record<'image' | 'video' | 'audio', number>>;
  readonly resultTtlSeconds: number;
  /** In days; 0 keeps the part. An account may differ. */
  readonly retentionDays: Readonly<Record<'prompts' | 'deliveries' | 'tasks', number>>;
  readonly taskTimeoutSeconds: number;
  readonly webhookRetryDelaysSeconds: readonly number[];
  readonly createsPerMinuteMax: number;
  readonly statusQueriesPerMinuteMax: number;
  /** Over all keys of an account. */
  readonly accountCreatesPerMinuteMax: number;
  readonly accountQueriesPerMinuteMax: number;
  /** How long `/readyz` fails before a process that is told to stop closes its port. */
  readonly drainSeconds: number;
  /** Tasks in progress of an account, in each mode; 0 is no limit. */
  readonly accountRunningTasksMax: number;
  readonly logLevel: LogLevel;
  /** The mail server, with its user and password; null sends no mail. */
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  /** Receives notices; null leaves it to the dashboard. */
  readonly noticeWebhookUrl: string | null;
  /** Where traces are sent, by the variables of OpenTelemetry; null sends none. */
  readonly traces: TraceSettings | null;
  /** Where a worker without an API serves its health and metrics; null does not. */
  readonly metricsPort: number | null;
  /** Concurrent renders of the built-in preview provider. */
  readonly previewSlots: number;
  /**
   * Whether a worker renders a one-second clip at its start and reports what this machine can do.
   */
  readonly selfTest: boolean;
  /** Whether a worker makes a small image of each video that it collects, for lists. */
  readonly posters: boolean;
  readonly configFile: string | null;
};

type TraceSettings = {
  readonly url: string;
  /** May contain a token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly ratio: number;
};

export class ConfigError extends Error {
  readonly errors: readonly string[];
  constructor(errors: readonly string[]) {
    super(`vidgen could not start:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
    this.name = 'ConfigError';
    this.errors = errors;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;
const repository = join(import.meta.dirname, '..');
const secondsIn = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** An account may have any number of keys; by default it gets as much as this many. */
const keysPerAccountDefault = 10;

export function readConfig(environment: Environment, args: readonly string[] = []): Config {
  const read = new EnvReader(environment);
  const createsPerMinuteMax = read.integer('VIDGEN_RATE_CREATE', { fallback: 100, min: 0 });
  const statusQueriesPerMinuteMax = read.integer('VIDGEN_RATE_STATUS', { fallback: 600, min: 0 });
  const databaseUrl = (name: string) =>
    withPassword(read.url(name, ['postgres:', 'postgresql:']), environment);
  const config: Config = {
    role: read.oneOf('VIDGEN_ROLE', roles, 'all', read.option(args, 'role', 'all, api or worker')),
    processes: read.processes('VIDGEN_PROCESSES', args),
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', { fallback: 8787, min: 0, max: 65_535 }),
    home: read.folder('VIDGEN_HOME', join(repository, '.vidgen')),
    secret: read.textOfLength('VIDGEN_SECRET', 32),
    publicUrl: read.baseUrl('VIDGEN_PUBLIC_URL', ['http:', 'https:']),
    adminToken: read.textOfLength('VIDGEN_ADMIN_TOKEN', 32),
    databaseUrl: databaseUrl('VIDGEN_DATABASE_URL'),
    databaseListenUrl: databaseUrl('VIDGEN_DATABASE_LISTEN_URL'),
    storageUrl: read.url('VIDGEN_STORAGE_URL', ['s3:']),
    storageServe: read.oneOf('VIDGEN_STORAGE_SERVE', ['redirect', 'stream'] as const, 'stream'),
    storageCdnUrl: read.url('VIDGEN_STORAGE_CDN_URL', ['https:']),
    aws: read.withPrefix('AWS_'),
    allowedNetworks: read.text('VIDGEN_ALLOWED_NETWORKS') ?? '',
    trustedProxies: read.text('VIDGEN_TRUSTED_PROXIES') ?? '',
    allowedHosts: read.hostNames('VIDGEN_ALLOWED_HOSTS'),
    materials: read.oneOf('VIDGEN_MATERIALS', ['lenient', 'strict'] as const, 'lenient'),
    materialBytesMax: {
      image: read.mebibytes('VIDGEN_IMAGE_MEGABYTES', 30),
      video: read.mebibytes('VIDGEN_VIDEO_MEGABYTES', 200),
      audio: read.mebibytes('VIDGEN_AUDIO_MEGABYTES', 15),
    },
    resultTtlSeconds: read.duration('VIDGEN_RESULT_TTL', { fallback: '24h', daysMax: 3650 }),
    retentionDays: {
      prompts: read.days('VIDGEN_RETAIN_PROMPTS_DAYS'),
      deliveries: read.days('VIDGEN_RETAIN_DELIVERIES_DAYS'),
      tasks: read.days('VIDGEN_RETAIN_TASKS_DAYS'),
    },
    taskTimeoutSeconds: read.duration('VIDGEN_TASK_TIMEOUT', { fallback: '60m', daysMax: 30 }),
    webhookRetryDelaysSeconds: read.durations('VIDGEN_WEBHOOK_RETRIES', '5s,30s,2m,10m,1h'),
    createsPerMinuteMax,
    statusQueriesPerMinuteMax,
    accountCreatesPerMinuteMax: read.integer('VIDGEN_RATE_CREATE_ACCOUNT', {
      fallback: createsPerMinuteMax * keysPerAccountDefault,
      min: 0,
    }),
    accountQueriesPerMinuteMax: read.integer('VIDGEN_RATE_STATUS_ACCOUNT', {
      fallback: statusQueriesPerMinuteMax * keysPerAccountDefault,
      min: 0,
    }),
    accountRunningTasksMax: read.integer('VIDGEN_RUNNING_TASKS_ACCOUNT', {
      fallback: 0,
      min: 0,
      max: 1_000_000,
    }),
    metricsPort: read.integer('VIDGEN_METRICS_PORT', { fallback: 0, min: 1, max: 65_535 }) || null,
    drainSeconds: read.integer('VIDGEN_DRAIN_SECONDS', { fallback: 0, min: 0, max: 20 }),
    smtpUrl: read.url('VIDGEN_SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: read.text('VIDGEN_MAIL_FROM'),
    noticeWebhookUrl: read.url('VIDGEN_NOTICE_WEBHOOK_URL', ['https:', 'http:']),
    traces: read.traces(),
    logLevel: read.oneOf('VIDGEN_LOG_LEVEL', logLevels, 'info'),
    previewSlots: read.integer('VIDGEN_PREVIEW_SLOTS', {
      fallback: previewSlotsFor({ cores: availableParallelism(), memoryBytes: memoryBytes() }),
      min: 1,
      max: previewSlotsMax,
    }),
    selfTest: read.oneOf('VIDGEN_SELF_TEST', ['on', 'off'] as const, 'on') === 'on',
    posters: read.oneOf('VIDGEN_POSTERS', ['on', 'off'] as const, 'on') === 'on',
    configFile: read.text('VIDGEN_CONFIG'),
  };
  read.rejectUnknown(args);
  if (config.role === 'worker' && config.processes !== null) {
    read.errors.push('VIDGEN_PROCESSES requires the role all or api; start more workers instead');
  }
  if (read.errors.length > 0) throw new ConfigError(read.errors);
  return Object.freeze(config);
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

const optionPattern = /^--(role|processes)(=|$)/;
/** Each has up to 11 connections to the database, whose own server allows 100. */
const processesMax = 8;
const retryDaysMax = 30;
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

/** Filled when settings are read, so that it cannot differ from what the service reads. */
const settingNames = new Set<string>();
/** Variables of the command line client and of tests. */
const otherNames = /^VIDGEN_(KEY|URL|TEST_.*|CRASH_AT|PAUSE_AT|SCREENSHOTS)$/;

/**
 * Returns a message for each variable that begins with `VIDGEN_` and is not a setting, with the
 * nearest one. Call it after `readConfig`. `known` are variables that the configuration file names.
 */
export function unknownSettings(environment: Environment, known: readonly string[] = []): string[] {
  const names = Object.keys(environment).filter((name) => name.startsWith('VIDGEN_'));
  return names
    .filter((name) => !settingNames.has(name) && !otherNames.test(name) && !known.includes(name))
    .map((name) => {
      const nearest = suggestName(name, [...settingNames]);
      return `${name} is not a setting${nearest ? `; did you mean ${nearest}?` : ''}`;
    });
}

class EnvReader {
  readonly errors: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string): string | null {
    if (name.startsWith('VIDGEN_')) settingNames.add(name);
    const value = this.#environment[name];
    return value === undefined || value.trim() === '' ? null : value.trim();
  }

  withPrefix(prefix: string): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#environment).filter(
        (entry): entry is [string, string] => entry[0].startsWith(prefix) && entry[1] !== undefined,
      ),
    );
  }

  textOfLength(name: string, charactersMin: number): string | null {
    const value = this.text(name);
    if (value !== null && value.length < charactersMin) {
      this.errors.push(`${name} must have ${charactersMin} characters or more`);
    }
    return value;
  }

  /** The value of a command line option, which overrides the environment. */
  option(args: readonly string[], name: string, values: string): string | undefined {
    const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
    if (at < 0) return undefined;
    const value = args[at]!.includes('=') ? args[at]!.slice(name.length + 3) : args[at + 1];
    if (value === undefined) this.errors.push(`--${name} requires a value: ${values}`);
    return value;
  }

  processes(name: string, args: readonly string[]): number | null {
    const value = this.option(args, 'processes', `1 to ${processesMax}`) ?? this.text(name);
    if (value === null) return null;
    const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= processesMax) return number;
    this.errors.push(`${name} must be a whole number, 1 to ${processesMax} (got ${value})`);
    return null;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T, given?: string): T {
    const value = given ?? this.text(name) ?? fallback;
    if ((allowed as readonly string[]).includes(value)) return value as T;
    const what = given === undefined ? name : `--${name.replace('VIDGEN_', '').toLowerCase()}`;
    this.errors.push(`${what} must be ${allowed.join(', ')} (got ${value})`);
    return fallback;
  }

  integer(
    name: string,
    { fallback, min, max }: { fallback: number; min: number; max?: number },
  ): number {
    const value = this.text(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= (max ?? Number.MAX_SAFE_INTEGER)) return number;
    const range = max === undefined ? `${min} or more` : `${min} to ${max}`;
    this.errors.push(`${name} must be a whole number, ${range} (got ${value})`);
    return fallback;
  }

  /** 0 keeps everything. */
  days(name: string): number {
    return this.integer(name, { fallback: 0, min: 0, max: 3650 });
  }

  /** The limit of one file, in bytes. A task downloads at most 512 MiB in total (Decision 0001). */
  mebibytes(name: string, fallback: number): number {
    return this.integer(name, { fallback, min: 1, max: 512 }) * 1024 ** 2;
  }

  duration(
    name: string,
    { fallback, daysMax }: { readonly fallback: string; readonly daysMax: number },
  ): number {
    const value = this.text(name) ?? fallback;
    const seconds = secondsOf(value);
    if (seconds !== null && seconds > 0 && seconds <= daysMax * secondsIn.d) return seconds;
    const form = 'a duration such as 90s, 15m, 24h or 7d';
    this.errors.push(`${name} must be ${form}, at most ${daysMax}d (got ${value})`);
    return 1;
  }

  /** It need not exist yet. */
  folder(name: string, fallback: string): string {
    const path = this.text(name) ?? fallback;
    const existing = nearestExisting(resolve(path));
    if (!statSync(existing).isDirectory()) {
      this.errors.push(`${name} must be a folder; ${existing} is a file`);
    }
    return path;
  }

  /**
   * Up to five delays, for the five retries of docs/spec.md 6.1; fewer delays mean fewer retries.
   */
  durations(name: string, fallback: string): readonly number[] {
    const parts = (this.text(name) ?? fallback).split(',').map((part) => secondsOf(part.trim()));
    const isValid = (part: number | null) => part !== null && part <= retryDaysMax * secondsIn.d;
    if (parts.length <= 5 && parts.every(isValid)) return parts as number[];
    const form = 'up to five durations such as 5s,30s,2m,10m,1h';
    this.errors.push(`${name} must be ${form}, each at most ${retryDaysMax}d`);
    return [];
  }

  hostNames(name: string): readonly string[] {
    const hosts = (this.text(name) ?? '')
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .filter((part) => part !== '');
    const invalid = hosts.find((host) => !/^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/.test(host));
    if (invalid !== undefined) {
      this.errors.push(`${name} must be host names without ports, such as videos.internal`);
    }
    return hosts;
  }

  /** Paths are appended to it, and it is handed out to everyone. */
  baseUrl(name: string, protocols: readonly string[]): string | null {
    const value = this.url(name, protocols);
    if (value === null) return null;
    const { username, password, search, hash } = new URL(value);
    if (`${username}${password}${search}${hash}` === '' && !/[?#]/.test(value)) return value;
    this.errors.push(`${name} must have no user name, password, query or fragment`);
    return null;
  }

  url(name: string, protocols: readonly string[]): string | null {
    const value = this.text(name);
    if (value === null) return null;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) {
      return value.replace(/\/{1,9}$/, '');
    }
    const kinds = protocols.map((protocol) => `${protocol}//…`).join(' or ');
    this.errors.push(`${name} must be a URL that starts with ${kinds}`);
    return null;
  }

  /** The settings of OpenTelemetry that the exporter follows; all but the first have defaults. */
  traces(): TraceSettings | null {
    const endpoint = this.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']);
    const pairs = (this.text('OTEL_EXPORTER_OTLP_HEADERS') ?? '').split(',').filter(Boolean);
    const headers = pairs.map((pair) => /^\s*([\w-]{1,100})=([\x21-\x7e]{1,2000})\s*$/.exec(pair));
    if (headers.includes(null)) {
      this.errors.push('OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas');
    }
    const ratio = this.text('OTEL_TRACES_SAMPLER_ARG') ?? '1';
    if (!/^(0(\.\d{1,6})?|1(\.0)?)$/.test(ratio)) {
      this.errors.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1 (got ${ratio})`);
    }
    const service = this.text('OTEL_SERVICE_NAME') ?? 'vidgen';
    if (endpoint === null) return null;
    return {
      url: `${endpoint}/v1/traces`,
      headers: Object.fromEntries(headers.map((found) => [found?.[1], decoded(found?.[2] ?? '')])),
      service,
      ratio: Number(ratio),
    };
  }

  rejectUnknown(args: readonly string[]): void {
    args.forEach((arg, at) => {
      if (optionPattern.test(arg) || /^--(role|processes)$/.test(args[at - 1] ?? '')) return;
      this.errors.push(
        `${arg} is not a known option; use --role all, --role api, --role worker or --processes`,
      );
    });
  }
}

function secondsOf(text: string): number | null {
  const found = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  if (!found) return null;
  const [, amount, unit] = found as unknown as [string, string, keyof typeof secondsIn | 'ms'];
  return unit === 'ms' ? Number(amount) / 1000 : Number(amount) * secondsIn[unit];
}

/** The path, or the nearest folder above it that exists. */
const nearestExisting = (path: string): string =>
  existsSync(path) ? path : nearestExisting(dirname(path));
