/**
 * The confinement of processes that parse customers' files. Node's permission model restricts
 * scripts; on Linux, namespaces of their own also keep native code from opening connections, from
 * reading the environment and memory of this process, and from the files in its home directory.
 */
import { spawnSync } from 'node:child_process';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Our code and packages. The home directory is not below any of them. */
const codePaths = ['server/', 'contract/', 'renderer/', 'node_modules/', 'package.json'];

export type SandboxFolders = {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
};

/** Flags that restrict a script to our code and these folders; each ends with a separator. */
export function permissionFlags({ readable, writable }: SandboxFolders): string[] {
  const readablePaths = [...codePaths.map((path) => root + path), ...readable, ...writable];
  return [
    '--permission',
    ...readablePaths.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    '--no-warnings',
  ];
}

/**
 * Covers the first folder with an empty one, which shows only the second below it. Without
 * capabilities, the program cannot take the cover off, not even in namespaces of its own. A mount
 * that cannot be made read-only stays as it is.
 */
const hideScript = `
  hidden=$1 kept=$2 access=$3 && shift 3 &&
  { [ -z "$kept" ] || cd "$kept"; } &&
  mount -t tmpfs -o size=64k,mode=755 none "$hidden" &&
  { [ -z "$kept" ] || { mkdir -p "$kept" &&
    mount --no-canonicalize --bind /proc/self/cwd "$kept" && cd "$kept" &&
    { [ "$access" = rw ] || mount -o remount,bind,ro "$kept" || :; }; }; } &&
  exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"`;

type Namespaces = {
  readonly command: readonly string[];
  readonly hidesHome: boolean;
};

/** Tried in this order: a root process in a container may have only those without `--user`. */
const namespaceChoices: readonly Namespaces[] = [
  { command: ['unshare', '--user', '--map-root-user', '--mount', '--net'], hidesHome: true },
  { command: ['unshare', '--mount', '--net'], hidesHome: true },
  { command: ['unshare', '--user', '--net'], hidesHome: false },
  { command: ['unshare', '--net'], hidesHome: false },
];
const noNamespaces: Namespaces = { command: [], hidesHome: false };

let found: Namespaces | undefined;
let homeFolder: string | null = null;

/** Called once at the start: a confined process sees only the folder in it that it is given. */
export function hideFromSandbox(home: string): void {
  // Our code must stay readable.
  const isAboveCode = root.startsWith(join(resolve(home), sep));
  homeFolder = isAboveCode ? null : resolve(home);
  found = undefined;
}

/**
 * None where the platform has no namespaces: outside of Linux, and where containers or AppArmor
 * forbid them.
 */
export function ownNamespaces(): Namespaces {
  const isPossible = (choice: Namespaces) =>
    (!choice.hidesHome || homeFolder !== null) && canRun(choice);
  found ??=
    (process.platform === 'linux' ? namespaceChoices.find(isPossible) : undefined) ?? noNamespaces;
  return found;
}

type KeptFolder = { readonly folder: string; readonly access: 'ro' | 'rw' };

/**
 * The command that starts a program in namespaces of its own, under the same process ID. Of the
 * home directory it sees only the kept folder.
 */
export const confine = (program: readonly string[], kept?: KeptFolder): readonly string[] =>
  confineWith(ownNamespaces(), program, kept);

const confineWith = (
  { command, hidesHome }: Namespaces,
  program: readonly string[],
  { folder, access }: KeptFolder = { folder: '', access: 'ro' },
): readonly string[] => {
  const hide = hidesHome ? ['/bin/sh', '-c', hideScript, 'sh', homeFolder!, folder, access] : [];
  return [...command, ...hide, ...program];
};

type SandboxWeakness = { readonly possible: readonly string[]; readonly fix: string };

/**
 * Returns what native code in a process that a file has taken over could do, and how to prevent it;
 * null where it has namespaces of its own. For the log.
 */
export function sandboxWeakness(
  { command, hidesHome }: Namespaces = ownNamespaces(),
  platform: NodeJS.Platform = process.platform,
): SandboxWeakness | null {
  if (command.includes('--user') && hidesHome) return null;
  const possible = [
    ...(command.includes('--net') ? [] : ['open connections']),
    ...(hidesHome ? [] : ['read and change the files of this user']),
    ...(command.includes('--user') ? [] : ['read the memory of other processes of this user']),
  ];
  const fix =
    platform === 'linux'
      ? 'install unshare, mount and setpriv (util-linux) and allow unprivileged user ' +
        'namespaces: in sysctl ' +
        '(kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), in ' +
        'the seccomp profile of the container, or in an AppArmor profile'
      : 'run vidgen on Linux';
  return { possible, fix };
}

function canRun(choice: Namespaces): boolean {
  const options = { env: {}, stdio: 'ignore', timeout: 5_000 } as const;
  const [program = '', ...args] = confineWith(choice, [process.execPath, '--version']);
  return spawnSync(program, args, options).status === 0;
}
