/** Programs of Debian for tests: installed ones, or unpacked from their package into a folder. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the program, or null if it is neither installed nor in a reachable archive of Debian.
 * Nothing is installed: `dpkg -x` only unpacks.
 */
export function findProgram(options: {
  readonly name: string;
  readonly package: string;
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
  if (!run('apt-get', 'download', options.package)) return null;
  const archive = readdirSync(into).find((file) => file.endsWith('.deb'));
  if (!archive || !run('dpkg', '-x', archive, '.')) return null;
  return join(into, path);
}
