/** Reads settings from the environment, and collects a message for each that is invalid. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { unescape as decoded } from 'node:querystring';
import { suggestName } from '@vidgen/contract/suggest-name.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type TraceSettings = {
  /** With the path `/v1/traces`. */
  readonly url: string;
  /** May contain a token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  /** The share of tasks that is traced, 0 to 1; the same tasks in every process. */
  readonly ratio: number;
};

export type OpenIdSettings = {
  /** In the form of `URL.href`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** As people know the provider: “Continue with …”. */
  readonly name: string;
  /** What people with a verified address of these domains join without an invitation. */
  readonly join: {
    readonly domains: readonly string[];
    readonly accountId: string;
    readonly role: 'developer' | 'viewer';
  } | null;
};

const secondsIn = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const optionPattern = /^--(role|processes)(=|$)/;
/** Each has up to 11 connections to the database, whose own server allows 100. */
const processesMax = 8;
const retryDaysMax = 30;

const prefix = 'VIDGEN_';
/** Filled when settings are read, so that it cannot differ from what the service reads. */
const settingNames = new Set<string>();
/** Variables of the command line client and of tests. */
const otherNames = /^VIDGEN_(KEY|URL|TEST_.*|CRASH_AT|PAUSE_AT|SCREENSHOTS)$/;

/**
 * Returns a message for each variable that begins with `VIDGEN_` and is not a setting, with the
 * nearest one. Call it after `readConfig`. `known` are variables that the configuration file names.
 */
export function unknownSettings(environment: Environment, known: readonly string[] = []): string[] {
  const names = Object.keys(environment).filter((name) => name.startsWith(prefix));
  return names
    .filter((name) => !settingNames.has(name) && !otherNames.test(name) && !known.includes(name))
    .map((name) => {
      // Without the prefix, which would make all names alike.
      const ends = [...settingNames].map((setting) => setting.slice(prefix.length));
      const nearest = suggestName(name.slice(prefix.length), ends);
      return `${name} is not a setting${nearest ? `; did you mean ${prefix}${nearest}?` : ''}`;
    });
}

export class EnvReader {
  readonly errors: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string): string | null {
    if (name.startsWith(prefix)) settingNames.add(name);
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
    this.errors.push(`${what} must be ${alternatives(allowed)} (got ${value})`);
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
    const range = `more than 0s and at most ${daysMax}d`;
    this.errors.push(`${name} must be ${form}, ${range} (got ${value})`);
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

  /** Sign-in by OpenID Connect; null without an issuer. */
  openid(): OpenIdSettings | null {
    const issuer = this.text('VIDGEN_OIDC_ISSUER');
    const clientId = this.text('VIDGEN_OIDC_CLIENT_ID');
    const clientSecret = this.text('VIDGEN_OIDC_CLIENT_SECRET');
    const name = this.text('VIDGEN_OIDC_NAME') ?? 'single sign-on';
    const join = this.#openIdJoin();
    if ([issuer, clientId, clientSecret].every((value) => value === null)) return null;
    if (name.length > 50) this.errors.push('VIDGEN_OIDC_NAME must have at most 50 characters');
    if (issuer === null || clientId === null || clientSecret === null) {
      const names = 'VIDGEN_OIDC_ISSUER, VIDGEN_OIDC_CLIENT_ID and VIDGEN_OIDC_CLIENT_SECRET';
      this.errors.push(`${names} require each other; set all`);
      return null;
    }
    if (!isIssuer(issuer)) {
      this.errors.push('VIDGEN_OIDC_ISSUER must be a URL that starts with https:// and ends there');
      return null;
    }
    return { issuer: new URL(issuer).href, clientId, clientSecret, name, join };
  }

  #openIdJoin(): OpenIdSettings['join'] {
    const domains = this.hostNames('VIDGEN_OIDC_DOMAINS');
    const accountId = this.text('VIDGEN_OIDC_ACCOUNT');
    const role = this.oneOf('VIDGEN_OIDC_ROLE', ['developer', 'viewer'] as const, 'viewer');
    if (domains.length === 0 && accountId === null) return null;
    if (domains.length > 0 && accountId !== null && /^[0-9a-f-]{36}$/i.test(accountId)) {
      return { domains, accountId, role };
    }
    this.errors.push(
      'VIDGEN_OIDC_DOMAINS and VIDGEN_OIDC_ACCOUNT require each other; set both, the account by ID',
    );
    return null;
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

/** With TLS, except on this machine. Its path may end with a slash, which is part of it. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || text.length > 500 || /[?#@]/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}

function secondsOf(text: string): number | null {
  const found = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  if (!found) return null;
  const [, amount, unit] = found as unknown as [string, string, keyof typeof secondsIn | 'ms'];
  return unit === 'ms' ? Number(amount) / 1000 : Number(amount) * secondsIn[unit];
}

/** `a, b or c`. */
const alternatives = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** The path, or the nearest folder above it that exists. */
const nearestExisting = (path: string): string =>
  existsSync(path) ? path : nearestExisting(dirname(path));
