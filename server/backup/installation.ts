/**
 * The installation that a command works on: its database, whether or not the service runs, and its
 * files.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config/config.ts';
import { openOwnPostgres, ownPostgresUrl } from '../database/own-postgres.ts';
import { HomeLockedError, lockHome } from '../process/home-lock.ts';
import { requireNotMoved } from '../process/home-marks.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createLog, registerSecret } from '../telemetry/log.ts';

export type OpenSource = { readonly url: string; close(): Promise<void> };

/**
 * The database to read. Without VIDGEN_DATABASE_URL it is the one of a running service, or its
 * server is started until `close`.
 */
export async function openSource({ databaseUrl, home }: Config): Promise<OpenSource> {
  if (databaseUrl !== null) return { url: databaseUrl, close: async () => {} };
  requireOwnDatabase(home);
  requireNotMoved(home);
  const lock = lockUnlessRunning(home);
  if (lock === null) {
    const address = ownPostgresUrl(home);
    registerSecret(new URL(address.url).password);
    return { url: address.url, close: async () => address[Symbol.dispose]() };
  }
  const server = await openOwnPostgres({ home, log: createLog('error') });
  registerSecret(new URL(server.url).password);
  const close = async () => {
    await server.stop();
    lock[Symbol.dispose]();
  };
  return { url: server.url, close };
}

export function requireOwnDatabase(home: string): void {
  if (existsSync(join(home, 'postgres'))) return;
  throw new ConfigError([
    `${home} has no database; check VIDGEN_HOME, or set VIDGEN_DATABASE_URL if the service uses it`,
  ]);
}

/** Null if a process with all roles has the home directory, whose server is there to connect to. */
function lockUnlessRunning(home: string): Disposable | null {
  try {
    return lockHome(home, { isShared: true });
  } catch (error) {
    if (error instanceof HomeLockedError) return null;
    throw error;
  }
}

/** `owner` is that of the installation's secret; null if the secret is not known. */
export async function openStorageOf(
  { home, storageUrl, aws }: Config,
  owner: string | null,
): ReturnType<typeof openStorage> {
  if (storageUrl !== null && owner === null) {
    throw new ConfigError(['VIDGEN_SECRET is needed to use the bucket of VIDGEN_STORAGE_URL']);
  }
  const folder = join(home, 'results');
  const options = { url: storageUrl, folder, credentials: aws, cdnUrl: null };
  return await openStorage({ ...options, owner: owner ?? '' });
}
