/**
 * Everything that a start goes by: the environment and the configuration file, judged together. A
 * wrong setting stops the start before anything is opened, and every wrong one is named at once.
 */
import { createCatalogue } from './catalog/catalog.ts';
import { type Config, ConfigTrouble, readConfig } from './config.ts';
import { type ConfigFile, missingCredentials, readConfigFile } from './config-file.ts';
import { parseNetworks } from './egress/address.ts';
import { routeProblems } from './providers/registry.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Settings = { readonly config: Config; readonly file: ConfigFile };

export async function readSettings(
  environment: Environment,
  words: readonly string[] = [],
): Promise<Settings> {
  const troubles: string[] = [];
  const noted = async <T>(work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConfigTrouble)) throw error;
      troubles.push(...error.troubles);
      return null;
    }
  };
  const config = await noted(() => readConfig(environment, words));
  troubles.push(...networkTroubles(environment), ...listenTroubles(environment));
  const file = await noted(() => readConfigFile(given(environment.VIDGEN_CONFIG)));
  if (file) troubles.push(...fileTroubles(file));
  if (!config || !file || troubles.length > 0) throw new ConfigTrouble(troubles);
  return { config, file };
}

const given = (text: string | undefined): string | null => text?.trim() || null;

function networkTroubles(environment: Environment): string[] {
  return ['VIDGEN_ALLOWED_NETWORKS', 'VIDGEN_TRUSTED_PROXIES'].flatMap((name) =>
    troubleOf(() => parseNetworks(environment[name] ?? '')).map((why) => `${name}: ${why}`),
  );
}

function listenTroubles(environment: Environment): string[] {
  const { VIDGEN_DATABASE_URL: url, VIDGEN_DATABASE_LISTEN_URL: listenUrl } = environment;
  if (given(listenUrl) === null || given(url) !== null) return [];
  return ['VIDGEN_DATABASE_LISTEN_URL is set and VIDGEN_DATABASE_URL is not: set both'];
}

function fileTroubles(file: ConfigFile): string[] {
  const { prices, providers = {}, routes = {} } = file;
  const missing = missingCredentials(file).map((name) => `${name} is not set: the file names it`);
  const overrides = (prices ? { prices } : {}) as Parameters<typeof createCatalogue>[0];
  const wrong = [
    ...troubleOf(() => createCatalogue(overrides)),
    ...routeProblems({ names: Object.keys(providers), routes }),
  ];
  return [...missing, ...wrong].map((trouble) => `vidgen.config.ts: ${trouble}`);
}

function troubleOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
