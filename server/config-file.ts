/**
 * `vidgen.config.ts`: what an operator configures that has structure: providers, routes, prices.
 * Absent on a first start. Credentials are named, not written: `{ env: 'ARK_API_KEY' }`.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modelNames, resolutions } from '@vidgen/contract/models.ts';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { z } from 'zod';
import { ConfigTrouble } from './config.ts';

const Rate = z.strictObject({
  perSecond: z.number().positive(),
  perSecondWithVideo: z.number().positive().optional(),
});
const ModelArkProvider = z.strictObject({
  kind: z.literal('modelark'),
  baseUrl: z.url(),
  apiKey: z.strictObject({ env: z.string().min(1) }),
  /** Our model names to the upstream's dated ids. */
  models: z.partialRecord(z.enum(modelNames), z.string().min(1)),
  forwardSeed: z.boolean().optional(),
  /** Calls a second: what the account allows, divided by the processes that share it. */
  getPerSecond: z.number().positive().optional(),
  listPerSecond: z.number().positive().optional(),
  /** How long after a submit whose answer was lost its task may still appear in the list. */
  settleSeconds: z.number().positive().optional(),
});
const ConfigFile = z.strictObject({
  providers: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), ModelArkProvider).optional(),
  routes: z.partialRecord(z.enum(modelNames), z.array(z.string()).min(1)).optional(),
  prices: z
    .partialRecord(z.enum(modelNames), z.partialRecord(z.enum(resolutions), Rate))
    .optional(),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

const repository = join(import.meta.dirname, '..');

export async function readConfigFile(named: string | null): Promise<ConfigFile> {
  const path = named === null ? join(repository, 'vidgen.config.ts') : resolve(named);
  if (!existsSync(path)) {
    if (named === null) return {};
    throw new ConfigTrouble([`VIDGEN_CONFIG names ${named}, and there is no such file`]);
  }
  const { default: content } = (await import(pathToFileURL(path).href)) as { default?: unknown };
  const problems = problemsOf(ConfigFile, content);
  if (problems.length > 0) {
    throw new ConfigTrouble(problems.map(({ words }) => `${path}: ${words}`));
  }
  return ConfigFile.parse(content);
}

/** The credential, read when it is used, so that it stands in no object that could be logged. */
export function credential({ env }: { readonly env: string }): () => string {
  return () => {
    const value = process.env[env];
    if (value === undefined || value === '') throw new Error(`${env} is not set`);
    return value;
  };
}

/** Names of variables that the file refers to and the environment lacks. */
export function missingCredentials({ providers = {} }: ConfigFile): string[] {
  return Object.values(providers)
    .map(({ apiKey }) => apiKey.env)
    .filter((name) => !process.env[name]);
}
