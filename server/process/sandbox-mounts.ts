/** What a confined process sees of the file system: a list of mounts, each at its own path. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, sep } from 'node:path';

/**
 * `ro` and `rw` show a path with everything below it, `hide` shows an empty one instead, and `seal`
 * makes what is mounted there read-only.
 */
type SandboxMount = readonly [kind: 'ro' | 'rw' | 'hide' | 'seal', path: string];

/** Programs and libraries; the last three are those of Nix, Guix and Homebrew. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew'],
];
const systemFiles = ['/etc/ld.so.cache', '/dev/null', '/dev/urandom'];

const isInside = (path: string, folder: string): boolean => path.startsWith(folder + sep);
const isSystem = (path: string): boolean => systemFolders.some((one) => isInside(path, one));

/** In the order in which they are mounted. All paths exist. */
export function mountsOf({
  readable,
  writable,
  hidden,
}: {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
}): readonly SandboxMount[] {
  const system = [...systemFolders, ...systemFiles, ...programPaths(hidden)].filter((path) =>
    existsSync(path),
  );
  const shown = [...system, ...readable].map(withoutSeparator);
  const covered = hidden.filter((path) => isSystem(path) && existsSync(path));
  const inner = mountPoints().filter((point) => shown.some((path) => isInside(point, path)));
  const own = writable.map(withoutSeparator);
  const isSealed = (path: string) => !own.some((one) => one === path || isInside(path, one));
  return [
    ...system.map((path) => ['ro', withoutSeparator(path)] as const),
    ...covered.map((path) => ['hide', path] as const),
    ...readable.map((path) => ['ro', withoutSeparator(path)] as const),
    ...own.map((path) => ['rw', path] as const),
    ...[...covered, ...inner].filter(isSealed).map((path) => ['seal', path] as const),
  ];
}

const withoutSeparator = (path: string): string =>
  path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path;

/**
 * Node with the libraries beside it, as where it was installed by a version manager; alone if
 * others' files are below the same folder.
 */
function programPaths(hidden: readonly string[]): readonly string[] {
  const { execPath, env } = process;
  const libraries = (env.LD_LIBRARY_PATH ?? '').split(delimiter).filter((path) => path !== '');
  const kept = [...hidden, homedir()];
  const isShared = (folder: string) =>
    kept.some((path) => path === folder || isInside(path, folder));
  const prefix = dirname(dirname(execPath));
  return [isShared(prefix) ? execPath : prefix, ...libraries.filter((path) => !isShared(path))];
}

/** The kernel escapes white space as octal numbers. */
const mountPoints = (): readonly string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((point) =>
      point.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8))),
    );

/** A folder that every system has. What is below it is covered where the root is built. */
export function stageFor(mounts: readonly SandboxMount[]): string {
  const stages = ['/mnt', '/media', '/srv', '/opt', '/tmp'];
  const isFree = (stage: string) =>
    existsSync(stage) && !mounts.some(([, path]) => isInside(path, stage));
  return stages.find(isFree) ?? stages[0]!;
}
