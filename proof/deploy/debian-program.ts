/** Programs of Debian for tests: installed ones, or unpacked from their package into a folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the program, or null if it is neither installed nor in a reachable archive of Debian.
 * Nothing is installed: `dpkg -x` only unpacks.
 */
export function findProgram(options: {
  readonly name: string;
  readonly package: string;
  /** Packages of its libraries, if few machines have them; see `librariesOf`. */
  readonly libraries?: readonly string[];
  /** Below the root of the package. */
  readonly path: string;
  readonly folder: string;
}): string | null {
  const { name, path, folder } = options;
  if (spawnSync(name, ['--help'], { stdio: 'ignore' }).error === undefined) return name;
  const into = join(folder, `package-${name}`);
  mkdirSync(into, { recursive: true });
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, { cwd: into, stdio: 'ignore', timeout: 120_000 }).status === 0;
  if (!run('apt-get', 'download', options.package, ...(options.libraries ?? []))) return null;
  const archives = readdirSync(into).filter((file) => file.endsWith('.deb'));
  if (!archives.every((archive) => run('dpkg', '-x', archive, '.'))) return null;
  return join(into, path);
}

/** The folder of the libraries that were unpacked beside a program, as `LD_LIBRARY_PATH`. */
export function librariesOf(program: string): string | undefined {
  const folder = join(program, '../../lib');
  const [machine] = existsSync(folder) ? globSync('*-linux-gnu', { cwd: folder }) : [];
  return machine && join(folder, machine);
}
