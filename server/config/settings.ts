/**
 * All settings of a start: the environment and the configuration file, checked together. An invalid
 * setting stops the start before anything is opened, and all of them are reported at once.
 */
import { modelNames } from '@vidgen/contract/models.ts';
import { valueHint } from '@vidgen/contract/problem.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { readBoughtSigner } from '../credentials/bought-signer.ts';
import { parseNetworks } from '../egress/ip-address.ts';
import { parseSender, parseSmtpUrl } from '../messages/smtp-settings.ts';
import { routeProblems } from '../providers/registry.ts';
import { parseCdnUrl } from '../storage/cloudfront.ts';
import { parseS3Url } from '../storage/s3-settings.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import {
  type ConfigFile,
  credentialNames,
  missingCredentials,
  readConfigFile,
} from './config-file.ts';
import { type Environment, unknownSettings } from './env-reader.ts';

export async function readSettings(
  environment: Environment,
  args: readonly string[] = [],
): Promise<{ readonly config: Config; readonly file: ConfigFile }> {
  const errors: string[] = [];
  const collectErrors = async <T>(work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      errors.push(...error.errors);
      return null;
    }
  };
  const config = await collectErrors(() => readConfig(environment, args));
  errors.push(...networkErrors(environment), ...listenErrors(environment));
  if (config) errors.push(...storageErrors(config), ...mailErrors(config), ...signerErrors(config));
  const named = nonEmptyText(environment.VIDGEN_CONFIG);
  const file = await collectErrors(() => readConfigFile(named));
  if (file) errors.push(...fileErrors(file, named ?? 'vidgen.config.ts'));
  if (!config || !file || errors.length > 0) {
    // A mistyped name is often the reason. Others may be credentials of a file that is unreadable.
    const unknown = unknownSettings(environment, file ? credentialNames(file) : []);
    const mistyped = unknown.filter((text) => text.includes('did you mean'));
    throw new ConfigError([...errors, ...mistyped]);
  }
  return { config, file };
}

const nonEmptyText = (text: string | undefined): string | null => text?.trim() || null;

function networkErrors(environment: Environment): string[] {
  return ['VIDGEN_ALLOWED_NETWORKS', 'VIDGEN_TRUSTED_PROXIES'].flatMap((name) =>
    errorsOf(() => parseNetworks(environment[name] ?? '')).map((why) => `${name} ${why}`),
  );
}

function listenErrors(environment: Environment): string[] {
  const { VIDGEN_DATABASE_URL: url, VIDGEN_DATABASE_LISTEN_URL: listenUrl } = environment;
  if (nonEmptyText(listenUrl) === null || nonEmptyText(url) !== null) return [];
  return ['VIDGEN_DATABASE_LISTEN_URL is set without VIDGEN_DATABASE_URL; set both'];
}

/** Settings that processes with separate homes must share. */
function storageErrors(config: Config): string[] {
  const { storageUrl, storageServe, storageCdnUrl, databaseUrl } = config;
  const { adminToken, publicUrl, role } = config;
  if (storageCdnUrl !== null && storageServe === 'stream') {
    return ['VIDGEN_STORAGE_CDN_URL requires VIDGEN_STORAGE_SERVE=redirect; set both'];
  }
  if (storageUrl === null) {
    if (storageServe === 'stream') return [];
    return ['VIDGEN_STORAGE_SERVE=redirect requires VIDGEN_STORAGE_URL; set both'];
  }
  const invalid = [
    ...errorsOf(() => parseS3Url(storageUrl)).map((why) => `VIDGEN_STORAGE_URL ${why}`),
    ...errorsOf(() => storageCdnUrl && parseCdnUrl(storageCdnUrl)).map(
      (why) => `VIDGEN_STORAGE_CDN_URL ${why}`,
    ),
  ];
  if (databaseUrl === null) return invalid;
  const reason = 'processes that share a database and a bucket have homes of their own';
  return [
    ...invalid,
    ...(adminToken === null && role !== 'worker'
      ? [`VIDGEN_ADMIN_TOKEN is not set; ${reason}, so set the same token for each`]
      : []),
    ...(publicUrl === null
      ? [`VIDGEN_PUBLIC_URL is not set; ${reason}, so set the URL that clients use for each`]
      : []),
  ];
}

function mailErrors({ smtpUrl, mailFrom }: Config): string[] {
  const isSender = mailFrom === null || parseSender(mailFrom) !== null;
  return [
    ...errorsOf(() => smtpUrl && parseSmtpUrl(smtpUrl)).map((why) => `VIDGEN_SMTP_URL ${why}`),
    ...(isSender ? [] : ['VIDGEN_MAIL_FROM must be an address, or such as vidgen <a@example.com>']),
    ...((smtpUrl === null) === (mailFrom === null)
      ? []
      : ['VIDGEN_SMTP_URL and VIDGEN_MAIL_FROM require each other; set both']),
  ];
}

const signerErrors = ({ boughtSigner }: Config): string[] =>
  errorsOf(() => boughtSigner && readBoughtSigner(boughtSigner));

function fileErrors(file: ConfigFile, name: string): string[] {
  const { providers = {}, routes = {} } = file;
  const missing = missingCredentials(file).map((name) => `${name} is not set in the environment`);
  const invalid = [
    ...errorsOf(() => createCatalog(file)),
    ...routeProblems({ names: Object.keys(providers), routes }),
    ...unknownModels(file),
  ];
  return [...missing, ...invalid].map((problem) => `${name}: ${problem}`);
}

/** A model that only a provider names may be declared in the dashboard, unless it is a typo. */
function unknownModels({ models = {}, routes = {}, providers = {} }: ConfigFile): string[] {
  const known: readonly string[] = [...modelNames, ...Object.keys(models)];
  const hint = (name: string) => valueHint(known, name);
  const routed = Object.keys(routes)
    .filter((name) => !known.includes(name))
    .map((name) => `routes.${name} is not a model${hint(name) || '; declare it in models'}`);
  const named = Object.entries(providers).flatMap(([provider, settings]) => {
    const made =
      'workflows' in settings ? { workflows: settings.workflows } : { models: settings.models };
    const fields = { ...made, 'costs.models': settings.costs?.models ?? {} };
    return Object.entries(fields).flatMap(([field, names]) =>
      Object.keys(names)
        .filter((name) => !known.includes(name) && hint(name) !== '')
        .map((name) => `providers.${provider}.${field}.${name} is not a model${hint(name)}`),
    );
  });
  return [...routed, ...named];
}

function errorsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
