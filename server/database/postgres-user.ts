/**
 * Chooses the user that runs the own PostgreSQL. PostgreSQL refuses to run as root, and creates a
 * cluster only for a user that has a name on this machine.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../config/config.ts';

type User = { readonly uid: number; readonly gid: number };

export type Runner = {
  /** The user to start them as; this process's own if not set. */
  readonly user?: User;
  /** A command before the program that gives it another user. */
  readonly through: readonly string[];
};

type RunnerOptions = {
  readonly home: string;
  /** The cluster, which may not exist yet. */
  readonly data: string;
  readonly binaries: string;
};

/** Prepares what the chosen user needs; throws `ConfigError` if no user can run PostgreSQL. */
export function chooseRunner(options: RunnerOptions): Runner {
  const uid = process.getuid?.();
  if (uid === 0) return chooseForRoot(options);
  if (uid === undefined || hasOwnName()) return { through: [] };
  // Without namespaces the server still runs; only creating the cluster fails.
  return namespaceRunner() ?? { through: [] };
}

/**
 * The owner of the files, if it is another user. Otherwise root in a user namespace, where it has
 * another number and no privileges, while the files stay root's outside. Most containers allow no
 * user namespaces; there a system user gets the cluster and may pass through the home directory.
 */
function chooseForRoot(options: RunnerOptions): Runner {
  const { home, data } = options;
  const { uid, gid } = statSync(existsSync(data) ? data : home);
  if (uid !== 0 && (existsSync(data) || userName(uid) !== undefined)) {
    const runner = { user: { uid, gid }, through: [] };
    if (canRun(runner, options)) return runner;
  }
  const namespaced = uid === 0 ? namespaceRunner() : undefined;
  if (namespaced && canRun(namespaced, options)) return namespaced;
  for (const user of ['postgres', 'nobody'].map(userNamed)) {
    if (user === undefined) continue;
    const runner = { user, through: [] };
    if (!canRun(runner, { ...options, home: '/' })) continue;
    if (!canRun(runner, options)) allowPassage(home, user);
    if (!canRun(runner, options)) continue;
    if (existsSync(data)) changeOwner(data, user);
    return runner;
  }
  throw new ConfigError([
    `PostgreSQL does not run as root, and no other user can enter ${home} and run ` +
      `${options.binaries}; start vidgen as another user, or set VIDGEN_DATABASE_URL`,
  ]);
}

function namespaceRunner(): Runner | undefined {
  const user = userNamed('nobody');
  if (user === undefined) return undefined;
  const through = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  return output([...through, 'true']) === undefined ? undefined : { through };
}

function canRun({ user, through }: Runner, { home, binaries }: RunnerOptions): boolean {
  const script = 'cd "$1" && exec "$2" --version';
  const args = ['/bin/sh', '-c', script, 'sh', home, join(binaries, 'postgres')];
  return output([...through, ...args], user) !== undefined;
}

/** Lets the user's group pass through the home directory, without a right to list it. */
function allowPassage(home: string, { gid }: User): void {
  const { uid, mode } = statSync(home);
  chownSync(home, uid, gid);
  chmodSync(home, (mode & 0o707) | 0o010);
}

function changeOwner(path: string, { uid, gid }: User): void {
  lchownSync(path, uid, gid);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(path, name), uid, gid);
  }
}

function hasOwnName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

const userName = (uid: number): string | undefined => output(['id', '-un', String(uid)]);

function userNamed(name: string): User | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => output(['id', flag, name]));
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number(uid), gid: Number(gid) };
}

function output([program = '', ...args]: readonly string[], user?: User): string | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync(program, args, { encoding: 'utf8', stdio, cwd: '/', ...user }).trim();
  } catch {
    return undefined;
  }
}
