/**
 * `vidgen.config.ts`: structured configuration such as providers, routes, prices and top-ups.
 * Optional. Credentials are referenced, not written: `{ env: 'ARK_API_KEY' }`.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unescape as decoded } from 'node:querystring';
import { pathToFileURL } from 'node:url';
import { CreditValue } from '@vidgen/contract/costs.ts';
import { ModelDeclaration } from '@vidgen/contract/model-declaration.ts';
import { ModelId, ResolutionName } from '@vidgen/contract/model-name.ts';
import { type Problem, problemsOf } from '@vidgen/contract/problem.ts';
import { z } from 'zod';
import { ProviderSettings, requiredEnvVars } from '../providers/kinds.ts';
import { awsSecretNames } from '../storage/s3-settings.ts';
import { registerSecret } from '../telemetry/log.ts';
import { TopUpSettings, variablesOf as variablesOfTopUps } from '../top-ups/settings.ts';
import { ConfigError } from './config.ts';

const Rate = z.strictObject({
  perSecond: z.number().positive(),
  perSecondWithVideo: z.number().positive().optional(),
});
const ProviderName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);
const AliasName = z.string().regex(/^[\w.:/@-]{1,128}$/);
/** A provider's name, several that share the tasks by weight, or several by their cost. */
const RouteStep = z.union(
  [
    z.string(),
    z.array(z.strictObject({ provider: z.string(), weight: z.number().positive() })).min(1),
    z.strictObject({ cheapest: z.array(z.string()).min(1) }),
  ],
  "must be the name of a provider, such as 'ark', or [{ provider: 'ark', weight: 3 }], or " +
    "{ cheapest: ['ark', 'fal'] }",
);
const ConfigFile = z.strictObject({
  providers: z.record(ProviderName, ProviderSettings).optional(),
  /** Null stops offering a model of the contract. */
  models: z.record(ModelId, ModelDeclaration.nullable()).optional(),
  routes: z.record(ModelId, z.array(RouteStep).min(1)).optional(),
  /** When the providers of a model's route make a test video each day, in UTC. */
  canaries: z
    .record(
      ModelId,
      z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time in UTC such as 04:00'),
    )
    .optional(),
  prices: z
    // Null removes a price, and with it the model.
    .record(ModelId, z.record(ResolutionName, Rate.nullable()))
    .optional(),
  /** Names of other vendors' models, for the endpoints that speak their format. */
  aliases: z.record(AliasName, ModelId).optional(),
  topUps: TopUpSettings.optional(),
  /** What a credit earns, and the currency of the installation. */
  creditValue: CreditValue.optional(),
});
export type ConfigFile = Omit<z.infer<typeof ConfigFile>, 'models'> &
  Pick<z.input<typeof ConfigFile>, 'models'>;

const repository = join(import.meta.dirname, '../..');

export async function readConfigFile(named: string | null): Promise<ConfigFile> {
  const path = named === null ? join(repository, 'vidgen.config.ts') : resolve(named);
  if (!existsSync(path)) {
    if (named === null) return {};
    throw new ConfigError([`VIDGEN_CONFIG points to ${named}, which does not exist`]);
  }
  const { default: content } = await importFile(path);
  const problems = problemsOf(ConfigFile, content);
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => `${path}: ${messageOf(problem)}`));
  }
  // As they were written, so that the dashboard shows no defaults.
  const { models } = content as ConfigFile;
  return { ...ConfigFile.parse(content), models };
}

/** The file is code: an error in it is named with its line, instead of a stack trace. */
async function importFile(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    const [, after = ''] = stack.split(`${path}:`);
    const [line] = /^\d+/.exec(after) ?? [];
    const place = line === undefined ? path : `${path}, line ${line}`;
    throw new ConfigError([`${place}: ${message.split('\n')[0]}`]);
  }
}

/**
 * A value in place of a variable's name may be the secret itself, so the message must not show it.
 */
function messageOf({ path, message }: Problem): string {
  if (!/(Key|Secret)(\[\d+\])?$/.test(path) || !message.includes('(got ')) return message;
  return `${path} must name an environment variable: { env: 'NAME' }`;
}

/** Values of credentials that are no longer in the environment, by the name of the variable. */
const takenCredentials = new Map<string, string>();

/** The service's own secrets in the environment. The configuration keeps their values. */
const ownSecretNames = [
  ...['VIDGEN_SECRET', 'VIDGEN_ADMIN_TOKEN', 'VIDGEN_METRICS_TOKEN'],
  ...['VIDGEN_DATABASE_URL', 'VIDGEN_DATABASE_LISTEN_URL', 'PGPASSWORD'],
  ...awsSecretNames,
  ...['OTEL_EXPORTER_OTLP_HEADERS', 'VIDGEN_SMTP_URL', 'VIDGEN_NOTICE_WEBHOOK_URL'],
  'VIDGEN_OIDC_CLIENT_SECRET',
];

/**
 * Registers the secrets in the environment, before the configuration file runs: an error thrown
 * there may quote them. Reading that file registers the secrets it refers to.
 */
export function registerOwnSecrets(environment: NodeJS.ProcessEnv): void {
  const tokens = ['VIDGEN_SECRET', 'VIDGEN_ADMIN_TOKEN', 'VIDGEN_METRICS_TOKEN'];
  const names = [...tokens, 'VIDGEN_OIDC_CLIENT_SECRET', 'PGPASSWORD', ...awsSecretNames];
  for (const name of names) registerSecret(environment[name]?.trim() ?? null);
  for (const header of environment.OTEL_EXPORTER_OTLP_HEADERS?.split(',') ?? []) {
    registerSecret(decoded(header.slice(header.indexOf('=') + 1).trim()));
  }
  const { VIDGEN_DATABASE_URL, VIDGEN_DATABASE_LISTEN_URL, VIDGEN_SMTP_URL } = environment;
  for (const url of [VIDGEN_DATABASE_URL, VIDGEN_DATABASE_LISTEN_URL, VIDGEN_SMTP_URL]) {
    if (url === undefined || !URL.canParse(url)) continue;
    const { password, searchParams } = new URL(url);
    for (const secret of [password, decoded(password), searchParams.get('password')])
      registerSecret(secret);
  }
}

/**
 * Removes secrets from the environment, where libraries, child processes and reports of this
 * process would find them, and returns their names. Called once, when all settings are read;
 * `credential` still works.
 */
export function takeSecrets(file: ConfigFile, environment: NodeJS.ProcessEnv): string[] {
  for (const name of credentialNames(file)) {
    const value = environment[name];
    if (value) takenCredentials.set(name, value);
  }
  const names = [...credentialNames(file), ...ownSecretNames];
  for (const name of names) delete environment[name];
  return names;
}

/** Reads the credential when it is used, so that no object that could be logged contains it. */
export function credential({ env }: { readonly env: string }): () => string {
  return () => {
    const value = takenCredentials.get(env) ?? process.env[env];
    if (value === undefined || value === '') throw new Error(`${env} is not set`);
    registerSecret(value);
    return value;
  };
}

/**
 * Returns variables that the file refers to and the environment lacks. Registers the values of the
 * others as secrets.
 */
export function missingCredentials(file: ConfigFile): string[] {
  const named = credentialNames(file);
  for (const name of named) registerSecret(process.env[name] ?? null);
  return named.filter((name) => !process.env[name]);
}

export const credentialNames = ({ providers = {}, topUps = {} }: ConfigFile): string[] => [
  ...Object.values(providers).flatMap(requiredEnvVars),
  ...variablesOfTopUps(topUps),
];
