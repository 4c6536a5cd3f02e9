/**
 * The confinement of processes that parse customers' files. Node's permission model restricts
 * scripts; on Linux, a user and a network namespace of their own also keep native code from
 * opening connections and from reading the environment and memory of this process.
 */
import { spawnSync } from 'node:child_process';
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

/** Tried in this order: a root process in a container may have only the second. */
const namespaceCommands = [
  ['unshare', '--user', '--net'],
  ['unshare', '--net'],
] as const;

let namespaceCommand: readonly string[] | undefined;

/**
 * The command that starts a program in its own namespaces under the same process ID; empty where
 * the platform has none: outside of Linux, and where containers or AppArmor forbid them.
 */
export function ownNamespaces(): readonly string[] {
  namespaceCommand ??= process.platform === 'linux' ? (namespaceCommands.find(canRun) ?? []) : [];
  return namespaceCommand;
}

type SandboxWeakness = { readonly possible: readonly string[]; readonly fix: string };

/**
 * Returns what native code in a process that a file has taken over could do, and how to prevent it;
 * null where it has namespaces of its own. For the log.
 */
export function sandboxWeakness(
  command: readonly string[] = ownNamespaces(),
  platform: NodeJS.Platform = process.platform,
): SandboxWeakness | null {
  if (command.includes('--user')) return null;
  const possible = [
    ...(command.includes('--net') ? [] : ['open connections']),
    'read what other processes of this user can',
  ];
  const fix =
    platform === 'linux'
      ? 'install unshare (util-linux) and allow unprivileged user namespaces: in sysctl ' +
        '(kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), in ' +
        'the seccomp profile of the container, or in an AppArmor profile'
      : 'run vidgen on Linux';
  return { possible, fix };
}

function canRun([program, ...args]: readonly [string, ...string[]]): boolean {
  const options = { env: {}, stdio: 'ignore', timeout: 5_000 } as const;
  return spawnSync(program, [...args, process.execPath, '--version'], options).status === 0;
}
